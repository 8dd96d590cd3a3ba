# pages.sh - sourced by check.sh: what is written is true as far as a script can see. Links lead
# somewhere, manual pages have examples and no errors, prose has at most 100 columns (tables and
# quoted output may have more), every case that docs/EXACTNESS.md names exists.
dead_links() { # DIRECTORY: links of its pages, and of those in docs/, that lead nowhere
    for page in "$1"/*.md "$1"/docs/*.md; do
        grep -o '](\([^)#:]*\)[)#]' "$page" |
            sed 's/^](//; s/[)#]$//' | sort -u | while read -r link; do
            [ -e "$(dirname "$page")/$link" ] || echo "${page##*/}: $link"
        done
    done
}
result links "$(dead_links "$top")"
result columns "$(cd "$top" &&
    awk 'length > 100 && !/^\|/ && !/^(    |!\[)/ { print FILENAME ":" FNR }' README.md \
    CHANGELOG.md CONTRIBUTING.md $(ls docs/*.md | grep -v "HOSTS.md\|ONETBB"))"
for page in "$top"/docs/man/*.[17]; do
    name=$(basename "$page")
    result "manual-examples-$name" "$(sed -n '/^\.S[hH] EXAMPLES/,/^\.S[hH] SEE/p' "$page" |
        grep -q 'prof' || echo "no examples")"
    if command -v man >/dev/null; then
        result "manual-warnings-$name" \
            "$(LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$page" 2>&1 >/dev/null | head -2)"
    fi
done
exact_cases() {
    for program in "$build/programs/constructs" "$build/programs/flow" \
        "$build/openmp/constructs-gcc" "$build/openmp/constructs-clang"; do
        [ ! -x "$program" ] || "$program" --list
    done >cases
    awk -F'|' '/^## / { suite = $0 } /^\|/ && suite !~ /What else/ { print $(NF - 1) }' \
        "$top/docs/EXACTNESS.md" | grep -o '`[a-z_0-9]*\*\?`' |
        tr -d '`*' | sort -u | while read -r name; do
            grep -q "^$name" cases || echo "no case $name"
        done
}
if [ -x "$build/programs/constructs" ] && [ -x "$build/openmp/constructs-gcc" ]; then
    result exact-cases "$(exact_cases)"
else
    echo "SKIP package/exact-cases: the programs are not built"
fi
