# checks.jq - what the cases of check.sh ask of a profile, as `prof report --json` shows it. Each
# function prints nothing, or what is wrong.

def wrong(condition; words): if condition then words else empty end;
def functions(name): .functions[] | select(.function == name);
def all_of(name; key): [functions(name) | .all[key]] | add // 0;
def idleness_of(name): all_of(name; "idleness_ns");

# NAME's samples are what NS of CPU time make them. The timer is regular, so the interval is narrow.
def samples_are(name; $ns; $key):
    all_of(name; $key) as $n | ($ns / .sampling.period_ns) as $want |
    wrong(($n - $want | fabs) > 3.3 * ($want | sqrt) + 1; "\(name): \($n) \($key) for \($want)");

# One late sample stands for several: it says no more than one.
def late:
    .sampling |
    wrong(.samples_on_span < 100; "\(.samples_on_span) samples"),
    wrong(.equal_samples_on_span > 0.8 * .samples_on_span;
        "\(.samples_on_span) samples say as much as \(.equal_samples_on_span)"),
    wrong(.equal_samples > 0.8 * .samples;
        "\(.samples) samples say as much as \(.equal_samples)");

def late_or_on_time:
    .sampling | if .samples > 1.5 * .equal_samples then "late" else "on_time" end;

# $phase: what `phases` of check.sh makes of the program's own times. While one works the others
# idle: that is burn_alone's fault, as long as it took, and burn_together's only where some of its
# tasks end later than others. Before and after that the program was one strand.
def idleness($p; $phase):
    def of(name): $phase[name] | .wall * $p - .tasks;
    def outside: .program.elapsed_ns - ([$phase[].wall] | add);
    idleness_of("burn_alone") as $alone | ([.functions[].self.idleness_ns] | add) as $all |
    (.ledger | .search_ns + .sleep_ns) as $idle | (of("alone") + of("together")) as $want |
    ($want + of("warm") + ($p - 1) * outside) as $most | (of("alone") / $want) as $share |
    wrong(($alone / $all - $share | fabs) > 0.1;
        "burn_alone has \($alone / $all) of the idleness for \($share)"),
    wrong($idle < 0.97 * $want or $idle > 1.03 * $most; "idle \($idle) for \($want) to \($most)");

# A thread that waits and is no worker neither works nor idles.
def bystander($phase):
    idleness_of("burn_alone") as $alone | $phase.alone.wall as $wall |
    (.program.elapsed_ns - ([$phase[].wall] | add) +
        ([$phase[] | 2 * .wall - .tasks] | add)) as $want |
    wrong(($alone - $wall | fabs) > 0.1 * $wall;
        "burn_alone has \($alone) ns of idleness for \($wall)"),
    wrong((.program.idle_ns - $want | fabs) > 0.03 * $want;
        "idle \(.program.idle_ns) for \($want)");

# Without a runtime P is how many threads worked at once. $own: the program's own times.
def threads($own):
    (3 * $own.alone + 4 * $own.together - $own.threads) as $want |
    (.ledger | .search_ns + .sleep_ns + .without_thread_ns) as $idle |
    wrong(.program.workers != 4; "\(.program.workers) workers for 4"),
    wrong(($idle - $want | fabs) > 0.05 * $want; "idle \($idle) for \($want)"),
    wrong((.program.idle_ns - $idle | fabs) > 0.05 * $idle;
        "idle \(.program.idle_ns) beside \($idle)"),
    wrong(.ledger.extra_threads_ns < -0.01 * $idle;
        "\(.ledger.extra_threads_ns) ns of threads too many"),
    ([("serial", "longer", "shorter") as $f | idleness_of($f)] as [$serial, $longer, $shorter] |
    wrong($serial < 2 * $shorter or $longer < 2 * $shorter;
        "idleness: serial \($serial), longer \($longer), shorter \($shorter)"));

# By how much the ledger's CPU time exceeds the kernel's, as a share. What the process needed before
# libprof, and for libprof's start and end, is known, and in no row of the ledger.
def gap_to_the_kernel: .ledger |
    .on_cpu_ns / (.kernel_cpu_ns - .cpu_before_libprof_ns - .cpu_of_start_and_end_ns) - 1;

