#!/bin/sh
# check.sh BUILD [--table] [NAME...] - programs that nobody here has written, of Debian's packages,
# each once natively and once with libprof preloaded. NAME.sh is a host; without names those that
# say "quick", with CHECK_HOSTS=all all of them. --table prints docs/HOSTS.md as well (make
# hosts-table). One PASS, FAIL or SKIP line a host.
#
# The script of a host prints what must not change, and leaves out what changes natively. It begins
# with comments:
#   # what: LINE           for the table
#   # packages: NAME...    of Debian
#   # needs: FILE...       commands or files; without one of them it is skipped
#   # profile: NAME...     processes whose names begin so leave at least one profile each; it is how
#                          we know that libprof was there
#   # quick: yes           is run by make check-all
#   # limit: SECONDS       some ten times what it takes (300)
# Both runs have a directory of their own as $PWD, HOME and TMPDIR. The same are: status; stdout;
# the set of lines on stderr, with numbers and directories made equal. What outlives the script by
# more than leash.c grants is a difference, too. Every profile is one that prof report reads.
# Some programs end in more than one way natively: after a difference, up to four more native runs
# show whether one is as the preloaded run is, and a native run that hangs is made once more.
build=$(cd "$1" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
prof=$build/prof
shift
table=
[ "$1" != --table ] || { table=1; shift; CHECK_HOSTS=all; }
tmp=$(mktemp -d) || exit 1
leash_pid= kept=
trap '[ -n "$kept" ] || rm -rf "$tmp"' EXIT
trap '[ -z "$leash_pid" ] || { kill "$leash_pid"; wait "$leash_pid"; }; exit 143' INT TERM
chmod 755 "$tmp"
# In a directory that any user may read: hosts leave root's rights.
cp "$build/libprof.so" "$tmp/" && gcc -O2 -Wall -Wextra "$here/leash.c" -o "$tmp/leash" ||
    { echo "FAIL hosts: no leash"; exit 1; }
so=$tmp/libprof.so
unset LD_PRELOAD $(env | sed -n 's/^\(PROF_[A-Z_]*\)=.*/\1/p')

key() { sed -n "s/^# $1: *//p" "$host" | head -1; }

missing() {
    for need in $(key needs); do
        command -v "$need" >/dev/null || [ -e "$need" ] || { echo "$need"; return; }
    done
}

run() { # native | preloaded
    dir=$tmp/$name/$1
    mkdir -p "$dir/work" "$dir/profiles"
    chmod 1777 "$dir/work" "$dir/profiles"
    if [ "$1" = preloaded ]; then set -- LD_PRELOAD="$so" \
        PROF_OUTPUT="$dir/profiles/%e.%p.prof"; else set --; fi
    start=$(date +%s)
    cd "$dir/work" || exit 1
    "$tmp/leash" "$limit" "$dir" env "$@" HOME="$dir/work" TMPDIR="$dir/work" LC_ALL=C.UTF-8 \
        TZ=UTC PROF="$prof" \
        sh "$host" >"$dir/out" 2>"$dir/err" &
    leash_pid=$!
    wait $leash_pid
    echo $? >"$dir/status"
    leash_pid=
    cd "$tmp" || exit 1
    echo $(($(date +%s) - start)) >"$dir/seconds"
    sed -E "s|$dir|DIR|g" "$dir/out" >"$dir/stdout"
    # what a program says about itself may hold a pid, a time, an address
    sed -E "s|$dir|DIR|g; s/0x[0-9a-f]+/N/g; s/[0-9]+/N/g" "$dir/err" | sort -u >"$dir/stderr"
}

# What is not the same; nothing: all is.
differences() {
    cd "$tmp/$name" || exit 1
    [ "$(cat native/status)" != 124 ] || { echo "not over after $limit s natively"; return; }
    [ "$(cat preloaded/status)" != 124 ] ||
        echo "hangs: not over after $limit s, natively $(cat native/seconds) s"
    cmp -s native/status preloaded/status ||
        echo "status $(cat preloaded/status) for $(cat native/status)"
    cmp -s native/stdout preloaded/stdout ||
        echo "stdout: $(diff native/stdout preloaded/stdout | grep '^[<>]' | head -3 | cut -c1-200 |
        tr '\n' ' ')"
    cmp -s native/stderr preloaded/stderr ||
        echo "stderr: $(diff native/stderr preloaded/stderr | grep '^[<>]' | head -3 | cut -c1-200 |
        tr '\n' ' ')"
    sort -u native/left >native/left.names 2>/dev/null
    sort -u preloaded/left 2>/dev/null | comm -13 native/left.names - | sed 's/^/left behind: /'
    for file in preloaded/profiles/*; do
        [ -e "$file" ] || continue
        "$prof" report "$file" >report.out 2>report.err ||
            echo "prof report: status $? for ${file##*/}: $(head -1 report.err)"
        [ ! -s report.err ] || echo "prof report on ${file##*/}: $(head -1 report.err)"
    done
    for process in $(key profile); do
        ls preloaded/profiles | grep -q "^$process.*[.]prof\$" || echo "no profile of $process"
    done
}

