# errors.sh - a part of run.sh: what is wrong is one line, and status 2. So is each number of a
# profile that leads nowhere.
profiles basic empty none random
bad() { # KIND WORDS: what gen makes of KIND is refused with WORDS
    ./gen bad "$1" >bad.prof || fail "bad-$1" 'not generated'
    one_line "bad-$1" "bad.prof: .*$2" "$prof" report bad.prof
}
while read -r kind words; do bad "$kind" "$words" </dev/null; done <<'END'
version version 2
count outside the file
count-wrap outside the file
offset outside the file
align aligned
overlap overlaps
twice two sections
entry too short
zero-entry outside the file
totals missing
strings missing
sections sizes
header sizes
table sizes
size truncated
crc checksum
unterminated terminated
END
for kind in exe string-edge site parent id node-parent node-root node-two-roots node-kind \
    node-sample node-order node-context construct build-id region ns-den whatif-name \
    whatif-candidate whatif-factor whatif-terms whatif-first whatif-none typical-context \
    typical-order chunks-order chunks-context teams-order teams-context teams-none \
    handed-order handed-context handed-none ranks-host ranks-beyond \
    ranks-none ranks-sampled ranks-node ranks-region; do
    bad $kind reference
done
for kind in context order kind octave none phases alone; do
    bad idle-$kind 'damaged: idle intervals$'
done
for kind in site context order none time count over; do
    bad awaited-$kind 'waits for ranks make no sense'
done
bad idle-sum 'idle intervals are not the idle time'
for kind in typical-span typical-twice typical-none typical-more typical-short; do
    bad $kind 'typical span or outliers'
done
for kind in width long bins twice headless rows name row bin order none; do
    bad timeline-$kind 'the timeline makes no sense'
done
for kind in unit long-unit twice headless no-timeline node late weight kind seen-on seen-off; do
    bad timed-$kind 'the times of samples make no sense'
done
for kind in twice headless no-timeline bin order samples most mean; do
    bad ready-$kind 'the numbers of ready tasks make no sense'
done
for kind in twice headless number order threads wall unit quota; do
    bad cpus-$kind 'the CPUs make no sense'
done
: >none.prof
truncate -s 3G sparse.prof
head -c 100000 /dev/urandom >random.prof
one_line empty-file 'none.prof: empty file' "$prof" report none.prof
one_line sparse-file 'sparse.prof: not a libprof profile' "$prof" report sparse.prof
one_line random-file 'not a libprof profile' "$prof" report random.prof
one_line no-file 'missing.prof: No such file' "$prof" report missing.prof
mkdir of-none of-one of-many
cp basic.prof of-one/a.prof
for age in 3 1 4 2; do
    cp basic.prof of-many/$age.prof && touch -d "$age minutes ago" of-many/$age.prof
done
ln -s ../of-one of-many/link.prof
echo >of-many/.hidden.prof
one_line directory 'of-none: a directory without a [*].prof$' "$prof" report of-none
if has_page; then
    one_line directory-of-one 'of-one/: a directory; its profile is of-one/a.prof$' \
        "$prof" view of-one/
else
    skip directory-of-one 'built without its page'
fi
one_line directory-of-many 'of-many: a directory with 4 profiles, newest first: of-many/1.prof, '\
'of-many/2.prof, of-many/3.prof, ...$' "$prof" report of-many
newline=$(printf 'of-none/a\nb.prof')
cp basic.prof "$newline"
one_line directory-hostile 'its profile is of-none/a.x0ab.prof$' "$prof" report of-none
# an option has its whole name: a cut one must not become another, with a value
one_line option-cut "'--repor'; did you mean --report-to?\$" "$prof" run --repor -- true
one_line option-cut-flag "'--no-rep'; did you mean --no-report?\$" "$prof" run --no-rep -- true
one_line option-cut-value "'--lim'; did you mean --limit?\$" "$prof" report --lim=3 basic.prof
one_line option-cut-several "'--al'; did you mean --all-frames or --all?\$" "$prof" report --al
one_line option-cut-order "'--met'; did you mean --metric?\$" "$prof" annotate basic.prof --met work
one_line device 'not a regular file' "$prof" report /dev/zero
{ cat basic.prof; echo; } >tail.prof
one_line appended 'bytes follow' "$prof" report tail.prof
mkdir nothing
one_line no-profile 'no \*.prof' sh -c "cd nothing && '$prof' report"
one_line whatif-bad-factor '--factor 1: a number' "$prof" whatif -x 1 basic.prof
one_line whatif-bad-target '--target many: a number' "$prof" whatif -t many basic.prof
one_line whatif-two-files 'one profile' "$prof" whatif basic.prof empty.prof
one_line whatif-no-program 'which program' "$prof" whatif --
one_line bad-sort 'the keys are span, work' "$prof" report --sort colour basic.prof
one_line bad-measure 'the kinds are' "$prof" report --measure ' ' basic.prof
one_line bad-limit 'not a number' "$prof" report --limit -1 basic.prof
one_line bad-option 'unrecognized option' "$prof" report --nonsense basic.prof
one_line bad-output 'No such file' "$prof" report -o /nonexistent/x basic.prof
one_line bad-command 'no such command' "$prof" frobnicate
one_line run-nothing 'which program' "$prof" run
one_line run-bad-env 'KEY=VALUE' "$prof" run -e nonsense true
[ -w /dev/full ] && status full-disk 2 sh -c "'$prof' report basic.prof >/dev/full"
status one-bad-of-two 2 "$prof" report --full none.prof basic.prof
has the-good-one-is-shown 'Parallelism  *4.00' out
status version 0 "$prof" --version
has version-text '^prof (libprof) [0-9]' out
for command in run report annotate diff check merge view export archive doctor; do
    status help-$command 0 "$prof" help $command
    has help-$command-text "^usage: prof $command" out
done
