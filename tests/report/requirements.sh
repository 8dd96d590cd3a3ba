# requirements.sh - a part of run.sh: requirements and regressions whose verdicts are known.
# basic.prof: work 1 s, span 250 ms, parallelism 4, 2000 tasks, 100 ms idle of 2 x 600 ms.
profiles basic bound counter empty hostile names wide
four_runs
lines_profile
check() { "$prof" check "$@" 2>/dev/null; }
verdicts() { check -f json "$@" | jq -r '(.requirements + .regressions)[].verdict' | paste -sd, -; }
# A table of "NAME VERDICT REQUIREMENT", with "_" for a blank of VERDICT: all at once, of FILE.
asks() { # FILE... <TABLE
    cat >asked.txt
    while read -r name want requirement; do set -- -r "$requirement" "$@"; done <asked.txt
    check -f json "$@" | jq -r '.requirements | reverse[].verdict' | tr ' ' _ >verdicts.txt
    while read -r name want requirement <&3 && read -r got <&4; do
        equal "check-$name" "$want" "$got"
    done 3<asked.txt 4<verdicts.txt
    equal "check-table-$name" "$(grep -c '' asked.txt)" "$(grep -c '' verdicts.txt)"
}
# Every operator where the value is hit, and on both sides of it. Units, and other names of figures;
# 100 / 1200 ms are 8.33 %.
asks basic.prof <<'END'
less-below met tasks < 2001
less-same not_met tasks < 2000
less-above not_met tasks < 1999
at-most-below met tasks <= 2001
at-most-same met tasks <= 2000
at-most-above not_met tasks <= 1999
more-below not_met tasks > 2001
more-same not_met tasks > 2000
more-above met tasks > 1999
at-least-below not_met tasks >= 2001
at-least-same met tasks >= 2000
at-least-above met tasks >= 1999
equal-below not_met tasks == 2001
equal-same met tasks == 2000
equal-above not_met tasks == 1999
unequal-below met tasks != 2001
unequal-same not_met tasks != 2000
unequal-above met tasks != 1999
ratio met parallelism >= 4
ratio-not not_met parallelism >= 4.000001
s met work == 1s
ms met span<=250ms
us not_met span < 250000us
ns met span >= 250000000 ns
fraction met span < 0.2500001s
percent met idle < 8.34%
percent-not not_met idle < 8.33%
idle-time met idle == 100ms
key met burdened_span_ns == 260ms
blank met burdened parallelism < 3.847
divisible met parallelism_divisible == 4
strand met strand == 200us
no-samples unknown overhead < 5%
END
check -r 'parallelism >= 4.001' -r 'span < 250ms' basic.prof >found.txt
has check-digits '^  NOT MET  parallelism >= 4.001  *4$' found.txt
has check-digits-same '^  NOT MET  span < 250ms  *250 ms$' found.txt

# What a profile leaves open. bound.prof crashed: its span of 250 ms is what it was so far.
asks counter.prof <<'END'
counter met work == 1e9
absent unknown idle < 20%
END
echo 'no-span unknown parallelism >= 1' | asks empty.prof
asks bound.prof <<'END'
crashed unknown span < 251ms
crashed-not not_met span < 250ms
crashed-met met span >= 250ms
crashed-ratio unknown parallelism >= 1
END
equal check-absent-why '"counter.prof: its clock does not count time"' \
    "$(check -f json -r 'idle < 20%' counter.prof | jq .requirements[0].why)"
./gen grain note=1 >lower.prof 2>/dev/null
equal check-bounds 'lower bound,upper bound' "$(check -f json -r 'span < 1ms' -r 'parallelism > 1' \
    lower.prof | jq -r '.requirements[].certainty' | paste -sd, -)"
asks lower.prof <<'END'
lower-bound unknown span < 1s
lower-bound-met met span >= 101ms
lower-bound-not not_met span <= 100ms
upper-bound unknown parallelism >= 2
upper-bound-not not_met parallelism >= 10
upper-bound-met met parallelism < 10
END
status check-met 0 "$prof" check -r 'tasks == 2000' basic.prof
status check-not-met 1 "$prof" check -r 'tasks == 2000' -r 'tasks == 1' basic.prof
status check-unknown 3 "$prof" check -r 'work > 1' -r 'idle < 20%' counter.prof
status check-allow-unknown 0 "$prof" check --allow-unknown -r 'idle < 20%' counter.prof
status check-allow-unknown-not 1 "$prof" check --allow-unknown -r 'idle < 20%' -r 'work < 1' \
    counter.prof
