/* data.js - the profile in the page. Call paths stay columns, because 10^5 objects would be too
 * many. */
import { clean, count, share, time } from "./text.js";

const raw = JSON.parse(document.getElementById("profile").textContent);
export const profile = raw;

/* Samples with their times, by column; undefined: the profile has none. */
export const timedSamples = raw.columns?.timed;
/* Is it known where strands were off the CPU, in this profile or the one before? */
const hasBlocked =
    raw.sampling?.off_cpu_samples > 0 || Boolean(raw.before?.blocked_ns.some((ns) => ns > 0));
const COSTS = [
    "span_ns",
    "work_ns",
    "idleness_ns",
    "overhead_ns",
    ...(hasBlocked ? ["blocked_ns"] : []),
];
export const MARKED = COSTS.length;
export const METRICS = [
    { key: "span", title: "Span", words: "of the critical path" },
    { key: "work", title: "Work", words: "of the work" },
    { key: "idleness", title: "Idleness", words: "of the idle time" },
    { key: "overhead", title: "Overhead", words: "of the overhead" },
    ...(hasBlocked
        ? [
              {
                  key: "blocked",
                  title: "Blocked",
                  words: "of the time off the CPU",
                  noun: "time off the CPU",
              },
          ]
        : []),
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
export const hasTasks =
    program.tasks > 0 || program.spawns > 0 || raw.job?.ranks.length > 1;
/* Were loops cut, and do they allow more? Who cut them: the program, or this run's workers? */
export const loopsDivide = Boolean(raw.bounds.upper_divided);
const cut = program.chunks ?? {};
const cutByProgram =
    cut.by_program + cut.sized_by_program > 0 && cut.by_runtime === cut.sized_by_program;
/* Does a scheduler move work, so that there is a lower bound? Not from rank to rank. */
export const hasLower = Boolean(raw.bounds.lower);
/* Are there outliers? Then the span may include interrupts. */
export const hasOutliers = Boolean(raw.bounds.upper_typical);
/* Who cut OpenMP's loops is not always known: guided and runtime schedules may have a chunk size */
const cutByEither = raw.sites.some(
    (s) => s.runtime === "openmp" && s.chunks?.by_runtime > s.chunks?.sized_by_program,
);
export const cutFor = cutByProgram
    ? "as the program cut them"
    : cutByEither
    ? "as they were cut"
    : `as cut for ${program.workers} worker${program.workers === 1 ? "" : "s"}`;

/* Costs are time, unless the clock counts something else; time without work is always time. */
const isTime = program.unit === "ns" && program.clock !== "virtual";
export const cost = (v) =>
    isTime ? time(v) : count(v) + (program.unit === "ns" ? "" : " " + clean(program.unit));
export const metricText = (m, v) =>
    ["idleness", "blocked", "marked"].includes(METRICS[m].key) ? time(v) : cost(v);
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
/* What is shown for each name, shortened by prof as in the terminal; then the names in words of
 * single rows, which have no other name in the source. */
export const labels = c
    ? [...c.labels.map((l, i) => (l === null ? names[i] : clean(l))), ...c.words.map(clean)]
    : [];
export const nameOf = (i) => (i < 0 ? "" : names[i]);

/* By row of TABLE: its label. The name's own one, but of the rows in words. */
function labelsOf(table) {
    const all = Int32Array.from(table.function);
    table.in_words.row.forEach((row, k) => (all[row] = names.length + table.in_words.words[k]));
    return all;
}

/* Is there code below the program itself? What it cost off the CPU, and libprof's time, is none. */
const hasPaths = (p) =>
    p.function.some((name, i) => i > 0 && !["[blocked]", "[libprof]"].includes(names[name]));

/* The tree. Parents have smaller indices. self: exclusive costs, all: inclusive ones. null: there
 * are no paths. */
export const tree =
    c && c.paths.parent.length && (raw.before || hasPaths(c.paths)) ? makeTree(c.paths) : null;

function makeTree(p) {
    const n = p.parent.length,
        self = costs(p.self);
    const t = {
        size: n,
        parent: Int32Array.from(p.parent),
        name: Int32Array.from(p.function),
        label: labelsOf(p),
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
    label: labelsOf(c.functions),
    file: c.functions.file,
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

/* By name and file of a function: its row. */
const rows = new Map();
if (c)
    functions.forEach((i) =>
        rows.set(functionColumns.name[i] + ":" + functionColumns.file[i], i),
    );
export const rowOf = (name, file) => rows.get(name + ":" + file) ?? -1;
/* The label of the function called NAME in FILE, of whichever frame. */
export const labelOf = (name, file) => {
    const row = rowOf(name, file);
    return labels[row < 0 ? name : functionColumns.label[row]];
};

/* By name: what its functions and frames are called instead, a line each, and line ends around
 * them. */
export const aliases = names.map(() => "");
for (const table of [tree, functionColumns])
    table?.label.forEach((label, i) => {
        const name = table.name[i];
        if (labels[label] !== names[name] && !aliases[name].includes(`\n${labels[label]}\n`))
            aliases[name] += `\n${labels[label]}\n`;
    });

/* What limits the program, the largest gain first; `functions`: the rows of its place. */
export const findings = raw.findings.map((f) => ({
    ...f,
    text: clean(f.text),
    remedy: clean(f.remedy),
    label: clean(f.label ?? ""),
}));
const largest = new Map(); /* by row of a function: its largest finding */
for (const f of findings)
    for (const row of f.functions) if (!largest.has(row)) largest.set(row, f);
/* The largest finding at the function of ROW; undefined: none is there. Its id is the verdict. */
export const findingOf = (row) => largest.get(row);

/* The metrics of the function of ROW with what it called, as a line. */
export const functionFigures = (row) =>
    metricsNow()
        .filter((m) => METRICS[m].key !== "overhead")
        .map((m) => {
            const all = functionColumns.all.metric[m][row];
            return `${METRICS[m].title.toLowerCase()} ${metricText(m, all)} `
                + `(${share(all, totals[m])}) with callees`;
        })
        .join(" · ");

/* The ledger's rows with the time in MPI, which the JSON has in the idle time and the runtime's,
 * as report/analysis/ledger.c has them. */
export function ledgerRows(from) {
    const l = { ...from };
    l.mpi_waits_ns = Math.min(
        l.mpi_late_sender_ns + l.mpi_late_receiver_ns + l.mpi_collective_ns + l.mpi_sent_ns,
        l.search_ns + l.sleep_ns,
    );
    const off = Math.max(l.mpi_waits_ns - l.search_ns, 0);
    l.search_ns -= l.mpi_waits_ns - off;
    l.sleep_ns -= off;
    l.mpi_transfer_ns = Math.min(l.mpi_transfer_ns, l.overhead_between_strands_ns + l.sleep_ns);
    const on = Math.min(l.mpi_transfer_ns, l.overhead_between_strands_ns);
    l.overhead_between_strands_ns -= on;
    l.sleep_ns -= l.mpi_transfer_ns - on;
    // sleep for lack of a processor is a row of its own, if the profile has it
    l.sleep_run_delay_ns = Math.min(l.sleep_run_delay_ns ?? 0, l.sleep_ns);
    l.sleep_ns -= l.sleep_run_delay_ns;
    return l;
}
