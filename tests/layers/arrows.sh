#!/bin/sh
# arrows.sh OBJDIR [ROOT] - whether every arrow between the rooms of the sources
# (tests/layers/rooms) goes down: an arrow is an #include, or the use of a symbol that another
# room's object defines. Prints one line a violation; status 1 if there is one.
#
# OBJDIR has the objects by the paths of their sources: OBJDIR/report/base/format.o. Objects without
# a source are of an older build. ROOT: the tree, if it is not the one that this script stands in.
objects=$(cd "$1" && pwd) || exit 2
cd "${2:-$(dirname "$0")/../..}" || exit 2
rooms=tests/layers/rooms
[ -r $rooms ] || { echo "$rooms: not there"; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# ---- sources, their includes and their objects' symbols ----

tops=$(sed -n 's|^\([a-z][a-z_]*\)\(/[^:]*\)\{0,1\}:.*|\1|p' $rooms | grep -vx layered | sort -u)
for top in $tops; do [ -d "$top" ] && find "$top" -name '*.[chS]'; done | sort >"$tmp/sources"
xargs grep -n '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' <"$tmp/sources" /dev/null |
    sed 's/^\([^:]*\):[0-9]*:[^"]*"\([^"]*\)".*/include \1 \2/' >"$tmp/uses"
while read -r source; do
    case $source in
    *.c) set -- "$objects/${source%.c}.o" ;;
    *.S) set -- "$objects/${source%.S}"-*.o "$objects/${source%.S}.o" ;;
    *) continue ;;
    esac
    for object; do
        [ -e "$object" ] || continue
        echo "${object#"$objects/"} $source"
        break
    done
done <"$tmp/sources" >"$tmp/objects"
sed 's/.* /object /' "$tmp/objects" >>"$tmp/uses"
# OBJECT: NAME TYPE [VALUE SIZE]: U, w and v are used here and defined elsewhere
(cd "$objects" && sed 's/ .*//' "$tmp/objects" | xargs nm -P -g -A /dev/null 2>/dev/null) |
    awk -v objects="$tmp/objects" '
    BEGIN { while ((getline line < objects) > 0) { split(line, w, " "); source[w[1] ":"] = w[2] } }
    $1 in source { print "symbol-" ($3 ~ /[Uwv]/ ? "used" : "defined"), source[$1], $2 }' \
    >>"$tmp/uses"

# ---- the rules ----

# a line that begins with a blank goes on with the one before
sed -e ':next' -e '$!N' -e 's/\n  */ /' -e 't next' -e 'P;D' $rooms >"$tmp/rooms"
awk -v rooms=$rooms -v rules="$tmp/rooms" -v sources="$tmp/sources" -v edges="$tmp/edges" '
function fail(text) { if (!(text in said)) { said[text]; print text; failed = 1 } }
function top_of(path) { sub("/.*", "", path); return path }
# The room that holds PATH: the longest that is the beginning of it.
function room_of(path, at) {
    for (at = path; sub("/[^/]*$", "", at);)
        if (at in layer) return at
    return ""
}
function exists(path, line, result) {
    if (path in is_source) return 1
    result = (getline line < path)
    close(path)
    return result >= 0
}
function normal(path) {
    while (sub("[^/.]+/[.][.]/", "", path)) ;
    while (sub("^[.]/", "", path)) ;
    return path
}
# What the #include of NAME in FILE is: "" where the tree does not have it.
function found(file, name, at, n, i, list) {
    at = file
    sub("[^/]*$", "", at)
    if (exists(normal(at name))) return normal(at name)
    n = split(program_tops[program[room_of(file)]], list, " ")
    for (i = 1; i <= n; i++) if (exists(normal(list[i] "/" name))) return normal(list[i] "/" name)
    if (exists(normal("include/" name))) return normal("include/" name)
    return name ~ /\// && exists(normal(name)) ? normal(name) : ""
}
# What is wrong with an arrow from room A to room B.
function wrong(a, b) {
    if (program[a] != program[b]) return "of another program"
    return layer[b] > layer[a] ? "an arrow up" : "an arrow that " rooms " does not have"
}
BEGIN {
    number = 1
    while ((getline line < rules) > 0) {
        if (line ~ /^#/) continue
        if (line ~ /^[ \t]*$/) { number++; continue }
        room = line; sub(":.*", "", room)
        rest = line; sub("[^:]*:[ \t]*", "", rest)
        if (room == "layered") { n = split(rest, word, " ");
            for (i = 1; i <= n; i++) layered[word[i]]; continue }
        if (room in layer) fail(rooms ": " room " stands there twice")
        layer[room] = ++count; program[room] = number; below[count] = room
        if (index(" " program_tops[number] " ",
            " " top_of(room) " ") == 0) program_tops[number] = program_tops[number] " " top_of(room)
        if (sub("all below", "", rest)) for (i = 1; i < count;
            i++) if (program[below[i]] == number) allowed[room, below[i]]
        n = split(rest, word, " ")
        for (i = 1; i <= n; i++) {
            if (word[i] ~ /[.]h$/) { allowed[room, word[i]]; continue }
            if (!(word[i] in layer) ||
                program[word[i]] != number)
                fail(rooms ": " room " names " word[i] ", which is not below it")
            allowed[room, word[i]]
        }
    }
    while ((getline line < sources) > 0) {
        is_source[line]
        room = room_of(line)
        if (room == "") fail(line " stands in no room")
        else if (line ~ /[.]c$/) has[room]
    }
}
$1 == "include" {
    a = room_of($2)
    if (a == "") next
    target = found($2, $3)
    if (target == "" || target ~ /^include\// || (a, target) in allowed) next
    b = room_of(target)
    if (b == "") fail($2 " includes " target ", which stands in no room")
    else if (b != a && !((a, b) in allowed)) fail($2 " includes " target " of " b ": " wrong(a, b))
}
$1 == "object" { built[room_of($2)] }
$1 == "symbol-defined" { defined[$3] = defined[$3] " " $2 }
$1 == "symbol-used" { used[$2 " " $3] }
END {
    for (room in has) if (!(room in built)) fail(room " has no objects: build first")
    for (key in used) {
        split(key, word, " ")
        a = room_of(word[1])
        n = split(defined[word[2]], list, " ")
        if (a == "" || !n) continue
        best = ""       # a definition in the same program, where there are several
        for (i = 1; i <= n; i++) if (program[room_of(list[i])] == program[a]) best = list[i]
        b = room_of(best)
        if (b == "") continue
        if (b != a && !((a, b) in allowed)) fail(word[1] " uses " word[2] " of " b ": " wrong(a, b))
        if (best != word[1] && (top_of(a) in layered)) print word[1], best >edges
    }
    exit failed
}' "$tmp/uses" >"$tmp/violations"
status=$?
[ -e "$tmp/edges" ] && ! tsort "$tmp/edges" >/dev/null 2>"$tmp/circle" && {
    echo "files use each other in a circle:$(sed -n 's/^tsort: \(.*[.][cS]\)$/ \1/p' "$tmp/circle" |
        tr -d '\n')" >>"$tmp/violations"
    status=1
}
sort "$tmp/violations"
exit $status
