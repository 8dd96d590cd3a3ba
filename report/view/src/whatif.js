/* whatif.js - the scenarios that the run tried (prof run --whatif): the span and the parallelism if
 * some code cost less. */
import { cost, profile, program } from "./data.js";
import { table } from "./table.js";
import { byId, clean, count, percent, ratio } from "./text.js";

const SHOWN = 3; /* scenarios in the speedup plot; the table has all */

const scenarios = (profile.whatif?.scenarios ?? []).map((s) => ({ ...s, name: clean(s.name) }));

/* For the speedup plot: the upper bounds if the code were made parallel, with its work as it is.
 * The best scenario comes first. Scenarios in which code costs nothing are left out, because no one
 * can reach them. Of scenarios with the same line, the simplest stays; none stays on the program's
 * own line. */
const same = (a, b) => Math.abs(a / b - 1) < 0.01;
export const bounds = scenarios
    .filter((s) => !s.limit && s.span_ns > 0)
    .map((s) => ({ name: s.name, most: program.work_ns / s.span_ns, terms: s.terms.length }))
    .sort((a, b) => a.terms - b.terms)
    .reduce(
        (all, s) =>
            same(s.most, program.parallelism) || all.some((t) => same(s.most, t.most))
                ? all
                : [...all, s],
        [],
    )
    .sort((a, b) => b.most - a.most)
    .slice(0, SHOWN);

export function start() {
    if (!scenarios.length) return;
    byId("whatif").hidden = false;
    const never = profile.whatif.candidates.filter((c) => !c.regions && !c.contexts && !c.samples),
        samples = profile.whatif.candidates.reduce((n, c) => n + c.samples, 0);
    byId("whatif-hint").textContent =
        "Parallelism if the code were made parallel, its work as it is, or made faster, "
        + "its work less. "
        + (samples
            ? `Estimated where a function within a strand counts by its samples, `
              + `here ${count(samples)}; the rest is exact. `
            : "")
        + (never.length ? `Never ran: ${never.map((c) => clean(c.name)).join(", ")}.` : "");
    const all = [
        {
            name: "nothing is changed",
            span_ns: program.span_ns,
            parallelism_made_parallel: program.parallelism,
            parallelism_made_faster: program.parallelism,
        },
        ...scenarios.filter((s) => !s.limit),
        ...scenarios.filter((s) => s.limit),
    ];
    const parallelism = (title, key) => ({
        title,
        value: (i) => (all[i].span_ns > 0 ? all[i][key] : Infinity),
        text: (i) => (all[i].span_ns > 0 ? ratio(all[i][key]) : "no span is left"),
    });
    table(byId("whatif-table"), {
        caption: "What if",
        rows: all.map((_, i) => i),
        sort: 3,
        columns: [
            { title: "what if", name: true, first: "ascending", value: (i) => all[i].name },
            { title: "span", value: (i) => all[i].span_ns, text: (i) => cost(all[i].span_ns) },
            {
                title: "% of the span",
                value: (i) => percent(all[i].span_ns, program.span_ns),
                text: (i) => percent(all[i].span_ns, program.span_ns).toFixed(1),
            },
            parallelism("made parallel", "parallelism_made_parallel"),
            parallelism("made faster", "parallelism_made_faster"),
            {
                title: `at most on ${program.workers}`,
                first: "descending",
                value: (i) => most(all[i]),
                text: (i) => ratio(most(all[i])),
                hint: "speedup on this run's workers: min(P, work / span)",
            },
            {
                title: "known",
                name: true,
                first: "ascending",
                value: (i) => (all[i].estimated ? "estimated" : "exact"),
            },
        ],
    });
}

const most = (s) =>
    s.span_ns > 0 ? Math.min(program.workers, program.work_ns / s.span_ns) : program.workers;