status check-not-met-and-unknown 1 "$prof" check -r 'idle < 20%' -r 'work < 1' counter.prof

# Functions: f has 100 of 400 ms of work, and all of the span; its samples are +- 0.13 points.
./gen run 100 300 2 >one.prof
asks one.prof <<'END'
function met work(app+0x402000) < 25.3%
function-margin unknown work(app+0x402000) < 25.01%
function-time met work(app+0x402000) > 99ms
function-none unknown work(nowhere) < 25%
function-operator unknown work(operator>>=) < 25%
END

# The noise of the runs: f's span is 98, 100, 102, 104 ms, the mean 101 +- 4.11 ms: 3.182446 times
# the deviation 2.581989 over 2.
asks a?.prof <<'END'
noise-met met span < 105.2ms
noise-open unknown span < 105ms
noise-open-below unknown span < 97ms
noise-not not_met span < 96.8ms
END
equal check-margin 4108 "$(check -f json -r 'span < 1ms' a?.prof |
    jq '.requirements[0].margin / 1000 | floor')"
check -r 'span < 105ms' a?.prof >found.txt
has check-noise-text '^  unknown  span < 105ms  *101 ms +- 4.11 ms$' found.txt
has check-noise-sum '4 runs (a0.prof, ...): 0 of 1 met, 1 unknown' found.txt

# Regressions. One run a side: --max-regression alone.
./gen run 105 300 2 >five.prof
./gen run 105.001 300 2 >more.prof
equal check-limit met,met,met "$(verdicts -m 5% -b one.prof five.prof)"
equal check-limit-beyond 'met,not met,met' "$(verdicts -m 5% -b one.prof more.prof)"
equal check-limit-better met,met,met "$(verdicts -m 0% -b more.prof one.prof)"
equal check-limit-named 'not met' "$(verdicts -m parallelism=3.5% -b one.prof five.prof)"
equal check-limit-named-met met "$(verdicts -m parallelism=3.6% -b one.prof five.prof)"
equal check-limit-later 'met,met,met' "$(verdicts -m span=6% -m 5% -b one.prof more.prof)"
equal check-limit-figures span,work,elapsed "$(check -f json -m span=6% -m 5% -b one.prof \
    more.prof | jq -r .regressions[].figure | paste -sd, -)"
status check-limit-status 1 "$prof" check -m 5% one.prof -- more.prof
has check-limit-words '^  NOT MET  span <= baseline+5%  *100 ms -> 105 ms, +5.0 %$' out
has check-one-run 'One run a side: how far runs differ by chance is not known. Regressions are' out
# Several: b's f is 8 ms slower, beyond the noise. c's is as much slower on average, within it.
for i in 0 1 2 3; do
    ./gen run $((106 + 2 * i)) 300 2 >e$i.prof
    ./gen run $((95 + 10 * i)).5 300 2 >w$i.prof
done
equal check-noise-regression 'not met' "$(verdicts -m span=5% a?.prof -- e?.prof)"
equal check-noise-allowed met "$(verdicts -m span=8% a?.prof -- e?.prof)"
equal check-noise-none met "$(verdicts -m span=5% a?.prof -- w?.prof)"
status check-noise-none-status 0 "$prof" check -m span=5% a?.prof -- w?.prof
has check-noise-none-words 'span <= baseline+5%: the change is within the noise of the runs' out
has_not check-noise-none-one 'One run' out
status check-noise-large 0 "$prof" check -m span=1% a?.prof -- a?.prof
has check-noise-large-words 'a change as large as the limit would be within the noise' out
equal check-baselines "$(check -f json -m 5% a?.prof -- e?.prof)" \
    "$(check -f json -m 5% -b a0.prof -b a1.prof -b a2.prof -b a3.prof e?.prof)"
check -m span=5% a?.prof -- e0.prof >found.txt
has check-borrowed 'One run in the runs: its noise is taken from the other side' found.txt
equal check-margin-of-diff "$(compare a?.prof -- e?.prof |
    jq -c '.program.span_ns | [.margin, .p]')" \
    "$(check -f json -m span=5% a?.prof -- e?.prof | jq -c '.regressions[0] | [.margin, .p]')"
