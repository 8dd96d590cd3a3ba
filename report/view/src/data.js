/* data.js - the profile in the page. Call paths stay columns, because 10^5 objects would be too
 * many. */
import { clean, count, time } from "./text.js";

const raw = JSON.parse(document.getElementById("profile").textContent);
export const profile = raw;

/* Samples with their times, by column; undefined: the profile has none. */
export const timedSamples = raw.columns?.timed;
const COSTS = ["span_ns", "work_ns", "idleness_ns", "overhead_ns"];
export const MARKED = COSTS.length;
export const METRICS = [
    { key: "span", title: "Span", words: "of the critical path" },
    { key: "work", title: "Work", words: "of the work" },
    { key: "idleness", title: "Idleness", words: "of the idle time" },
    { key: "overhead", title: "Overhead", words: "of the overhead" },
    /* what was sampled in the range that is marked: marked.js */
    ...(timedSamples
        ? [{ key: "marked", title: "Marked time", words: "of the marked time" }]
        : []),
];
/* The marked range: its words, or "" if there is none; how often it has changed. marked.js writes
 * it. */
export const marked = { words: "", version: 0 };
/* The metrics that are shown now, as indices of METRICS. */
export const metricsNow = () =>
    METRICS.flatMap((_, m) => (m === MARKED && !marked.words ? [] : [m]));
export const program = raw.program;
/* Were loops cut, and do they allow more? Who cut them: the program, or this run's workers? */
export const loopsDivide = Boolean(raw.bounds.upper_divided);
const cut = program.chunks ?? {};
export const cutByProgram =
    cut.by_program + cut.sized_by_program > 0 && cut.by_runtime === cut.sized_by_program;
/* Are there outliers? Then the span may include interrupts. */
export const hasOutliers = Boolean(raw.bounds.upper_typical);
/* Who cut OpenMP's loops is not always known: guided and runtime schedules may have a chunk size */
export const cutByEither = raw.sites.some(
    (s) => s.runtime === "openmp" && s.chunks?.by_runtime > s.chunks?.sized_by_program,
);
export const cutFor = cutByProgram
    ? "as the program cut them"
    : cutByEither
    ? "as they were cut"
    : `as cut for ${program.workers} worker${program.workers === 1 ? "" : "s"}`;

/* Costs are time, unless the clock counts something else; idle time is always time. */
const isTime = program.unit === "ns" && program.clock !== "virtual";
export const cost = (v) =>
    isTime ? time(v) : count(v) + (program.unit === "ns" ? "" : " " + clean(program.unit));
export const metricText = (m, v) =>
    ["idleness", "marked"].includes(METRICS[m].key) ? time(v) : cost(v);
export const timed = isTime;

/* The costs of a table of columns, in the order of METRICS. Nothing is marked at first. */
function costs(table) {
    return {
        metric: [
            ...COSTS.map((key) => Float64Array.from(table[key])),
            ...(timedSamples ? [new Float64Array(table.samples.length)] : []),
        ],
        samples: Float64Array.from(table.samples),
        onSpan: Float64Array.from(table.samples_on_span),
    };
}

const c = raw.columns;
export const names = c ? c.names.map(clean) : [];
export const labels = c ? c.labels.map((l, i) => (l === null ? names[i] : clean(l))) : [];
export const nameOf = (i) => (i < 0 ? "" : names[i]);

/* The tree. Parents have smaller indices. self: exclusive costs, all: inclusive ones. */
export const tree = c && c.paths.parent.length ? makeTree(c.paths) : null;

function makeTree(p) {
    const n = p.parent.length,
        self = costs(p.self);
    const t = {
        size: n,
        parent: Int32Array.from(p.parent),
        name: Int32Array.from(p.function),
        file: Int32Array.from(p.file),
        line: Int32Array.from(p.line),
        foreign: new Uint8Array(n) /* 1: not the program's code, but a runtime's */,
        self,
        all: self.metric.map((column) => column.slice()),
        /* the part of the marked time that is off the CPU */
        off: { self: new Float64Array(n), all: new Float64Array(n) },
        samples: self.samples.slice(),
        onSpan: self.onSpan.slice(),
    };
    for (const i of raw.foreign_nodes) t.foreign[i] = 1;
    for (const column of [...t.all, t.samples, t.onSpan])
        for (let i = n - 1; i > 0; i--) column[t.parent[i]] += column[i];
    /* children of i: child[first[i]] to child[first[i + 1]] */
    t.first = new Int32Array(n + 1);
    for (let i = 1; i < n; i++) t.first[t.parent[i] + 1]++;
    for (let i = 0; i < n; i++) t.first[i + 1] += t.first[i];
    t.child = new Int32Array(n);
    const used = t.first.slice();
    for (let i = 1; i < n; i++) t.child[used[t.parent[i]]++] = i;
    return t;
}
export const totals = tree ? tree.all.map((column) => column[0]) : METRICS.map(() => 0);

/* With --diff: the costs of the same paths in another profile, by metric and node, inclusive and
 * exclusive. GONE, at one node of a function: its costs on paths that this profile lacks. Without
 * --diff: null. */
const columns = (table) => COSTS.map((key) => Float64Array.from(table[key]));
export const before =
    tree && raw.before
        ? {
              name: clean(raw.before.profile),
              words: raw.before.words,
              remarks: raw.before.remarks,
              metric: columns(raw.before),
              self: columns(raw.before.self),
              gone: columns(raw.before.gone),
          }
        : null;

export const functions = c ? c.functions.function.map((name, i) => i) : [];
export const functionColumns = c && {
    name: c.functions.function,
    file: c.functions.file,
    verdict: c.functions.verdict,
    self: costs(c.functions.self),
    all: costs(c.functions.all),
};
export const lineColumns = c && {
    name: c.lines.function,
    file: c.lines.file,
    line: c.lines.line,
    self: costs(c.lines.self),
};
export const lines = c ? c.lines.function.map((name, i) => i) : [];

const verdicts = new Map();
if (c)
    functions.forEach((i) =>
        verdicts.set(
            c.functions.function[i] + ":" + c.functions.file[i],
            nameOf(c.functions.verdict[i]),
        ),
    );
export const verdict = (name, file) => verdicts.get(name + ":" + file) ?? "";
