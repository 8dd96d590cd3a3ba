/* bench.js - the results of prof bench for this program: its sentences, and the factored speedups
 * as a chart and as numbers. */
import { chart, speedup } from "./chart.js";
import { profile } from "./data.js";
import { byId, clean, element, ratio, share, time } from "./text.js";

const CURVES = [
    { key: "linear", label: "linear", colour: "--faint", dash: [2, 4] },
    { key: "elision", label: "elision", colour: "--blocked", dash: [6, 3] },
    { key: "maximal", label: "maximal", colour: "--overhead" },
    { key: "idle_specific", label: "idle-time-specific", colour: "--idleness" },
    { key: "inflation_specific", label: "inflation-specific", colour: "--work" },
    { key: "actual", label: "actual", colour: "--span" },
];
const BASELINES = {
    baseline: "the baseline",
    elision: "the elision",
    estimate: "T₁ less the runtime's share in its profile (estimated)",
    one_worker: "T₁ itself",
};

/* The measured speedups over one worker, for the chart of the bounds; without a bench there are
 * none. */
export const measured = new Map(
    (profile.bench?.points ?? []).filter((x) => x.speedup > 0).map((x) => [x.p, x.speedup]),
);

function draw(box, curves, points) {
    const last = points[points.length - 1].p,
        top = Math.max(...points.flatMap((x) => curves.map((c) => x.curves[c.key] ?? 0)));
    chart(
        box,
        300,
        "Factored speedups; their numbers are in the table below.",
        [points.map((x) => x.p), ...curves.map((c) => points.map((x) => x.curves[c.key]))],
        last,
        (css, axis) => ({
            padding: [10, 12, 0, 0],
            scales: { x: { time: false, range: [0, last + 1] }, y: { range: [0, 1.05 * top] } },
            axes: [
                { ...axis, label: "workers", size: 30, splits: () => points.map((x) => x.p) },
                { ...axis, label: "speedup over the baseline", size: 50 },
            ],
            series: [
                { label: "workers" },
                ...curves.map((c) => ({
                    label: c.label,
                    stroke: css(c.colour),
                    width: 2,
                    dash: c.dash,
                    points: { show: c.key !== "linear", size: 6 },
                    value: speedup,
                })),
            ],
        }),
    );
}

function numbers(points) {
    const part = (v, x) => (v === null ? "–" : share(v, x.p * x.native.mean_ns));
    const columns = [
        ["workers", (x) => x.p + (x.oversubscribed ? " (oversubscribed)" : "")],
        ["T_P", (x) => (x.native.n ? time(x.native.mean_ns) : "–")],
        ["speedup over one worker", (x) => ratio(x.speedup)],
        ["idle", (x) => part(x.idle.mean_ns, x)],
        ["work inflation", (x) => part(x.inflation_ns, x)],
        ...CURVES.slice(1).map((c) => [c.label, (x) => ratio(x.curves[c.key])]),
    ];
    return [
        element("tr", {}, ...columns.map(([title]) => element("th", { scope: "col" }, title))),
        ...points.map((x) =>
            element("tr", {}, ...columns.map(([, of]) => element("td", {}, of(x)))),
        ),
    ];
}

export function start() {
    const b = profile.bench;
    if (!b || !b.points.length) return;
    const points = b.points,
        curves = CURVES.filter((c) => points.some((x) => x.curves[c.key] !== null));
    byId("scaling").hidden = false;
    byId("scaling-words").append(
        ...b.words.map((w) =>
            element("p", { class: w.mark === "warning" ? "warning" : w.mark }, clean(w.text)),
        ),
    );
    byId("scaling-hint").textContent =
        `Speedup over T_s = ${time(b.t_s.mean_ns)}: ${BASELINES[b.baseline] ?? ""}. `
        + "The gaps: linear to maximal is overhead of algorithm and tasking, "
        + "maximal to idle-time-specific is idle time, "
        + "maximal to inflation-specific is work inflation.";
    byId("scaling-table").append(...numbers(points));
    draw(byId("factored-plot"), curves, points);
}