def on_cpu_is_the_kernels: gap_to_the_kernel as $gap |
    wrong(($gap | fabs) > 0.02; "ledger: on the CPU \($gap) beside the kernel");

def span:
    all_of("burn_off_path"; "samples_on_span") as $off |
    wrong($off > 0; "\($off) samples of burn_off_path on the critical path"),
    (([.functions[].self.span_ns] | add) as $sum |
    wrong(($sum - .program.span_ns | fabs) > 100; "span \($sum) for \(.program.span_ns)")),
    on_cpu_is_the_kernels;

def short_strands:
    wrong(.sampling.source != "task-clock"; "source \(.sampling.source)"),
    (all_of("alone"; "span_ns") / .program.span_ns) as $share |
    wrong($share < 0.8 or $share > 0.93; "alone has \($share) of the critical path");

def ended($cpu):
    wrong(.program.work_ns < 0.9 * $cpu or .program.work_ns > 1.1 * $cpu;
        "work \(.program.work_ns) of \($cpu)"),
    wrong(.program.span_ns > .program.work_ns; "span \(.program.span_ns)");

def fed:
    all_of("burn_fed"; "samples_on_span") as $on | all_of("burn_fed"; "samples") as $all |
    wrong($on < 50 or $on < 0.95 * $all; "\($on) of \($all) samples on the critical path");

def turns:
    all_of("inside"; "samples_on_span") as $inside |
    all_of("outside"; "samples_on_span") as $outside |
    wrong($inside < 100 or $outside > 0.05 * $inside;
        "\($inside) samples of inside and \($outside) of outside on the critical path");

# The paths' blocked time and libprof's own time are those of the ledger. Wants --paths.
def paths_add_up:
    ([.paths[].self.blocked_ns] | add) as $blocked | ([.paths[].self.own_ns] | add) as $own |
    wrong(($blocked - .ledger.blocked_ns | fabs) > 1000;
        "\($blocked) of \(.ledger.blocked_ns) blocked"),
    wrong($own != .program.own_ns; "\($own) of \(.program.own_ns) own");

# Most of the time off the CPU is explained, and of what is a wait most is of $kind. The main thread
# may wait otherwise.
def waits_are($kind):
    .ledger.blocked_ns as $all | .off_cpu.waits_ns | ([.[]] | add) as $found |
    wrong($found < 0.8 * $all or $found > 1.1 * $all; "\($found) ns explained of \($all)"),
    wrong(.[$kind] < 0.5 * ($found - .cpu); "\(.[$kind]) ns of \($kind) in \(.)"),
    wrong(.other > 0.05 * $found; "\(.other) ns of no kind");

def was_preempted:
    .ledger.blocked_ns as $all | .off_cpu.switches |
    wrong(.preempted_ns < 20 * .wakeup_ns or .involuntary < 20; "not preempted: \(.)");

def was_woken:
    .off_cpu.switches | wrong(.voluntary < 100; "not voluntary: \(.)"),
    wrong(.preempted_ns > .wakeup_ns + 5000000; "preempted: \(.)");

def had_no_cpu:
    .ledger | .run_delay_ns / .blocked_ns |
    wrong(. < 0.7 or . > 1; "had no CPU for \(.) of the time off it");

# $delay: ns for which the main thread had no CPU, alone. Another thread had none for a while, too.
def had_delay($delay):
    .ledger | wrong(.run_delay_ns < 0.9 * $delay or .run_delay_ns > 1.05 * .blocked_ns;
        "\(.run_delay_ns) ns without a CPU for \($delay), of \(.blocked_ns) off it"),
    wrong(.sleep_run_delay_ns > 0.2 * $delay; "\(.sleep_run_delay_ns) ns of it between strands");

# $delay: ns for which all threads but the main thread had no CPU.
def had_delay_in_all($delay):
    .ledger | wrong(.run_delay_ns < 0.9 * $delay or .run_delay_ns > 1.1 * $delay + 20000000;
        "\(.run_delay_ns) ns without a CPU for \($delay), of \(.blocked_ns) off it");

