#!/bin/sh
# walkthrough.sh BUILD PAGE [DIR] - runs the commands of a page, docs/WALKTHROUGH*.md, and prints
# the page with what they printed now. Write it over the page: the page has the figures of this
# machine. DIR is a directory to be made, in which DIR/build keeps what the commands wrote.
#
# A command is an indented line after "$ ", in a build directory; the indented lines below it quote
# its output. "..." alone on a line stands for any lines. The rest must be printed, word by word but
# for numbers and units. If it was not, or if the prose of the page names a figure that no quoted
# line has, a line on stderr states that, and the status is 1.
build=$(cd "$1" && pwd) page=$(readlink -f "$2") || exit 2
top=$(cd "$(dirname "$0")/.." && pwd)
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
dir=${3:-$out/dir}
mkdir -p "$dir/build" && cd "$dir/build" || exit 2
ln -s "$build/prof" "$build/libprof.so" "$build/examples" . && ln -s "$top/examples" .. || exit 2
unset NO_COLOR LD_PRELOAD $(env | sed -n 's/^\(PROF_[A-Z_]*\)=.*/\1/p')
export LC_ALL=C COLUMNS=100 OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}"

sed -n 's/^    \$ //p' "$page" >"$out/commands"
n=0
while IFS= read -r command; do
    n=$((n + 1))
    sh -c "$command" </dev/null >"$out/$n" 2>&1
done <"$out/commands"

machine="$(date +%F), on $(nproc) cores of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo |
    head -1)."
awk -v dir="$out" -v name="${page##*/}" -v machine="$machine" '
    # Words without their figures: a number is #, a unit of time T. A line of a file stays, but not
    # that behind a function: of a finding it is the line with most samples. Columns may be empty in
    # one run and not in another, so a row of numbers is one.
    function shape(text, words,    n, i, k, w, raw) {
        gsub(/\t/, " ", text)
        n = split(text, raw, /[ ]+/)
        for (i = 1; i <= n; i++) {
            w = raw[i]
            if (w == "")
                continue
            if (w !~ /^[^(].*\.c(pp)?:[0-9]/)
                gsub(/[0-9][0-9.,]*/, "#", w)
            if (k && words[k] ~ /#$/ && w ~ /^(ns|us|ms|s)[^a-z]*$/)
                sub(/^[a-z]+/, "T", w)
            if (w == "#" && words[k] == "#")
                continue
            words[++k] = w
        }
        return k + 0
    }
    function wrong(what) {
        print name ": " what >"/dev/stderr"
        status = 1
    }
    # The lines of the output of the command that have the quoted lines FROM to TO.
    function match_lines(from, to,    i, k, n, w, want, m, start, ok) {
        for (i = from; i <= to; i++) {
            n = shape(quoted[i], w)
            for (k = 1; k <= n; k++)
                if (!(w[k] == "#" && m && want[m] == "#"))
                    want[++m] = w[k]
        }
        for (start = at; start + m - 1 <= words; start++) {
            ok = 1
            for (k = 1; k <= m && ok; k++)
                ok = want[k] == word[start + k - 1]
            if (ok)
                break
        }
        if (start + m - 1 > words) {
            wrong("`" command "` does not print: " quoted[from] (to > from ? " ..." : ""))
            for (i = from; i <= to; i++)
                print quoted[i]
            return
        }
        for (i = line_of[start]; i <= line_of[start + m - 1]; i++)
            if (i > printed)
                print (line[i] == "" ? "" : "    " line[i])
        printed = line_of[start + m - 1]
        at = start + m
    }
    # Blank lines at the end of a block are the page'"'"'s.
    function end_block(    i, first, tail, n, k, w) {
        while (count && quoted[count] ~ /^ *$/) {
            tail++
            count--
        }
        if (command != "" && count) {
            words = lines = printed = 0
            at = 1
            while ((getline line[++lines] <(dir "/" number)) > 0) {
                gsub(/\t/, "   ", line[lines])
                n = shape(line[lines], w)
                for (k = 1; k <= n; k++)
                    if (!(w[k] == "#" && words && word[words] == "#")) {
                        word[++words] = w[k]
                        line_of[words] = lines
                    }
            }
            first = 1
            for (i = 1; i <= count + 1; i++)
                if (i > count || quoted[i] ~ /^ *\.\.\.$/) {
                    if (i > first)
                        match_lines(first, i - 1)
                    if (i <= count)
                        print quoted[i]
                    first = i + 1
                }
        } else {
            for (i = 1; i <= count; i++)
                print quoted[i]
        }
        while (tail-- > 0)
            print ""
        count = 0
    }
    # The figures of prose: with a point, or of a unit.
    function note_figures(text,    n, i, raw) {
        n = split(text, raw, /[ ]+/)
        for (i = 1; i <= n; i++)
            if (raw[i] ~ /^[0-9]+\.[0-9]+/ ||
                raw[i] ~ /^[0-9]/ && raw[i + 1] ~ /^(%|ns|us|ms|s)[^a-z]*$/) {
                sub(/[^0-9]+$/, "", raw[i])
                named[raw[i]] = 1
            }
    }
    /^    \$ / {
        end_block()
        command = substr($0, 7)
        number++
        print
        next
    }
    command != "" && /^(    .*| *)$/ {
        quoted[++count] = $0
        everything = everything " " $0 " "
        next
    }
    {
        end_block()
        command = ""
        if (sub(/^Measured on.*/, "Measured on " machine)) {
            print
            next
        }
        note_figures($0)
        print
    }
    END {
        end_block()
        gsub(/[^0-9.]+/, " ", everything)
        for (f in named)
            if (!index(everything, " " f " "))
                wrong("the prose names " f ", and no quoted line does")
        exit status
    }' "$page"
