/* plot.js - the speedup that the program's dag allows, and that of this run. uPlot draws it. */
import { measured } from "./bench.js";
import { chart, speedup } from "./chart.js";
import { bounds as scenarios } from "./whatif.js";
import {
    cutFor,
    hasLower,
    hasOutliers,
    hasTasks,
    loopsDivide,
    profile,
    program,
    timed,
} from "./data.js";
import { byId, element, ratio } from "./text.js";

const SERIES = [
    { label: "linear", of: (k, b) => b.p[k] },
    {
        label: loopsDivide ? `at most, loops ${cutFor}` : "at most (span law)",
        of: (k, b) => b.upper[k],
    },
    ...(hasLower ? [{ label: "at least (burdened)", of: (k, b) => b.lower[k] }] : []),
    ...(loopsDivide ? [{ label: "at most, loops divided", of: (k, b) => b.upper_divided[k] }] : []),
    ...(hasOutliers ? [{ label: "at most, no outliers", of: (k, b) => b.upper_typical[k] }] : []),
];

const SCENARIO_COLOURS = ["--own", "--idleness", "--overhead"];

/* Powers of two, of the processors as of the speedup. */
const LOGARITHMIC = {
    splits: (u, axis, low, high) => {
        const all = [];
        for (let v = 2 ** Math.floor(Math.log2(low)); v <= high; v *= 2) if (v >= low) all.push(v);
        return all;
    },
    values: (u, all) => all.map((v) => (v === null ? "" : v >= 1 ? String(v) : "1/" + 1 / v)),
};

/* OWN: the speedup of this run, or 0. */
function options(css, axis, own) {
    const line = (k, colour, dash) => ({
        label: SERIES[k].label,
        stroke: css(colour),
        width: 2,
        dash,
        points: { show: false },
        value: speedup,
    });
    return {
        scales: { x: { time: false, distr: 3, log: 2 }, y: { distr: 3, log: 2 } },
        axes: [
            { ...axis, label: "processors", size: 30 },
            {
                ...axis,
                label: "speedup",
                size: (u, values) => 20 + 7 * Math.max(3, ...(values ?? []).map((v) => v.length)),
            },
        ],
        series: [
            { label: "processors" },
            line(0, "--faint", [2, 4]),
            line(1, "--span"),
            ...(hasLower ? [line(2, "--work", [8, 4])] : []),
            ...(loopsDivide ? [line(2 + hasLower, "--span", [2, 3])] : []),
            ...(hasOutliers ? [line(SERIES.length - 1, "--span", [6, 3])] : []),
            ...scenarios.map((s, k) => ({
                label: `at most if ${s.name.length > 30 ? s.name.slice(0, 29) + "…" : s.name}`,
                stroke: css(SCENARIO_COLOURS[k]),
                width: 2,
                dash: [3, 3],
                points: { show: false },
                value: speedup,
            })),
            ...(own
                ? [
                      {
                          label: "this run",
                          stroke: css("--text"),
                          width: 0,
                          paths: () => null,
                          points: {
                              show: true,
                              size: 11,
                              width: 2,
                              fill: css("--measured"),
                              stroke: css("--text"),
                          },
                          value: speedup,
                      },
                  ]
                : []),
            ...(measured.size
                ? [
                      {
                          label: "prof bench",
                          stroke: css("--text"),
                          width: 1,
                          spanGaps: true,
                          points: { show: true, size: 7 },
                          value: speedup,
                      },
                  ]
                : []),
        ],
    };
}

export function start() {
    const b = profile.bounds;
    const none = !b.p.length
        ? "No cost was measured: there are no bounds."
        : !hasTasks && !measured.size && !scenarios.length
          ? "No tasks were seen: what libprof saw is serial, and as fast on any number of "
            + "processors."
          : "";
    if (none) {
        byId("plot").append(element("p", {}, none));
        byId("plot").classList.add("none");
        byId("speedup").querySelector("details").hidden = true;
        return;
    }
    /* T1 / TP, if both are time */
    const own = timed && program.elapsed_ns > 0 ? program.work_ns / program.elapsed_ns : 0;
    const P = program.workers;
    const top =
            2
            * Math.max(
                ...b.upper,
                ...(b.upper_divided ?? []),
                ...(b.upper_typical ?? []),
                own,
                ...measured.values(),
                ...scenarios.map((s) => Math.min(b.p.at(-1), s.most)),
            ),
        data = [
            b.p,
            ...SERIES.map((s) => b.p.map((_, k) => (s.of(k, b) <= top ? s.of(k, b) : null))),
        ];
    data.push(...scenarios.map((s) => b.p.map((p) => Math.min(p, s.most))));
    if (own) data.push(b.p.map((p) => (p === P ? own : null)));
    if (measured.size) data.push(b.p.map((p) => measured.get(p) ?? null));
    const most = loopsDivide
        ? `: loops ${cutFor}; their iterations allow a parallelism of about `
          + `${ratio(program.parallelism_divisible)} (estimated). `
        : hasLower
          ? "; "
          : ". ";
    const stealing = hasLower
        ? `${loopsDivide ? "A" : "a"} work-stealing scheduler reaches about `
          + "T₁ / (T₁/P + 1.7 × burdened span) if no strand waits."
        : "No scheduler moves work from rank to rank: another number of ranks divides it anew.";
    byId("plot-words").textContent =
        `At most min(P, parallelism ${ratio(program.parallelism)})${most}${stealing}`
        + (own
            ? ` This run: work / elapsed = ${ratio(own)} on ${P} worker${P === 1 ? "" : "s"}.`
            : "");
    byId("plot-table").append(
        element(
            "tr",
            {},
            ...[
                "processors",
                ...(hasLower ? ["at least"] : []),
                "at most",
                ...(loopsDivide ? ["at most, loops divided"] : []),
                ...(hasOutliers ? ["at most, no outliers"] : []),
                ...scenarios.map((s) => `at most if ${s.name}`),
            ].map((t) => element("th", { scope: "col" }, t)),
        ),
        ...program.speedup.map((s) =>
            element(
                "tr",
                {},
                element("td", {}, s.p),
                ...(hasLower ? [element("td", {}, ratio(s.lower))] : []),
                element("td", {}, ratio(s.upper)),
                ...(loopsDivide ? [element("td", {}, ratio(s.upper_divided))] : []),
                ...(hasOutliers ? [element("td", {}, ratio(s.upper_typical))] : []),
                ...scenarios.map((x) => element("td", {}, ratio(Math.min(s.p, x.most)))),
            ),
        ),
    );
    chart(byId("plot"), 260, byId("plot-words").textContent, data, P, (css, axis) =>
        options(css, { ...axis, ...LOGARITHMIC }, own),
    );
}
