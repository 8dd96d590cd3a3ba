# first.sh - sourced by check.sh: the first minutes with the source. What is missing is said at
# once, a build uses all processors, prof names no command that does not work.
fresh_make() { env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS "$@"; }

# ---- make help: each target ----
phony=$(sed -n '/^\.PHONY:/,/[^\\]$/p' "$top/Makefile" | tr ' \t' '\n\n' | grep '^[a-z-]*$')
make -s -C "$top" help >help 2>&1
result help-targets "$(for target in $phony; do
    grep -qw -e "$target" help || echo "not $target"
done)"
result help-words "$(awk 'length($0) > 100 { print "too long: " $0 }' help
    for target in all demo install deb dist rpm view help; do
        grep -q "^  $target  *[a-z]" help || echo "no words on $target"
    done)"
cat >help.mk <<'M'
# Head.

## above
above: all
beside: all ## beside
.PHONY: above beside \
	none
none two: all
M
equal help-places 'Head.  above above beside beside also: none' \
    "$(awk -f "$top/docs/help.awk" help.mk | tr -s ' \n' ' ' | sed 's/Head. /Head.  /; s/ $//')"

# ---- a fresh system: no package, no compiler ----
mkdir -p empty && printf '#!/bin/sh\nexit 1\n' >empty/dpkg-query && chmod 755 empty/dpkg-query
for target in deb dist rpm; do
    PATH=$tmp/empty:$PATH fresh_make make -C "$top" O="$tmp/none" CC=no-such-gcc $target \
        >fresh 2>&1 && echo 'it went on' >>fresh
    words="^make $target: .*make deps-$target.*apt-get install .*libunwind-dev"
    result "fresh-$target" "$(grep -q "$words" fresh && [ "$(grep -c '' fresh)" -le 4 ] &&
        ! grep -q 'it went on' fresh &&
        [ ! -e none ] || cat fresh)"
done
result fresh-names "$(for word in deb:dpkg-dev dist:libbz2-dev rpm:' rpm'; do
    PATH=$tmp/empty:$PATH make -C "$top" "${word%%:*}" 2>&1 | grep -q "${word#*:}" ||
        echo "not $word"
done)"
PATH=$tmp/empty:$PATH fresh_make make -C "$top" O="$tmp/none" CC=no-such-gcc >fresh 2>&1
result fresh-all "$(grep -q 'make deps.*apt-get install .*libunwind-dev' fresh && [ ! -e none ] &&
    [ "$(wc -l <fresh)" -le 3 ] || cat fresh)"
result fresh-quiet "$(make -s -C "$top" CC=no-such-gcc help 2>&1 >/dev/null)"
# a package that another one provides is there
printf '#!/bin/sh\necho "other installed a (= 1), b"\necho "c deinstalled "\n' >empty/dpkg-query
printf 'include %s/Makefile\nprint: ; @echo $(call missing,a b other c)\n' "$top" >missing.mk
equal missing-provided 'c' "$(PATH=$tmp/empty:$PATH make -s -f missing.mk -I "$top" print 2>&1 |
    tail -1)"

# ---- all processors ----
flags() {
    fresh_make make -C "$top" -pn "$@" 2>/dev/null |
        sed -n 's/^MAKEFLAGS.* \(-j[0-9]*\).*/\1/p' | head -1
}
equal jobs "-j$(nproc)" "$(flags O="$build" all)"
equal jobs-demo "-j$(nproc)" "$(flags -o deps-demo demo)"
equal jobs-given "-j1" "$(flags -j1 O="$build" all)"
equal jobs-not '' "$(flags lint)"

# ---- a file by its name from here, and by its whole name: the same is made ----
commands() { fresh_make make -C "$top" -n "$@" 2>&1 | cksum; }
real=$(cd "$top" && pwd -P)
case $real in
*' '*) echo "SKIP package/whole-name: no goal of make may have a blank" ;;
*) equal whole-name "$(commands O=none none/prof)" "$(commands O="$real/none" "$real/none/prof")" ;;
esac

# ---- why npm failed ----
why() { printf "$1" | awk -f "$top/report/view/reason.awk"; }
equal npm-network 'request to https://r/uplot failed, reason: getaddrinfo ENOTFOUND r' "$(why \
    'npm ERR! code ENOTFOUND
npm ERR! errno ENOTFOUND
npm ERR! network request to https://r/uplot failed, reason: getaddrinfo ENOTFOUND r
npm ERR! network This is a problem related to network connectivity.

npm ERR! A complete log of this run can be found in:
npm ERR!     /root/.npm/_logs/x.log
')"
equal npm-usage 'needs a lock' "$(why 'npm error code EUSAGE\nnpm error\nnpm error needs a lock
npm error A complete log of this run can be found in: /root/x.log\n')"
equal npm-node 'Error: Cannot find module a' "$(why 'x.mjs:1\n throw e;\n
Error: Cannot find module a
    at b (c:1)\n')"
equal npm-shell 'sh: 1: npm: not found' "$(why 'sh: 1: npm: not found\n')"

# ---- prof without its page does not name prof view ----
mkdir -p bare && cp -a "$build/obj" "$build/gen" bare/ &&
    make -s -C "$top" O="$tmp/bare" VIEW=0 "$tmp/bare/prof" >log 2>&1 ||
    result bare "$(tail -3 log)"
"$build/prof" run -o next.prof --report-to with -- "$build/examples/fib" -t 2 25 >out 2>err
PROF_LIBRARY=$build/libprof.so bare/prof report next.prof >without 2>&1
result bare-next "$(grep -q 'Next: prof report --full' without && ! grep -q 'prof view' without ||
    tail -2 without)"
