# elsewhere.sh - a part of run.sh: a profile is read where its modules are not, or are
# others: with folders, with a server of debuginfod, as an archive.
profiles basic none
has_page && pages=1 || pages=
sites_program
profile_of sites
mkdir -p else/src && cp "$here/sites.cpp" else/src/
g++ -O2 -g -std=c++17 -I"$here/include" "$tmp/else/src/sites.cpp" -o else/sites 2>gcc.log ||
    fail build-elsewhere "$(head -3 gcc.log)"
far_of() { # PROGRAM: a profile of it, as if it had been /far/away/app
    words=$(./"$1")
    BUILD_ID=$(build_id "./$1") ./gen sites /far/away/app ${words#* }
}
far_of else/sites >far.prof
far_id=$(build_id else/sites)
far_a=$(printf %.2s "$far_id") far_b=${far_id#??}
lacks='.modules | map([(.path | sub(".*/"; "")), .names_missing])'
lacking() { # NAME WHY PROFILE [OPTIONS]: the one module has no names, for this reason
    lacking_name=$1 why=$2
    shift 2
    equal "$lacking_name" "[[\"app\",$why]]" "$(of_json "$lacks" "$@")"
}
named() { # NAME PROFILE [OPTIONS]: every marked line is found
    named_name=$1
    shift
    "$prof" report --json "$@" 2>err >sites.json
    found=$(jq -r '.sites[] | "\(.construct) \(.file // "" | sub(".*/"; "")):\(.line)"' sites.json)
    wrong=$(for mark in direct outlined standard helper twice templated; do
        line=$(grep -n "// SITE $mark\$" "$here/sites.cpp" | cut -d: -f1)
        echo "$found" | grep -qx "$mark sites.cpp:$line" || echo "$mark"
    done)
    result "$named_name" "$(echo $wrong)"
}

# ---- nothing is here ----
lacking elsewhere-gone '"not here"' far.prof
"$prof" report --full far.prof >far.txt 2>/dev/null
has elsewhere-gone-line '^  - Names are missing for app (not on this machine)\.' far.txt
json elsewhere-module '.modules[0] |
        [.path, .build_id, .file, .addresses == .addresses_without_name]' \
    "[\"/far/away/app\",\"$far_id\",null,true]" far.prof
json elsewhere-whole "$lacks" '[["sites",null]]' sites.prof
"$prof" report --full sites.prof >sites.txt 2>/dev/null
has_not elsewhere-whole-silent 'Names are missing' sites.txt

json elsewhere-gone-words .names_missing '"app (not on this machine)"' far.prof
json elsewhere-whole-words .names_missing null sites.prof

# ---- folders, in every layout ----
folder=0
in_folder() { # FILE NAME...: folders that hold it as NAME
    file=$1
    shift
    for layout; do
        folder=$((folder + 1))
        mkdir -p "else/$folder/$(dirname "$layout")" && cp "$file" "else/$folder/$layout"
        named "elsewhere-folder: $(echo "$layout" | sed "s/$far_b/REST/; s/$far_a/ID/")" far.prof \
            --symbols else/$folder
    done
}
in_folder else/sites ".build-id/$far_a/$far_b" ".build-id/$far_a/$far_b/elf" "$far_a/$far_b/elf" \
    "$far_id/executable" app far/away/app
objcopy --only-keep-debug else/sites else/sites.debug
in_folder else/sites.debug ".build-id/$far_a/$far_b.debug" \
    "usr/lib/debug/.build-id/$far_a/$far_b.debug" "$far_id/debuginfo" app.debug
cp else/sites else/stripped && strip else/stripped
mkdir -p else/both/.build-id/$far_a && cp else/stripped else/both/.build-id/$far_a/$far_b
lacking elsewhere-stripped '"stripped"' far.prof --symbols else/both
cp else/sites.debug else/both/.build-id/$far_a/$far_b.debug
named elsewhere-separate far.prof --symbols else/both
equal elsewhere-separate-file '"else/both/.build-id/'$far_a/$far_b'.debug"' \
    "$(jq -c '.modules[0].debug_file' sites.json)"
cp else/stripped else/nowhere-else && words=$(else/nowhere-else)
BUILD_ID=$far_id ./gen sites $words >kept-build.prof
lacking_kept='.modules | map(.names_missing)'
json elsewhere-stripped-here "$lacking_kept" '["stripped"]' kept-build.prof
mkdir else/unstripped && cp else/sites else/unstripped/nowhere-else
named elsewhere-unstripped kept-build.prof --symbols else/unstripped
PROF_SYMBOLS=/nowhere::else/both named elsewhere-variable far.prof
mkdir else/nothing
named elsewhere-second-folder far.prof --symbols else/nothing --symbols else/both
for command in report annotate diff view export archive; do
    one_line elsewhere-no-folder-$command '--symbols /nowhere: No such' "$prof" $command \
        --symbols /nowhere far.prof far.prof
done
one_line elsewhere-file-as-folder 'not a folder' "$prof" report --symbols far.prof far.prof

# ---- another build ----
mkdir else/other
g++ -O2 -g -std=c++17 -DCHANGED=1 -I"$here/include" "$here/sites.cpp" -o else/other/app \
    -Wl,--build-id=0x1234567890 2>gcc.log || fail build-other "$(head -3 gcc.log)"
lacking elsewhere-other '"another build id"' far.prof --symbols else/other
"$prof" report --full --symbols else/other far.prof >far.txt 2>err
has elsewhere-other-line 'missing for app (here with another build id: built anew)' far.txt
equal elsewhere-other-said 1 "$(grep -c 'app: not the file that was profiled' err)"
named elsewhere-other-and-right far.prof --symbols else/other --symbols else/both
cp else/sites else/rebuilt
words=$(else/rebuilt)
BUILD_ID=$far_id ./gen sites $words >rebuilt.prof
cp else/other/app else/rebuilt
json elsewhere-rebuilt "$lacks" '[["rebuilt","another build id"]]' rebuilt.prof
"$prof" whatif rebuilt.prof 2>/dev/null | tr -s '\n ' ' ' >rebuilt.txt
has elsewhere-rebuilt-whatif 'rebuilt (.*built anew). Code without a name is not in the table.' \
    rebuilt.txt
named elsewhere-rebuilt-found rebuilt.prof --symbols else/both
printf 'no ELF' >else/other/app
lacking elsewhere-no-elf '"no ELF file"' far.prof --symbols else/other

# ---- a server ----
if python3 -c 'import http.server' 2>/dev/null && ldconfig -p | grep -q 'libdebuginfod.so.1 '; then
    mkdir -p "else/served/buildid/$far_id" else/cache
    cp else/sites.debug "else/served/buildid/$far_id/debuginfo"
    (cd else/served && exec python3 -u -m http.server --bind 127.0.0.1 0) >else/port 2>else/asked &
    server=$!
    for i in $(seq 100); do # s / 2: python3 begins late on a machine that others use
        port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' else/port)
        [ -n "$port" ] && break
        sleep 0.5
    done
    lacking elsewhere-server-not-asked '"not here"' far.prof
    equal elsewhere-server-silent '' "$(cat else/asked)"
    export DEBUGINFOD_CACHE_PATH="$tmp/else/cache"
    DEBUGINFOD_URLS=http://127.0.0.1:$port named elsewhere-server far.prof
    equal elsewhere-server-asked 1 "$(grep -c "GET /buildid/$far_id/debuginfo" else/asked)"
    words=$(else/stripped)
    BUILD_ID=$far_id ./gen sites $words >stripped-here.prof
    rm -rf else/cache
    DEBUGINFOD_URLS=http://127.0.0.1:$port named elsewhere-server-separate stripped-here.prof
    DEBUGINFOD_URLS=http://127.0.0.1:$port "$prof" archive -o served.tar.gz far.prof 2>err
    kill $server
    named elsewhere-server-archived served.tar.gz
    rm -rf else/cache
    DEBUGINFOD_URLS=http://127.0.0.1:$port lacking elsewhere-server-gone '"not here"' far.prof
    unset DEBUGINFOD_CACHE_PATH
else
    skip elsewhere-server "no python3 with http.server, or no libdebuginfod"
fi

# ---- an archive ----
"$prof" report --full --symbols else/both far.prof >before.txt 2>/dev/null
STARTED=$(($(date +%s) + 10))000000000 BUILD_ID=$far_id ./gen lines /far/away/app \
    ${words#* } >far-lines.prof
"$prof" annotate --symbols else/both far-lines.prof >before-lines.txt 2>/dev/null
has elsewhere-annotate '// SITE direct' before-lines.txt
status elsewhere-archive 0 "$prof" archive --symbols else/both far.prof
equal elsewhere-archive-said 'prof: far.prof.tar.gz is written: 1 module,'\
' 1 with separate debug information, N source files; N MB' \
    "$(sed 's/[0-9]* source/N source/; s/(.*) *//; s/[0-9.]* MB/N MB/; s/files ;/files;/' err)"
equal elsewhere-archive-members "far-archive/.build-id/$far_a/$far_b
far-archive/.build-id/$far_a/$far_b.debug
far-archive/far.prof
far-archive$tmp/else/src/sites.cpp" "$(tar tzf far.prof.tar.gz | grep -v include | sort)"
equal elsewhere-archive-mode -rw------- "$(ls -l far.prof.tar.gz | cut -c1-10)"
"$prof" archive --symbols else/both -o - far.prof 2>/dev/null | cmp - far.prof.tar.gz 2>err
equal elsewhere-archive-repeats '' "$(cat err)"
status elsewhere-archive-again 0 "$prof" archive --symbols else/both far.prof
status elsewhere-archive-lines 0 "$prof" archive --symbols else/both far-lines.prof
status elsewhere-archive-bare 0 "$prof" archive --symbols else/both --no-source -o bare.tar.gz \
    far.prof
equal elsewhere-archive-no-source 3 "$(tar tzf bare.tar.gz | grep -c '')"
mv else/src else/moved
mv else/both else/away
named elsewhere-archive-names far.prof.tar.gz
"$prof" report --full far.prof.tar.gz >after.txt 2>err
equal elsewhere-archive-report "$(cksum <before.txt)" "$(cksum <after.txt)"
equal elsewhere-archive-quiet '' "$(cat err)"
"$prof" annotate far-lines.prof.tar.gz >after-lines.txt 2>err
equal elsewhere-archive-annotate "$(cksum <before-lines.txt)" "$(cksum <after-lines.txt)"
for command in 'export -f folded' 'diff far.prof.tar.gz' 'merge -o far-merged.prof' whatif; do
    status "elsewhere-archive-$command" 0 "$prof" $command far-lines.prof.tar.gz
done
if [ -n "$pages" ]; then
    status elsewhere-archive-view 0 "$prof" view -o far.html far-lines.prof.tar.gz
    has elsewhere-archive-view-source 'SITE direct' far.html
fi
mkdir unpacked && tar xzf far.prof.tar.gz -C unpacked
named elsewhere-unpacked unpacked/far-archive/far.prof --symbols unpacked/far-archive
gzip -dc far.prof.tar.gz >far.tar
named elsewhere-plain-tar far.tar
(cd unpacked && tar czf ../repacked.tar.gz far-archive/far.prof far-archive/.build-id)
named elsewhere-repacked repacked.tar.gz
one_line elsewhere-archive-archive 'an archive already' "$prof" archive far.prof.tar.gz
one_line elsewhere-archive-two 'archive takes one FILE' "$prof" archive far.prof far.prof
cp far.prof kept.prof
one_line elsewhere-archive-over-profile 'this is a profile, and prof does not overwrite it' \
    "$prof" archive -o kept.prof far.prof
one_line elsewhere-report-over-archive 'this is an archive, and prof does not overwrite it' \
    "$prof" report -o far.prof.tar.gz far.prof.tar.gz
if [ -w /dev/full ]; then
    status elsewhere-archive-full 2 "$prof" archive --symbols else/away -o /dev/full far.prof
    [ -c /dev/full ] && pass elsewhere-archive-device || fail elsewhere-archive-device 'it is gone'
fi
one_line elsewhere-archive-nowhere 'nowhere/x: No such' "$prof" archive -o /nowhere/x basic.prof
echo kept >no-profile.tar.gz
status elsewhere-archive-no-profile 2 "$prof" archive -o no-profile.tar.gz none.prof
equal elsewhere-archive-kept kept "$(cat no-profile.tar.gz)"
equal elsewhere-archive-no-litter '' "$(ls | grep 'gz\.')"
# what the debug information of several files has in common stands in one more file
if command -v dwz >/dev/null; then
    mkdir else/dwz
    cp else/sites else/dwz/app && cp sites else/dwz/two && cp else/sites.debug else/dwz/app.debug
    (cd else/dwz && dwz -m common.debug -M common.debug app two 2>../../gcc.log) ||
        fail dwz "$(head -1 gcc.log)"
    named elsewhere-dwz far.prof --symbols else/dwz
    "$prof" archive --symbols else/dwz -o dwz.tar.gz far.prof 2>err
    mv else/dwz else/undwz
    named elsewhere-dwz-archive dwz.tar.gz
    equal elsewhere-dwz-member 1 "$(tar tzf dwz.tar.gz | grep -c '/[0-9a-f]*\.debug$')"
else
    skip elsewhere-dwz "no dwz"
fi
# names longer than a header's field, and than both
for length in 90 130 310; do
    long=$tmp/else/$(printf "%0${length}d" 0 | sed 's/.\{60\}/&\//g')
    mkdir -p "$long" && cp "$here/sites.cpp" "$long/sites.cpp"
    g++ -O2 -g -std=c++17 -I"$here/include" "$long/sites.cpp" -o else/long 2>gcc.log
    far_of else/long >long.prof
    mkdir -p else/long-folder && cp else/long else/long-folder/app
    "$prof" archive --symbols else/long-folder long.prof 2>err
    rm -r "$long"
    equal "elsewhere-long-name-$length" 1 "$(tar tzf long.prof.tar.gz | grep -c "$long/sites.cpp")"
    STARTED=9000000000000000000 "$prof" annotate -s sites.cpp long.prof.tar.gz >long.txt 2>err
    named "elsewhere-long-$length" long.prof.tar.gz
done

# ---- hostile archives: one line, and nothing is written ----
mkdir hostile-in hostile-out
cp far.prof hostile-in/a.prof
: >hostile-in/b && ln -s /etc/passwd hostile-in/link && ln hostile-in/b hostile-in/hard
mkfifo hostile-in/pipe
pack_as() { # NAME TRANSFORM FILE...
    packed=$1 transform=$2
    shift 2
    tar czPf "hostile-out/$packed.tar.gz" -C hostile-in --transform="$transform" "$@" 2>/dev/null
}
pack_as up 's,^b$,x/../../../b,' a.prof b
pack_as dots 's,^b$,../b,' a.prof b
pack_as root 's,^b$,/tmp/b,' a.prof b
pack_as twice 's,^b$,a.prof,' a.prof b
pack_as link 's,^,x/,' a.prof link
pack_as hard 's,^,x/,' a.prof b hard
pack_as pipe 's,^,x/,' a.prof pipe
pack_as other 's,^,x/,' b a.prof
tar czf hostile-out/nothing.tar.gz -T /dev/null
while read -r packed words; do
    one_line "elsewhere-hostile-$packed" "hostile-out/$packed.tar.gz: .*$words" "$prof" report \
        hostile-out/$packed.tar.gz
done <<'END'
up leads out of the archive
dots leads out of the archive
root leads out of the archive
twice two members have one name
link a link or a device
hard a link or a device
pipe a link or a device
other empty file
END
status elsewhere-hostile-nothing 2 "$prof" report hostile-out/nothing.tar.gz
truncate -s 3G hostile-in/bomb
(cd hostile-in && tar cf - a.prof bomb | gzip -1 >../hostile-out/bomb.tar.gz)
truncate -s 0 hostile-in/bomb
one_line elsewhere-hostile-bomb 'larger than any archive' "$prof" report hostile-out/bomb.tar.gz
printf '\050\265\057\375 and so on' >hostile-out/zstd
one_line elsewhere-zstd 'compressed by zstd' "$prof" report hostile-out/zstd
# two compressed parts one after the other are one file, as gzip itself has it
gzip -dc bare.tar.gz >bare.tar
{ head -c 1000 bare.tar | gzip -c; tail -c +1001 bare.tar | gzip -c; } >parts.tar.gz
for whole in bare.tar parts.tar.gz; do
    "$prof" report --full $whole >out 2>err
    equal "elsewhere-whole-$whole" 0 $?
done
size=$(stat -c %s bare.tar.gz)
n=0
for cut in 30 600 $((size / 3)) $((size - 9)) $((size - 4)); do
    n=$((n + 1))
    head -c $cut bare.tar.gz >cut.tar.gz
    "$prof" report --full cut.tar.gz >out 2>err
    [ $? = 2 ] && [ ! -s out ] && [ "$(grep -c '' err)" = 1 ] && pass "elsewhere-cut-$n" ||
        fail "elsewhere-cut-$n" "at $cut of $size: $(cat err | head -2)"
done
# A compressed file has bits that mean nothing: its time, and what fills the last byte. A change of
# these damages nothing.
gzip -dc bare.tar.gz >bare.tar
cat >report-damaged.sh <<END
gzip -dc "\$1" 2>/dev/null | cmp -s - bare.tar && { echo 'prof: the same bytes' >&2; exit 2; }
exec "$prof" report "\$1"
END
damage elsewhere-flip bare.tar.gz flip 60 sh report-damaged.sh
if [ -n "$vg" ]; then
    status elsewhere-valgrind 0 $vg "$prof" report far.prof.tar.gz
    has_not elsewhere-valgrind-silent '^==' err
    status elsewhere-valgrind-archive 0 $vg "$prof" archive --symbols else/away -o vg.tar.gz \
        far.prof
    has_not elsewhere-valgrind-archive-silent '^==' err
    status elsewhere-valgrind-hostile 2 $vg "$prof" report hostile-out/twice.tar.gz
fi

# ---- the other architecture ----
if command -v aarch64-linux-gnu-gcc >/dev/null; then
    cat >arm.c <<'END'
static __attribute__((noinline)) int leaf(int n)
{
    __asm__ volatile("" : "+r"(n));
    return n + 1;
}
__attribute__((noinline)) int spawns(int n)
{
    int k = leaf(n);
    return k * 2;
}
END
    mkdir else/arm
    aarch64-linux-gnu-gcc -O1 -g -fPIC -shared -nostdlib -Wl,--build-id arm.c -o else/arm/libarm.so
    call=$(aarch64-linux-gnu-objdump -d else/arm/libarm.so |
        sed -n '/<spawns>:/,/ret/s/^ *\([0-9a-f]*\):.*bl.*/\1/p')
    BUILD_ID=$(build_id else/arm/libarm.so) \
        ./gen sites /arm/libarm.so 0x7f0000 0x7f0000 0x7fffff \
        arm=0x$(printf %x $((0x7f0000 + 0x$call + 4))) >arm.prof
    arm='.sites[] | select(.construct == "arm") | [.function, .line]'
    json elsewhere-arm "$arm" '["spawns",8]' arm.prof --symbols else/arm
    "$prof" archive --symbols else/arm arm.prof 2>err
    json elsewhere-arm-archive "$arm" '["spawns",8]' arm.prof.tar.gz
    tar xzOf arm.prof.tar.gz --wildcards '*/.build-id/*' >arm.so
    readelf -h arm.so >arm.txt
    has elsewhere-arm-machine AArch64 arm.txt
else
    skip elsewhere-arm "no gcc for aarch64"
fi
