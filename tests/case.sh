# case.sh - sourced by the suites, which set `suite` before: which cases this run has, and their
# lines.
#
#     wants NAME && found "$(COMMAND...)"
#
# A case is SUITE/NAME. Of the suite's arguments, `only` has the cases that were asked for; without
# one, all are. NAME may have parts (gcc/fib, deb-owner): who asks for gcc gets all below it, and a
# suite that can only run all of gcc at once wants gcc where gcc/fib was asked for.
# CHECK=gate leaves out what the list `beyond` next to this file has. run.py sets it.
# CHECK_CASE=FILE gets the name of each case as it begins: run.py ends those that hang.
case_beyond=
[ "$CHECK" != gate ] || case_beyond=$(sed -n "s|^$suite/\([^ ]*\) .*|\1|p" \
    "$(dirname "$0")/../beyond")
set -f
case_beyond=$(echo $case_beyond)
set +f

# Is NAME one of the words, above or below one of them?
case_among() { # NAME WORD...
    case_name=$1
    shift
    for case_word; do
        case $case_name/ in "$case_word"/*) return 0 ;; esac
        case $case_word in "$case_name"[/-]*) return 0 ;; esac
    done
    false
}

wants() { # NAME
    # shellcheck disable=SC2086  # a list
    [ -z "$only" ] || case_among "$1" $only || return
    set -f
    for case_word in $case_beyond; do
        # shellcheck disable=SC2254  # a pattern
        case $1 in $case_word) set +f; return 1 ;; esac
    done
    set +f
    case_now=$1
    [ -z "$CHECK_CASE" ] || echo "$suite/$1" >"$CHECK_CASE"
}

# An empty DETAIL passes; "SKIP why" skips, and so does "BUSY per cent", which is from cpu.sh. What
# is too long for the line of a failure follows it whole, indented.
result() { # NAME DETAIL
    case $2 in
    '') echo "PASS $suite/$1" ;;
    'SKIP '*) echo "SKIP $suite/$1: ${2#SKIP }" ;;
    'BUSY '*) echo "SKIP $suite/$1: this machine is too busy ($(echo "$2" | head -1 |
        cut -d ' ' -f 2) % of it were others')" ;;
    *)
        echo "FAIL $suite/$1: $(printf %s "$2" | head -c 400 | tr '\n' ' ')"
        [ ${#2} -le 400 ] || printf '%s\n' "$2" | sed 's/^/     | /'
        failures=1 ;;
    esac
}
# Of the case that was wanted last.
found() { result "$case_now" "$1"; } # DETAIL
