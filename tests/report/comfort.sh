# comfort.sh - a part of run.sh: options, their help, their manual pages and what shells complete
# say the same.
source_dir=$here/../../report man_dir=$here/../../docs/man completion=$here/../../report/completion
long_options() { grep -o -e '--[a-z][a-z-]*' | sort -u | tr '\n' ' '; }
commands=$("$prof" help | sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -v '^help$')
[ -n "$commands" ] || fail commands "prof help lists none"
for c in $commands; do
    [ -r "$source_dir/commands/$c.c" ] && grep -q arguments_next "$source_dir/commands/$c.c" ||
        continue
    in_help=$("$prof" help $c | grep '^  *-' | sed 's/^\( *\(-[^ ]*\( [A-Z=]*\)\?,\? *\)*\).*/\1/' |
        long_options)
    equal "options-in-help-$c" \
        "$(sed -n 's/{ "\([a-z-]*\)", *\(no\|required\|optional\)_argument/\n--\1\n/gp' \
        "$source_dir/commands/$c.c" | grep '^--' | long_options)" "$in_help"
    [ -r "$man_dir/prof-$c.1" ] || {
        skip "options-in-manual-$c" "prof-$c.1 is not written"; continue; }
    equal "options-in-manual-$c" "$in_help" "$(grep '^\.It Fl' "$man_dir/prof-$c.1" |
        sed 's/ \\-/ --/g' | tr -d '\\' | long_options)"
    equal "help-columns-$c" '' "$("$prof" help $c | awk 'length > 80' | head -1)"
done
equal help-columns '' "$("$prof" help | awk 'length > 80' | head -1)"
equal help-lists-what-the-manual-lists "$(echo "$commands" | sort | tr '\n' ' ')" \
    "$(sed -n 's/^\.It Xr prof-\([a-z]*\) 1.*/\1/p' "$man_dir/prof.1" |
    sort -u | tr '\n' ' ')"
for page in "$man_dir"/*.[17]; do
    name=$(basename "$page")
    if command -v groff >/dev/null; then
        equal "manual-$name" '' "$(groff -mandoc -Tutf8 -ww -rF0 -z "$page" 2>&1 | head -2)"
    else
        skip "manual-$name" "no groff"
    fi
    [ "${name%.*}" = prof ] || case $name in *.1) has "manual-lists-$name" "Xr ${name%.1} 1" \
        "$man_dir/prof.1" ;; esac
done

# ---- completion ----
complete_bash() { # WORDS...: what the last one may become, a line each
    PATH=$build:$PATH bash --norc -c '. "$0"
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _prof 2>/dev/null
        printf "%s\n" "${COMPREPLY[@]}"' "$completion/prof.bash" "$@" | sort -u | grep .
}
equal complete-commands "$(echo "$commands" | { cat; echo help; } | sort | tr '\n' ' ')" \
    "$(complete_bash prof '' | grep -v '^--' | tr '\n' ' ')"
for c in $commands; do
    in_help=$("$prof" help $c | grep '^  *-' | sed 's/^\( *\(-[^ ]*\( [A-Z=]*\)\?,\? *\)*\).*/\1/' |
        long_options)
    equal "complete-options-$c" "$in_help" "$(complete_bash prof $c -- | long_options)"
done
equal complete-part 'report' "$(complete_bash prof rep | tr '\n' ' ' | tr -d ' ')"
equal complete-help 'view' "$(complete_bash prof help vi)"
equal complete-keys 'parallelism' "$(complete_bash prof report --sort para)"
equal complete-kinds 'top topcaller ' "$(complete_bash prof report -m to | tr '\n' ' ')"
equal complete-formats "$("$prof" export -f '?' x 2>&1 | sed 's/.*are //; s/, /\n/g' | sort |
    tr '\n' ' ')" "$(complete_bash prof export -f '' | tr '\n' ' ')"
equal complete-metrics 'blocked' "$(complete_bash prof export -p --metric b)"
mkdir -p complete/deeper && : >complete/a.prof && : >complete/b.txt && : >'complete/c d.prof' &&
    : >complete/e.prof.tar.gz
equal complete-profiles \
    'complete/a.prof|complete/c d.prof|complete/deeper|complete/e.prof.tar.gz|' \
    "$(complete_bash prof report complete/ | tr '\n' '|')"
equal complete-output 'complete/b.txt' "$(complete_bash prof report -o complete/b)"
equal complete-program 'complete/b.txt' "$(complete_bash prof run -o x -- complete/b)"
equal complete-watch-program 'complete/b.txt' "$(complete_bash prof watch -- complete/b)"
equal complete-whatif-program 'complete/b.txt' "$(complete_bash prof whatif -t 4 -- complete/b)"
equal complete-whatif-profile 'complete/a.prof' "$(complete_bash prof whatif complete/a)"
equal complete-optional-value '--dag' "$(complete_bash prof run --da)"
equal complete-after-program 'complete/b.txt' "$(complete_bash prof run ./victim --sort complete/b)"
equal complete-no-option-after-program '' "$(complete_bash prof run ./victim --so)"
if command -v zsh >/dev/null; then
    equal complete-zsh-parses '' "$(zsh -fn "$completion/_prof" 2>&1)"
    # on a terminal of its own, as nothing else drives zsh's completion
    cat >complete.zsh <<Z
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; PATH=$build:\$PATH; fpath=($completion \$fpath)'
zpty -w shell 'autoload -Uz compinit; compinit -u -D; cd $tmp'
zpty -w shell 'show() { print -r -- "<\$BUFFER>"; BUFFER= }; zle -N show'
zpty -w shell 'bindkey "^X" show; print ready'
zpty -r -m shell reply '*ready*ready*'
for typed in "\$@"; do
    zpty -w -n shell "\$typed"\$'\t\C-x'
    zpty -r -m shell reply '*<*>*' && print -r -- "\${\${reply##*<}%%>*}"
done
zpty -d shell
Z
    timeout 60 zsh -f complete.zsh 'prof expor' 'prof export --form' 'prof report --sort paralle' \
        'prof report complete/a' 'prof run -o x complete/b' 'prof whatif -t 4 -- complete/b' \
        'prof whatif -t 4 complete/a' >zsh.txt 2>zsh.err
    printf '%s \n' 'prof export' 'prof export --format' 'prof report --sort parallelism' \
        'prof report complete/a.prof' 'prof run -o x complete/b.txt' \
        'prof whatif -t 4 -- complete/b.txt' 'prof whatif -t 4 complete/a.prof' >zsh.want
    equal complete-zsh "$(cat zsh.want)" "$(cat zsh.txt)"
else
    skip complete-zsh "no zsh"
fi
