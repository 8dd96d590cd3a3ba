# trials.jq - a bench of given trials, as prof bench --json writes it. Input: the times in ms, an
# array a series, {p: [1,2], native: {"1": [..]}, idle: {"2": ms}, baseline: [..], elision: [..],
# copies: [..], ...}. What is missing has a default.
def ms: . * 1000000;
. as $in |
# What $in has of KEY for $p workers.
def at(key; $p): $in[key][$p | tostring];
def trial($kind; $p; $round; $wall): {
    kind: $kind, p: $p, round: $round, wall_ns: ($wall | ms),
    cpu_ns: ($wall * ([$p, 2] | min) * ($in.on_cpu // 1) | ms),
    other_cpu_ns: (($in.other // 0) | ms),
    steal_ns: (($in.steal // 0) | ms), delay_ns: (($in.delay // 0) | ms),
    exit_status: 0, output: (at("output"; $p) // "ab") };
def series($kind; $p; $walls): [$walls | to_entries[] | trial($kind; $p; .key; .value)];
def profile($p; $wall): {
    timed: true, exact: ($in.exact != false), elapsed_ns: ($wall | ms), startup_ns: 0,
    threads_ns: ($p * $wall | ms), search_ns: 0, sleep_ns: ((at("idle"; $p) // 0) | ms),
    dispatch_ns: 0, blocked_ns: ((at("blocked"; $p) // 0) | ms), own_ns: 0,
    work_ns: (($in.work // 100) | if type == "object" then .[$p | tostring] else . end | ms),
    overhead_ns: ((at("overhead"; $p) // 0) | ms),
    span_ns: (($in.span // 1) | ms),
    chunks_by_program: ($in.by_program // 0),
    span_divisible_ns: (($in.divisible // $in.span // 1) | ms),
    span_typical_ns: (($in.typical // $in.span // 1) | ms),
    burdened_span_ns: (($in.burdened // $in.span // 1) | ms),
    avg_maximal_strand_ns: 1000, threads: ($in.threads // $p), workers: $p,
    samples: ($in.samples // 100), tasks: ($in.tasks // 100000),
    few_steals: ($in.few_steals // 0), busy_threads: ($in.busy // 0),
    taken_off_ns: (($in.taken // 0) | ms), libprof_share: ($in.libprof // 0),
    findings: (if $in.findings == false then null else at("findings"; $p) // [] end),
    runtimes: ($in.runtimes // 1), steals: 1 };
def profiled($p): series("profiled"; $p; (at("profiled"; $p) // at("native"; $p)))[] |
    .profile = profile($p; .wall_ns / 1000000);
{ format_version: 2, kind: "bench", command: ["./app"],
  baseline: (if .baseline then "./base" else null end),
  elision: (if .elision then "./elision" else null end),
  control: (.control // "runtime"), placeholder: (.placeholder // false), processors: .p,
  rounds: (.native["1"] | length),
  interrupted: (.interrupted // false), start_unix_ns: 0,
  machine: ({ host: "h", cpu: "c", governor: "", smt: false, cpus: 2, allowed_cpus: 2,
              quota_cores: 0, load: 0, throttled_ns: 0, loop_p: 2,
              loop_one_ns: [1000000, 1000000],
              loop_all_ns: [1000000, 1000000] } + (.machine // {})),
  functions: (.functions // []),
  trials: ([.p[] as $p | series("native"; $p; at("native"; $p)), [profiled($p)]] +
           [series("baseline"; 1; (.baseline // [])), series("elision"; 1; (.elision // [])),
            series("copies"; 2; (.copies // [])),
            ((.one // {}) | to_entries[] |
                series("one_worker"; .key | tonumber; .value))] | add) }