# The virtual clock has no noise, and elapsed time says nothing.
./gen run 100 300 2 virtual >virtual.prof
./gen run 100.1 300 2 virtual >slower.prof
equal check-virtual 'met,not met' "$(verdicts -m 0.05% -b virtual.prof slower.prof)"
check -m 0.05% -b virtual.prof slower.prof >found.txt
has_not check-virtual-noise 'by chance' found.txt
echo 'virtual-idle unknown idle < 99%' | asks virtual.prof
# A bound against an exact span: known only where it cannot be otherwise.
./gen grain span=50 >short.prof
./gen grain span=200 >long.prof
equal check-bound-worse 'not met' "$(verdicts -m span=5% -b short.prof lower.prof)"
equal check-bound-better met "$(verdicts -m span=5% -b lower.prof short.prof)"
equal check-bound-open unknown "$(verdicts -m span=5% -b lower.prof long.prof)"
equal check-bound-open-below unknown "$(verdicts -m span=5% -b long.prof lower.prof)"
equal check-bounds-alike met "$(verdicts -m span=5% -b lower.prof lower.prof)"
equal check-cut unknown "$(verdicts -m span=5% -b bound.prof bound.prof)"

# What a reader should know of the files.
END=1,3 ./gen run 100 300 2 >exit.prof
./gen run 100 300 4 tsc /nowhere/other >other.prof
check -r 'work < 1s' -m 5% -b other.prof exit.prof >found.txt
has check-exit-status '! *exit.prof: the program exited with status 3' found.txt
has check-other-program '! *The baseline is of another program, other' found.txt
has check-other-workers '! *Different numbers of workers: 4 in the baseline, 2 in the' found.txt

# Each form, with hostile names. SITE is a line of a source that is here.
odd=$(printf 'a&<b>"%%|\001\377\357\277\277.prof')
cp counter.prof "$odd"
check -f junit -r 'work > 1' -r 'work < 1' -r 'idle < 1%' -r 'work(<&">) < 1' "$odd" >junit.xml
if command -v xmllint >/dev/null; then
    equal check-junit-well-formed '' "$(xmllint --noout junit.xml 2>&1)"
    equal check-junit-counts '4 1 2' "$(xmllint --xpath \
        'concat(count(//testcase), " ", count(//failure), " ", count(//error))' junit.xml)"
    equal check-junit-name 'work(<&">) < 1' \
        "$(xmllint --xpath 'string(//testcase[4]/@name)' junit.xml)"
else
    skip check-junit "no xmllint"
fi
has check-junit-sums 'testsuites name="prof check" tests="4" failures="1" errors="2"' junit.xml
check --allow-unknown -f junit -r 'idle < 1%' "$odd" >junit.xml
has check-junit-skipped 'failures="0" errors="0" skipped="1"' junit.xml
has check-junit-skipped-case '<skipped message="idle &lt; 1%: unknown: a&amp;' junit.xml
check -f markdown -r 'work(a|b) < 1' "$odd" >found.md
has check-markdown-pipe '^| \*unknown\* | work(a\\|b) &lt; 1 | - |' found.md
check -f github -r 'work < 1' -r 'idle < 1%' "$odd" >found.txt
equal check-github "$(printf '%s\n' '::error title=prof check::work < 1: not met, 1,000,000,000' \
    "::notice title=prof check::0 of 2 met, 1 not met, 1 unknown")" \
    "$(grep -v '^::warning' found.txt)"
has check-github-percent '^::warning title=prof check::idle < 1%25: unknown: a&<b>"%25|' found.txt
check -f github -r 'work(twice) < 1ns' lines.prof >found.txt
line=$(grep -n ') void twice()$' "$here/sites.cpp" | cut -d: -f1)
has check-github-place "^::[a-z]* file=[^ ]*sites.cpp,line=$line,title=prof check::work(twice)" \
    found.txt
check -f github -r 'parallelism > 1000' lines.prof >found.txt
has check-github-path '^::error file=[^ ]*sites.cpp,line=[0-9]*,title=prof check::parallelism' \
    found.txt
GITHUB_WORKSPACE=$(cd "$here/.." && pwd) "$prof" check -f github -r 'work(twice) < 1ns' lines.prof \
    >found.txt 2>err
has check-github-repository '^::[a-z]* file=report/sites.cpp,line=' found.txt
for form in text markdown junit github json; do
    check -f $form -r 'idle < 20%' -m 5% -b hostile.prof hostile.prof "$odd" >found.txt
    has_not check-$form-clean "$(printf '[\001-\010\013-\037\177\200-\237]')" found.txt