again_natively() {
    rm -rf "${tmp:?}/$name/native"
    run native
}

found() { detail=$(differences | tr '\n' ';' | sed 's/;$//; s/;/; /g'); }

# One host; $verdict is PASS, FAIL or SKIP, $detail why.
check() { # FILE
    host=$1 name=$(basename "$1" .sh)
    limit=$(key limit)
    limit=${limit:-300}
    detail=$(missing)
    if [ -n "$detail" ]; then
        verdict=SKIP detail="no $detail (packages: $(key packages))"; return; fi
    run native
    [ "$(cat "$tmp/$name/native/status")" != 124 ] || again_natively
    run preloaded
    found
    first=$detail more=0
    while :; do
        case $detail in status* | stdout* | stderr* | left*) ;; *) break ;; esac
        [ $more -lt 4 ] || { detail=$first; break; }
        again_natively
        found
        more=$((more + 1))
    done
    verdict=PASS
    [ -z "$detail" ] || verdict=FAIL
}

result() {
    case $verdict in
    PASS) echo "PASS hosts/$name"; row; rm -rf "${tmp:?}/$name" ;;
    SKIP) echo "SKIP hosts/$name: $detail"; row ;;
    FAIL)
        again="sh tests/hosts/check.sh $build $name"
        echo "FAIL hosts/$name: $detail (kept: $tmp/$name; again: $again)"
        row
        kept=1 ;;
    esac
}

row() {
    [ -n "$table" ] || return
    versions=$(for p in $(key packages); do
        dpkg-query -W -f='${Package} ${Version}, ' "$p" 2>/dev/null || printf '%s -, ' "$p"; done)
    quick=$(key quick)
    if [ $verdict = SKIP ]; then native=- preloaded="not tried"; else
        native="status $(cat "$tmp/$name/native/status")"
        profiles=$(ls "$tmp/$name/preloaded/profiles" | wc -l) s=s
        [ "$profiles" != 1 ] || s=
        preloaded="$native, the same; $profiles profile$s"
        [ $verdict = PASS ] || preloaded="**differs**: $detail"
    fi
    printf '| %s%s | %s | %s | %s | %s |\n' "$name" "${quick:+ *}" "${versions%, }" "$(key what)" \
        "$native" "$(echo "$preloaded" | sed "s|$tmp|DIR|g")" >>"$tmp/rows"
}

# A key that does not begin its line is none: its host would be run without what it needs, or not at
# all.
headless() {
    for host in "$here"/*.sh; do
        [ "$host" = "$here/check.sh" ] || for key in what packages needs; do
            [ -n "$(key $key)" ] || echo "${host##*/} has no $key"
        done
        sed '/^[^#]/,$d' "$host" | grep -E '[^#] (packages|needs|profile|quick|limit): '
    done | tr '\n' ';'
}

# that a difference is told: each of these must have the verdict, and the reason, that it expects
self_test() {
    detail=$(headless)
    if [ -z "$detail" ]; then echo 'PASS hosts/driver-headers'; else
        echo "FAIL hosts/driver-headers: $detail"; fi
    for file in "$here"/self/*.sh; do
        check "$file"
        expected=$(key expect)
        case "$verdict $detail" in
        $expected) echo "PASS hosts/driver-$name" ;;
        *) echo "FAIL hosts/driver-$name: told as \"$verdict $detail\", not \"$expected\"" ;;
        esac
        rm -rf "${tmp:?}/$name"
    done
}

[ $# -gt 0 ] || self_test
if [ $# -eq 0 ]; then
    for file in "$here"/*.sh; do
        [ "$file" != "$here/check.sh" ] || continue
        host=$file
        [ "$CHECK_HOSTS" != all ] && [ -z "$(key quick)" ] || set -- "$@" "$(basename "$file" .sh)"
    done
fi
for wanted; do
    [ -e "$here/$wanted.sh" ] || { echo "FAIL hosts/$wanted: there is no such host"; continue; }
    check "$here/$wanted.sh"
    result
done
[ -z "$table" ] || sh "$here/table/write.sh" "$tmp/rows" >"$build/HOSTS.md"