# $loaded, $computed: how long the program waited for input, and computed alone.
def waits($loaded; $computed):
    all_of("load"; "blocked_ns") as $blocked | idleness_of("load") as $waits |
    idleness_of("compute") as $alone | ($waits / ($waits + $alone + 1)) as $share |
    ($loaded / ($loaded + $computed)) as $want |
    wrong(($blocked / $loaded - 1 | fabs) > 0.1; "load blocked \($blocked) ns for \($loaded)"),
    wrong(.ledger.run_delay_ns + $blocked > 1.05 * .ledger.blocked_ns;
        "\(.ledger.run_delay_ns) ns without a CPU, of \(.ledger.blocked_ns)"),
    wrong(($share - $want | fabs) > 0.1; "load has \($share) of the idleness for \($want)"),
    wrong($waits + $alone < 0.8 * .ledger.sleep_ns;
        "\($waits) and \($alone) of \(.ledger.sleep_ns) idle"),
    on_cpu_is_the_kernels;

# The span of scenario NAME is that share of the program's, within 5 points.
def scenario(name; $share):
    (.whatif.scenarios[] | select(.name == name)) as $s | ($s.span_ns / .program.span_ns) as $is |
    wrong(($is - $share | fabs) > 0.05; "\(name): \($is) of the span for \($share)");
def some_scenarios: wrong((.whatif.scenarios | length) == 0; "no scenarios");

def deep:
    wrong(.sampling.samples < 20; "only \(.sampling.samples) samples"),
    (functions("deep") | .all.work_ns / 1e6 | wrong(. < 150; "deep has \(.) ms"));

# Samples that were left out count with the next one.
def grow:
    (.sampling.samples * .sampling.period_ns / .program.work_ns) as $part |
    wrong(.sampling.source == "task-clock" and ($part < 0.6 or $part > 1.6);
        "the samples are \($part) of the work");

# A stripped program's functions are told apart: burn_first and burn_second, 3 : 7.
def stripped:
    [.functions[] | select(.function | startswith("bare+0x")) | .self.samples_on_span |
        select(. > 30)] | sort |
    wrong(length != 2 or .[1] < 1.5 * .[0] or .[1] > 3.6 * .[0];
        "functions with \(.) samples on the critical path");

def source_is($source):
    wrong(.sampling.source != $source; "source \(.sampling.source)"),
    wrong($source != "" and .sampling.samples == 0; "no samples");

