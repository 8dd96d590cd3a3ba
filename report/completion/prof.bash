# bash completion of prof(1). prof help gives it commands and options, so it is never out of date.
# The values of an option are those in the line with which prof refuses a wrong one.

# Prints "OPTION METAVAR" lines; METAVAR -: the option takes no value.
_prof_options() { # PROF COMMAND
    "$1" help "$2" 2>/dev/null | awk '/^ +-/ {
        n = 0; meta = "-"
        for (i = 1; i <= NF; i++) {
            word = $i
            sub(/[,:]$/, "", word)
            sub(/\[=.*/, "", word)     # an optional value
            if (word ~ /^--?[A-Za-z]/) {
                if (meta != "-") { for (k = 1; k <= n; k++) print names[k], meta; n = 0; meta = "-" }
                names[++n] = word
            } else if (word ~ /^[A-Z][A-Z=]*$/ && $(i - 1) !~ /^[A-Z]/) meta = word
            else break
        }
        for (k = 1; k <= n; k++) print names[k], meta
    }'
}

_prof_values() { # PROF COMMAND OPTION: prints nothing if any word is allowed
    case $3 in
    -c | --clock) echo tsc wall virtual instructions cycles ;;
    -b | --burden) echo auto cilkview ;;
    *) "$1" "$2" "$3" '?' '?' 2>&1 </dev/null | sed -n 's/^prof: --[a-z-]* ?: the [a-z]* are //p' | tr -d , ;;
    esac
}

_prof_reply() { # WORDS PREFIX
    local IFS=$' \t\n'
    COMPREPLY=($(compgen -W "$1" -- "$2"))
}

_prof_files() { # PREFIX PATTERN...
    local IFS=$'\n' prefix=$1 pattern
    shift
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -d -- "$prefix"
        for pattern; do compgen -f -X "!$pattern" -- "$prefix"; done))
}

_prof() {
    local cur=${COMP_WORDS[COMP_CWORD]} prof=${COMP_WORDS[0]} command= i option meta want= word=
    local -A takes=()
    COMPREPLY=()
    [[ $COMP_CWORD -gt 1 ]] && command=${COMP_WORDS[1]}
    if [[ -z $command || ( $command == help && $COMP_CWORD -eq 2 ) ]]; then
        _prof_reply "$("$prof" help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p')$([[ -z $command ]] && echo ' --version')" "$cur"
        return
    fi
    while read -r option meta; do takes[$option]=$meta; done < <(_prof_options "$prof" "$command")
    # is the word an option's value?
    for ((i = 2; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ -n $want ]]; then
            want=
        elif [[ $word == -- || $word != -* ]]; then
            [[ $word == -- ]] && ((i++))
            if [[ ( $command == run || $word == -- && $command == @(watch|whatif|bench) ) && $i -lt $COMP_CWORD ]]; then    # the program's own words
                if declare -F _command_offset >/dev/null; then _command_offset $i; else _prof_files "$cur" '*'; fi
                return
            fi
            [[ $word == -- ]] && break
        elif [[ ${takes[$word]:--} != - ]]; then
            want=$word
        fi
    done
    if [[ -n $want ]]; then
        case ${takes[$want]} in
        FILE | PAGE | DIR | *PROFILE*) _prof_files "$cur" '*' ;;
        *) _prof_reply "$(_prof_values "$prof" "$command" "$want")" "$cur" ;;
        esac
    elif [[ $cur == -* && $word != -- ]]; then
        _prof_reply "${!takes[*]}" "$cur"
    elif [[ $command == @(run|doctor|bench) || $word == -- && $command == @(watch|whatif) ]]; then
        if [[ $cur == */* ]]; then _prof_files "$cur" '*'; else COMPREPLY=($(compgen -c -- "$cur") $(compgen -f -- "$cur")); fi
    else
        _prof_files "$cur" '*.prof' '*.prof.tar.gz'
    fi
}
complete -F _prof prof