done
for width in 60 80 120; do
    COLUMNS=$width "$prof" check -r 'work(a_long_name_of_a_function_with_many_words) < 30%' -m 5% \
        a?.prof -- e?.prof >found.txt 2>err
    equal check-width-$width '' "$(awk -v w=$width 'length > w' found.txt)"
done

# What is wrong is one line, and status 2.
one_line check-unknown 'paralelism is no figure; did you mean parallelism?' \
    "$prof" check -r 'paralelism >= 8' basic.prof
one_line check-unknown-far 'colour is no figure (prof check --list lists them)' \
    "$prof" check -r 'colour >= 8' basic.prof
one_line check-unknown-limit 'spam is no figure; did you mean span?' \
    "$prof" check -m spam=5% -b basic.prof basic.prof
one_line check-operator 'a figure, an operator and a value' "$prof" check -r parallelism basic.prof
one_line check-value '8q is no number' "$prof" check -r 'parallelism >= 8q' basic.prof
one_line check-no-value 'nothing is no number' "$prof" check -r 'parallelism >=' basic.prof
one_line check-ratio-unit 'without a unit' "$prof" check -r 'parallelism >= 8%' basic.prof
one_line check-no-share 'span is no share, but a time' "$prof" check -r 'span < 8%' basic.prof
one_line check-no-unit 'idle is a time, such as 20ms, or a share' \
    "$prof" check -r 'idle < 8' basic.prof
status check-cost-unit 2 "$prof" check -r 'span < 8' basic.prof
has check-cost-unit-line '^prof: span < 8: span is a time, such as 20ms' err
status check-counter-unit 2 "$prof" check -r 'work < 8ms' counter.prof
has check-counter-unit-line '^prof: work < 8ms: the clock counts instructions, so work is a' err
one_line check-function-figure 'functions have work, span' \
    "$prof" check -r 'steals(f) < 1' basic.prof
one_line check-limit-percent '5 is no percentage' "$prof" check -m 5 -b basic.prof basic.prof
one_line check-limit-neutral 'workers is neither good nor bad' \
    "$prof" check -m workers=5% -b basic.prof basic.prof
one_line check-nothing 'what shall be checked' "$prof" check basic.prof
one_line check-no-baseline 'with a --baseline: which' "$prof" check -m 5% basic.prof
one_line check-no-limit 'how much worse' "$prof" check -b basic.prof basic.prof
one_line check-baseline-missing 'missing.prof: No such file' \
    "$prof" check -m 5% -b missing.prof basic.prof
one_line check-run-missing 'missing.prof: No such file' "$prof" check -r 'work < 1s' missing.prof
one_line check-format 'the formats are text' "$prof" check -f colour -r 'work < 1s' basic.prof
one_line check-figures 'the figures are elapsed, cpu, work' "$prof" check -r '?' basic.prof
status check-units 2 "$prof" check -m 5% -b basic.prof counter.prof
has check-units-line '^prof: the baseline counts ns and the runs instructions' err
one_line check-overwrites 'prof does not overwrite it' "$prof" check -o basic.prof -r 'work < 1s' \
    one.prof
status check-list 0 "$prof" check --list
has check-list-text '^parallelism  *number   work / span' out
equal check-list-width '' "$(awk 'length > 80' out)"
equal check-list-all "$(grep -c '' out)" \
    "$(($("$prof" check -r '?' x 2>&1 | tr -cd , | wc -c) + 9))"
mkdir -p check-newest && cp basic.prof check-newest/
status check-newest 0 sh -c "cd check-newest && '$prof' check -r 'tasks == 2000'"
[ -w /dev/full ] && status check-full-disk 2 sh -c "'$prof' check -r 'work > 0s' a0.prof >/dev/full"
if [ -n "$vg" ]; then
    status valgrind-check 1 $vg "$prof" check -r 'work(app+0x402000) < 1%' -m span=9% -m 5% \
        a0.prof a1.prof -- a2.prof e0.prof
    has_not valgrind-check-silent '^==' err
    status valgrind-check-json 3 $vg "$prof" check -f json -r 'work(x) < 1%' -r 'idle < 5%' \
        names.prof wide.prof
    status valgrind-check-wrong 2 $vg "$prof" check -r 'work(x) < 1%' -r 'spam < 5%' names.prof
    has_not valgrind-check-wrong-silent '^==' err
fi
