# verify.jq - what reports have other than expected: the first one that has, with its label. Its
# input is the JSON report of one run, or an array of those of several.
#   $expect  lines "NAME VALUE" of each run, and "--" after each;
#            compared_spawns 1: the number of spawns is to be as expected
#   $labels  a line a run
#   $csv     what `prof report --csv --totals` says of the same runs
# libprof loses nothing, the on-span locals sum to the span, and the local works to the work.

def pairs: split("\n") | map(select(. != ""));
def differ($a; $b; $rounding): ($a - $b | fabs) > $rounding;

def findings($expect; $totals):
(if .program.clock == "virtual" then 0 else (.sites | length) end) as $rounding |
.program as $p |
([.sites[].on_span.local_span_ns] | add // 0) as $sum |
([.sites[].local_work_ns] | add // 0) as $worksum |
($expect | pairs | map(split(" ") | { key: .[0], value: (.[1] | tonumber) }) | from_entries) as $e |
[
    (select($e.work != null and $p.work_ns != $e.work) |
        "work \($p.work_ns), expected \($e.work)"),
    (select($e.span != null and $p.span_ns != $e.span) |
        "span \($p.span_ns), expected \($e.span)"),
    (select($e.span_min != null and $p.span_ns < $e.span_min) |
        "span \($p.span_ns) below \($e.span_min)"),
    (select($e.span_max != null and $p.span_ns > $e.span_max) |
        "span \($p.span_ns) above \($e.span_max)"),
    (select($e.divisible != null and $p.span_divisible_ns != $e.divisible) |
        "divisible span \($p.span_divisible_ns), expected \($e.divisible)"),
    ([.sites[].handed_out | [.chunks, .work_ns, .longest_ns]] | transpose |
        [(.[0] | add), (.[1] | add), (.[2] | max)] |
        select($e.handed != null and . != [$e.handed, $e.handed_work, $e.handed_longest]) |
        "handed out \(.), expected \([$e.handed, $e.handed_work, $e.handed_longest])"),
    (.sites[] | select(.handed_out.work_ns > .local_work_ns) |
        "handed out \(.handed_out.work_ns) of \(.local_work_ns)"),
    (select($p.span_typical_ns > $p.span_ns or
            ($p.clock == "virtual" and $p.span_typical_ns != $p.span_ns)) |
        "typical span \($p.span_typical_ns), span \($p.span_ns)"),
    (select($e.compared_spawns == 1 and $e.tasks != null and $p.spawns != $e.tasks + $e.implicit) |
        "spawns \($p.spawns), expected \($e.tasks) + \($e.implicit)"),
    (select([$totals.work_ns, $totals.span_ns, $totals.spawns] !=
            ([$p.work_ns, $p.span_ns, $p.spawns] | map("\(.)"))) |
        "csv has \($totals.work_ns) \($totals.span_ns) \($totals.spawns)"),
    (select(differ($sum; $p.span_ns; $rounding)) |
        "on-span locals sum to \($sum), span \($p.span_ns)"),
    (select(differ($worksum; $p.work_ns; $rounding)) |
        "local works sum to \($worksum), work \($p.work_ns)"),
    (.whatif // empty | .scenarios[] |
        select([.work_ns, .span_ns] != [$p.work_ns, $p.span_ns]) |
        "\(.name) has work \(.work_ns), span \(.span_ns)"),
    (.notes[] | select(.kind == "loss") | "loss \(.name) \(.count)")
] | join("; ");

(if type == "array" then . else [.] end) as $runs | ($expect | split("--\n")) as $expects |
($csv | pairs | map(split(","))) as $lines |
if [$runs, $expects, $lines | length] != [($runs | length) | ., . + 1, . + 1] then
    "\($runs | length) reports and \(($lines | length) - 1) lines of CSV, " +
    "\(($expects | length) - 1) runs"
else
    first(range($runs | length) as $i |
        ([$lines[0], $lines[$i + 1]] | transpose | map({ key: .[0], value: .[1] }) |
            from_entries) as $totals |
        $runs[$i] | findings($expects[$i]; $totals) | select(. != "") |
        ($labels | split("\n"))[$i] + .) // ""
end
