# pages.sh - sourced by check.sh: what is written is true as far as a script can see. Links lead
# somewhere, manual pages have examples and no errors, prose has at most 100 columns (tables and
# quoted output may have more) and code, too, every case that docs/EXACTNESS.md names exists.
dead_links() { # DIRECTORY: links of its pages, and of those in docs/, that lead nowhere
    for page in "$1"/*.md "$1"/docs/*.md; do
        grep -v '^    ' "$page" | grep -o '](\([^)#:]*\)[)#]' |     # lambdas look like links
            sed 's/^](//; s/[)#]$//' | sort -u | while read -r link; do
            [ -e "$(dirname "$page")/$link" ] || echo "${page##*/}: $link"
        done
    done
}
result links "$(dead_links "$top")"
# The code's lines, too. Those that stay are data: programs in other languages that tests/hosts run.
code_columns() {
    find agents bench docs examples include preload report tests unwind -name node_modules -prune \
        -o -type f -name '*.[chS]' -print -o -name '*.cpp' -print -o -name '*.sh' -print \
        -o -name '*.jq' -print -o -name '*.mjs' -print -o -name '*.def' -print \
        -o -name '*.js' -print -o -name '*.css' -print \
        -o -path tests/layers/rooms -print -o -name '*.map' -print |
        grep -v '^tests/hosts/' |
        xargs awk 'length > 100 { print FILENAME ":" FNR }'
}
# The page of causes is of the table that prof is built with.
result causes-page "$(cd "$top" && python3 docs/causes.py report/analysis/causes.def \
    tests/causes/programs tests/causes/measured.md | cat -s | diff - docs/CAUSES.md | head -3)"
result columns-code "$(cd "$top" && code_columns)"
# A shell reads a script as it goes: what no test reaches may not even be one.
unreadable_scripts() {
    find bench docs examples tests -name '*.sh' | sort | while read -r script; do
        case $(head -1 "$script") in *bash*) shell=bash ;; *) shell=sh ;; esac
        $shell -n "$script" 2>&1 | head -1
    done
}
result scripts "$(cd "$top" && unreadable_scripts)"
prose() { ls README.md CHANGELOG.md CONTRIBUTING.md docs/*.md | grep -v 'HOSTS.md\|ONETBB'; }
result columns "$(cd "$top" && awk 'length > 100 && !/^\|/ && !/^(    |!\[)/ {
    print FILENAME ":" FNR }' $(prose))"
for page in "$top"/docs/man/*.[17]; do
    name=$(basename "$page")
    result "manual-examples-$name" "$(sed -n '/^\.S[hH] EXAMPLES/,/^\.S[hH] SEE/p' "$page" |
        grep -q 'prof' || echo "no examples")"
    if command -v man >/dev/null; then
        result "manual-warnings-$name" \
            "$(LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$page" 2>&1 >/dev/null | head -2)"
    else
        result "manual-warnings-$name" 'SKIP no man'
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

# The system calls of the manual's paragraph on seccomp filters are all that libprof adds to a run.
listed_calls() {
    sed -n "/^which libprof and libc's threads use in this version:/,/^\.PP/p" \
        "$top/docs/man/libprof.7" | grep -o '[a-z_0-9]*' | sort -u
}
calls_of() { # [SETTING=VALUE...]: of a run of tasks, and of one with joins by other strands
    for program in "$build/examples/fib -t 2 20" \
        "$build/programs/constructs thread_joined_elsewhere 2"; do
        # shellcheck disable=SC2086  # a command
        strace -f -c -U name -o traced env "$@" $program >/dev/null 2>&1
        sed '1,2d; s/ //g' traced
    done | grep -vx -e '-*' -e syscall -e total -e '' | sort -u
}
unlisted_calls() {
    calls_of >native
    calls_of PROF_OUTPUT=calls.prof PROF_CHECKPOINT=1 LD_PRELOAD="$build/libprof.so" >calls
    listed_calls >listed
    grep -qx gettid calls || echo "libprof was not traced"
    comm -13 native calls | comm -23 - listed
}
if command -v strace >/dev/null; then
    result seccomp-calls "$(unlisted_calls)"
else
    echo "SKIP package/seccomp-calls: no strace"
fi