# $used: the CPU time that the program saw itself use.
def filtered($used):
    wrong(.program.work_ns < 0.9 * $used; "work \(.program.work_ns) for \($used)"),
    wrong((.ledger.kernel_cpu_ns // 0) > 100 * $used;
        "the kernel counted \(.ledger.kernel_cpu_ns)");

# One of these causes is found at this function.
def found(name; $ids):
    [.findings[] | select(.place.function == name) | .id] |
    wrong(any(. as $id | any($ids[]; . == $id)) | not; "\(name): \(.) for \($ids)");
def found_none($ids):
    [.findings[] | select(.id | IN($ids[])) | [.id, .place.function]] |
    wrong(length > 0; "found: \(.)");

# A loop that asks its runtime for the time is the program's, as is what answers it.
def polling:
    [.functions[] | select(.function == "polls") | .all] as $polls |
    wrong($polls | length != 1 or .[0].work_ns == 0; "\($polls | length) polls"),
    wrong($polls[0].overhead_ns > $polls[0].work_ns / 50; "\($polls[0])");

# What the process needed before and beside a short run is known.
def short_ledger:
    gap_to_the_kernel as $gap |
    (.ledger | wrong(($gap | fabs) > 0.01; "on the CPU \($gap) beside the kernel"),
    wrong(.cpu_before_libprof_ns <= 0 or .cpu_of_start_and_end_ns <= 0;
        "before: \(.cpu_before_libprof_ns), start: \(.cpu_of_start_and_end_ns)")),
    wrong((.ledger | .search_ns + .sleep_ns + .without_thread_ns | round) != .program.idle_ns;
        "idle: \(.program.idle_ns)");

def sampled_with_signals_blocked:
    wrong(all_of("burn_masked"; "samples") < 30;
        "a thread that blocks all signals is not sampled");

# ROW's samples of KIND whose bins begin from FROM to TO ms, in ms.
def ms(row; $kind; $sample; $from; $to):
    .timeline.bin_ns as $bin |
    [.timeline.rows[] | select(row) | . as $r | range($r.bin | length) |
        select($r.bin[.] * $bin >= $from * 1e6 and $r.bin[.] * $bin < $to * 1e6) |
        $r[$kind][.]] | (add // 0) * $sample / 1e6;

# The bins have all samples, each once.
def timeline_sums:
    def all(kind): [.timeline.rows[] | kind[]] | add;
    .sampling as $s |
    (all(.work) + all(.overhead) + all(.own)) as $in |
    wrong($in != $s.samples + $s.samples_in_libprof; "\($in) samples in strands"),
    wrong(all(.between) != $s.samples_outside_strands; "\(all(.between)) samples outside"),
    wrong(all(.blocked) != $s.off_cpu_samples; "\(all(.blocked)) off-CPU samples");

# $phase: the rows of phases.c, [end, CPU time of main, of its helper], in ns. A bin may lie on the
# end of a phase, and libprof starts some ms before main.
def timeline($phase):
    .timeline as $t | [$phase[] | map(. / 1e6)] as $p |
    def main: .kind == "main";
    def near($have; $want; words):
        wrong($have < 0.8 * $want - 20 or $have > 1.2 * $want + 20;
            "\(words): \($have) ms for \($want)");
    near(ms(main; "work"; $t.on_cpu_sample_ns; 0; $p[0][0]); $p[0][1]; "works"),
    near(ms(main; "blocked"; $t.off_cpu_sample_ns; $p[0][0]; $p[1][0]); $p[1][0] - $p[0][0];
        "sleeps"),
    near(ms(main; "work"; $t.on_cpu_sample_ns; $p[0][0] + 20; $p[1][0] - 10); 0; "works asleep"),
    near(ms(main; "work"; $t.on_cpu_sample_ns; $p[1][0]; 1e9); $p[2][1]; "works again"),
    near(ms(.name == "helper"; "work"; $t.on_cpu_sample_ns; $p[1][0]; 1e9); $p[2][2]; "helps"),
    timeline_sums;

# ---- the data of prof view ----
# By path of the page's columns: is it at or below function NAME? FUNCTION is NAME's index.
def below(name): .columns as $c | ($c.names | index(name)) as $function |
    reduce range($c.paths.parent | length) as $i ([]; . + [$c.paths.function[$i] == $function or
        ($i > 0 and .[$c.paths.parent[$i]])]);
# The weights of samples with times, by enum lpf_timed_kind, that are below NAME (null: all), and
# whose bins lie from FROM to TO ns.
def weights(name; $kind; $from; $to):
    (if name then below(name) else null end) as $in |
    .timeline.bin_ns as $ns | .columns.timed as $t |
    [range($t.path | length) | select($t.off_cpu[.] == $kind and $t.bin[.] * $ns >= $from and
        ($t.bin[.] + $t.more[.] + 1) * $ns <= $to and (($in == null) or $in[$t.path[.]])) |
        $t.weight[.]] | add // 0;
# Of the samples of KIND from FROM to TO, at least 95 % are below NAME.
def mostly(name; $kind; $from; $to):
    weights(name; $kind; $from; $to) as $n | weights(null; $kind; $from; $to) as $all |
    wrong($n == 0 or $n < 0.95 * $all; "\(name): \($n) of \($all)");
# All samples below NAME of KIND, and there are about NS of them.
def in_all(name; $kind; $ns):
    (weights(name; $kind; 0; 1e18) * (.timeline |
        if $kind == 0 then .on_cpu_sample_ns else .off_cpu_sample_ns end)) as $have |
    wrong($have < 0.9 * $ns - 2e7 or $have > 1.1 * $ns + 2e7; "\(name): \($have) ns for \($ns)");
# All samples have times, but libprof's own, and the entries' weights add up.
def timed_sums:
    .columns.timed as $t | .sampling as $s |
    wrong(($t | .on_cpu_samples.kept != .on_cpu_samples.seen or
        .off_cpu_samples.kept != .off_cpu_samples.seen); "not all are kept"),
    wrong(weights(null; 0; 0; 1e18) != $s.samples; "\(weights(null; 0; 0; 1e18)) on the CPU"),
    wrong(weights(null; 1; 0; 1e18) != $s.off_cpu_samples; "\(weights(null; 1; 0; 1e18)) off it");
# $half: what halves.c prints.
def timed_first($half):
    mostly("first"; 0; 0; 0.8 * $half.middle),
    mostly("nap"; 1; 0; 0.8 * $half.middle),
    in_all("first"; 0; $half.first),
    in_all("nap"; 1; $half.middle),
    timed_sums;
def timed_second($half):
    mostly("second"; 0; $half.middle + 3e7; 1e18),
    in_all("second"; 0; $half.second),
    timed_sums;
def timed($half): timed_first($half), timed_second($half);

# What ready.cpp prints: $first, when its tasks were spawned, and $began, when each of them began,
# in ns. How many were ready at T, and how many there may have been from $a to $b.
def ready_at($first; $began; $t):
    if $t < $first then 0 else ($began | length) - ([$began[] | select(. <= $t)] | length) end;
def ready_from($first; $began; $a; $b):
    if $a < $first and $b >= $first then [0, ($began | length)]
    else [ready_at($first; $began; $b), ready_at($first; $began; $a)] end;

# The bins have the tasks that were ready. libprof starts some ms before the program: so a bin's
# time is wrong by one bin at most.
def ready($first; $began):
    .timeline as $t | $t.ready as $r | $t.bin_ns as $w |
    [range($r.bin | length) | . as $i | $r.bin[$i] as $bin |
        ready_from($first; $began; ($bin - 1) * $w; ($bin + 2) * $w) + [$r.mean[$i], $r.most[$i]]]
        as $bins |
    ($bins[] | select(.[2] < .[0] - 1 or .[3] > .[1]) |
        "\(.[2]) ready, at most \(.[3]), where \(.[0]) to \(.[1]) were"),
    wrong(([$bins[] | select(.[0] > 0)] | length) < 10; "few bins have tasks"),
    wrong(($r.most | max) < 0.9 * ($began | length);
        "at most \($r.most | max) of \($began | length)"),
    wrong($r.most[-1] != 0; "\($r.most[-1]) ready at the end"),
    wrong($r.unknown_tasks != 0; "\($r.unknown_tasks) are not known");

# None was ever ready, and of $unknown tasks it is not known.
def never_ready($unknown):
    .timeline.ready |
    wrong((.most | length) < 10; "\(.most | length) bins"),
    wrong((.most | add) != 0; "\(.most | max) were ready"),
    wrong(.unknown_tasks != $unknown; "\(.unknown_tasks) of \($unknown) are not known");

def ready_is_not_said: wrong(.timeline == null or .timeline.ready; "\(.timeline.ready)");

# Workers idle for less than 50 us at a time, or for more than 10 ms, at the region's line. The
# octaves of both bounds count as wrong.
def idle_share(f):
    .idle_intervals | (.sites | map(select(.construct == "parallel") | .lengths)) as $sites |
    ([$sites[] | [.from_ns, .ns] | transpose[] | select(.[0] | f) | .[1]] | add // 0) / .ns;
def gaps_are(f; words):
    idle_share(f) as $share |
    wrong(.idle_intervals == null; "no intervals"),
    wrong($share < 0.8; "\($share) of the idle time is in intervals \(words)");
def gaps_short: gaps_are(. < 32768; "below 50 us");
def gaps_long: gaps_are(. >= 16777216; "above 10 ms");
