# verify.jq - what reports have other than expected: the first one that has, with its label. Its
# input is the JSON report of one run, or an array of those of several.
#   $expect  lines "NAME VALUE..." of each run, and "--" after each
#   $labels  a line a run
# libprof loses nothing, the on-span locals sum to the span, and the local works to the work.

def differ($a; $b; $rounding): ($a - $b | fabs) > $rounding;
def unless_equal($name; $got; $expected):
    select($got != $expected) | "\($name) \($got), expected \($expected)";

def findings($expect):
(if .program.clock == "virtual" then 0 else (.sites | length) end) as $rounding |
.program as $p | .regions as $regions | .sites as $sites |
([.sites[].on_span.local_span_ns] | add) as $sum |
([.sites[].local_work_ns] | add) as $worksum |
([.sites[] | select(.construct != "") | .invocations] | add) as $invoked |
{ work: $p.work_ns, span: $p.span_ns, burdened_span: $p.burdened_span_ns, spawns: $p.spawns,
  syncs: $p.syncs, invocations: $invoked } as $totals |

# no dependence is hidden; what was cut for this run's workers may be in the span, and in real time
# so much of libprof's own that it is an estimate
($p.certainty.span_ns | IN("exact", "as executed", "estimated")) as $seen |

# one line of the expectation
def wrong($name; $values):
    ($values[0] | tonumber? // 0) as $n |
    if $totals | has($name) then unless_equal($name; $totals[$name]; $n)
    elif $name == "span_max" then select($p.span_ns > $n) | "span \($p.span_ns) above \($n)"
    elif $name == "span_min" then select($p.span_ns < $n) | "span \($p.span_ns) below \($n)"
    elif $name == "divisible" then
        unless_equal("divisible span"; $p.span_divisible_ns; $n)
    elif $name == "undivided" then
        unless_equal("undivided chunks"; $p.chunks.not_divided; $n)
    elif $name == "certain" then unless_equal("exact"; $p.exact; $n == 1)
    elif $name == "executed" then # the lines of the sites whose spans are as executed
        unless_equal($name; [$sites[] | select(.construct != "" and
                                               .certainty.span_ns == "as executed") |
                             .line] | sort;
                     $values | map(tonumber))
    elif $name == "exact" then unless_equal($name; $seen; $n == 1)
    elif $name == "honest" then
        select($p.span_ns > $n or ($seen and $p.span_ns != $n)) |
        "span \($p.span_ns), exact \($seen), expected \($n)"
    elif $name == "region" then
        ($regions[] | select(.name == $values[0])) as $r |
        unless_equal("region \($values[0])"; [$r.count, $r.work_ns, $r.span_ns];
                     $values[1:] | map(tonumber))
    elif $name == "split" then
        ($values[1] // "") as $construct |
        ([$sites[] | select(.construct == $construct) | .on_span.local_span_ns] |
            add // 0) as $got |
        unless_equal("on span of \($construct)"; $got; $n)
    elif $name == "took" then # the constructs of the sites whose work is an upper bound
        unless_equal($name; [$sites[] | select(.certainty.work_ns == "upper bound") | .construct] |
                            unique;
                     $values | map(gsub("\\+"; " ")) | unique)
    elif $name == "site" then
        ($values | map(tonumber)) as $e |
        ([$sites[] | select((.line // 0) == $e[0])] | if length != 1 then {} else .[0] end) as $s |
        [($s, $s.on_span) | (.invocations // .count), .local_work_ns, .local_span_ns,
            (.top_call_site, .top_caller | .count, .work_ns, .span_ns)] as $is |
        unless_equal("site \($e[0]):"; $is; $e[1:])
    else "the expectation has \($name), which nobody compares" end;

[
    ($expect | split("\n")[] | select(. != "") | split(" ") | wrong(.[0]; .[1:])),
    (select(differ($sum; $p.span_ns; $rounding)) |
        "on-span locals sum to \($sum), span \($p.span_ns)"),
    (select($p.span_typical_ns > $p.span_ns or
            ($p.clock == "virtual" and $p.span_typical_ns != $p.span_ns)) |
        "typical span \($p.span_typical_ns), span \($p.span_ns)"),
    (select(differ($worksum; $p.work_ns; $rounding)) |
        "local works sum to \($worksum), work \($p.work_ns)"),
    (.whatif // empty | .scenarios[] |
        select([.work_ns, .span_ns] != [$p.work_ns, $p.span_ns]) |
        "\(.name) has work \(.work_ns), span \(.span_ns)"),
    ($sites[] | select(.certainty.work_ns == "exact") |
        [.top_call_site.work_ns, .top_caller.work_ns] | max | select(. > $p.work_ns) |
        "a site has exactly the work \(.), the program \($p.work_ns)"),
    (.notes[] | select(.kind == "loss") | "loss \(.name) \(.count)")
] | join("; ");

(if type == "array" then . else [.] end) as $runs | ($expect | split("--\n")) as $expects |
if ($runs | length) != ($expects | length) - 1 then
    "\($runs | length) reports of \(($expects | length) - 1) runs"
else
    first(range($runs | length) as $i | $runs[$i] | findings($expects[$i]) | select(. != "") |
        ($labels | split("\n"))[$i] + .) // ""
end
