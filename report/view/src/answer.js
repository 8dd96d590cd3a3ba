/* answer.js - the first card: what limits the program in a headline and a sentence or two, the
 * code that this is about, and the figures. All other sentences are behind "more". */
import {
    cost,
    cutFor,
    functionColumns,
    functions,
    hasOutliers,
    labels,
    loopsDivide,
    METRICS,
    nameOf,
    names,
    profile,
    program,
    totals,
    tree,
} from "./data.js";
import { heaviest, scrollTo, selectRow } from "./selection.js";
import { hasSource, hottest } from "./source.js";
import { byId, clean, count, element, place, ratio, share } from "./text.js";

const workers = `${program.workers} worker${program.workers === 1 ? "" : "s"}`;
const hasTasks = program.tasks > 0 || program.spawns > 0;
const limit = hasTasks ? profile.limits?.[0] : undefined; /* the largest finding */

/* ---- sentences ---- */

const HEADLINES = {
    overhead: (part) => `The runtime takes ${part} of the worker time`,
    libprof: (part) => `libprof itself takes ${part} of the worker time`,
    span: () => `Too little parallelism: ${ratio(program.parallelism)} on ${workers}`,
    waits: (part) => `Strands wait for each other: ${part} of the worker time`,
    idleness: (part) => `Idle for ${part} of the worker time`,
    blocked: (part) => `Off the CPU for ${part} of the worker time`,
};

function headline() {
    if (!hasTasks) return "No tasks were seen";
    if (!program.span_ns) return "No cost was measured";
    const words = limit && HEADLINES[limit.what];
    return words
        ? words(`${(100 * limit.share).toFixed(0)} %`) /* as precise as the sentence below it */
        : `Parallelism ${ratio(program.parallelism)} on ${workers}`;
}

const isWarning = (text) => text.startsWith("! ");
const paragraph = (text) =>
    isWarning(text)
        ? element("p", { class: "warning" }, clean(text.slice(2)))
        : element("p", {}, clean(text));

function sentences() {
    const all = profile.words.limits,
        known = all.filter((text) => profile.words.first.includes(text)),
        first = known.length ? known : all.filter((text) => !isWarning(text)).slice(0, 1);
    const now = all.filter((text) => isWarning(text) || first.includes(text)),
        later = all.filter((text) => !now.includes(text));
    byId("headline").textContent = headline();
    byId("limits-words").append(...now.map(paragraph));
    byId("limits-more").hidden = !later.length;
    byId("limits-rest").append(...later.map(paragraph));
}

/* ---- the code that it is about ---- */

const METRIC_OF = { idleness: 2, overhead: 3 }; /* else the span */

/* The function that has the most of what limits the program; one with a verdict, if there is one.
 * -1: there is none. */
function guilty(m) {
    const own = functionColumns.self.metric[m],
        verdict = functionColumns.verdict,
        mine = functions.filter(
            (i) => own[i] > 0 && !labels[functionColumns.name[i]].startsWith("["),
        ),
        judged = mine.filter((i) => nameOf(verdict[i]));
    return (judged.length ? judged : mine).reduce((a, i) => (a < 0 || own[i] > own[a] ? i : a), -1);
}

const LONG = 80; /* a longer name would be more than three lines */

function button(table, row, name, where, words) {
    const go = () => {
        selectRow(table, row);
        scrollTo("selected", "nearest");
    };
    return element(
        "li",
        {},
        element(
            "button",
            { type: "button", class: "about", title: name, on: { click: go } },
            element("strong", {}, name.length > LONG ? name.slice(0, LONG - 1) + "…" : name),
            where && element("span", { class: "hint" }, where),
        ),
        words && element("p", { class: "hint" }, words),
    );
}

/* The place that the largest finding names, if a table has it. */
function placeOfLimit() {
    const at = limit?.site;
    if (!at) return [];
    const table = limit.what === "waits" ? "waits" : "sites",
        row = profile[table].findIndex(
            (r) => r.function === at.function && r.line === at.line && r.construct === at.construct,
        );
    if (row < 0) return [];
    const where = at.file ? place(clean(at.file), at.line) : clean(at.code ?? "");
    return [button(table, row, clean(at.function), where, clean(at.construct))];
}

const rowOf = (node) =>
    functions.find(
        (i) =>
            functionColumns.name[i] === tree.name[node]
            && functionColumns.file[i] === tree.file[node],
    );

/* For a function I without source, as those of libc: who called it on its heaviest path, and has
 * source. */
function callerOf(i) {
    if (!tree || hasSource(nameOf(functionColumns.file[i]))) return [];
    let at = heaviest(names[functionColumns.name[i]]);
    while (at > 0 && !hasSource(nameOf(tree.file[at]))) at = tree.parent[at];
    const row = at > 0 ? rowOf(at) : undefined;
    if (row === undefined) return [];
    /* the line of the call is not known: that of a node is the line of its busiest call */
    const where = place(nameOf(tree.file[at]));
    const words = "calls it, on its heaviest path";
    return [button("functions", row, labels[tree.name[at]], where, words)];
}

function functionOfLimit() {
    if (!functionColumns || !functions.length) return [];
    const wanted = METRIC_OF[limit?.what] ?? 0,
        m = totals[wanted] > 0 ? wanted : 0,
        i = guilty(m);
    if (i < 0) return [];
    const c = functionColumns,
        verdict = nameOf(c.verdict[i]),
        part = `${share(c.self.metric[m][i], totals[m])} ${METRICS[m].words}`,
        where = place(nameOf(c.file[i]), hottest(c.name[i], c.file[i]));
    return [
        button("functions", i, labels[c.name[i]], where, verdict ? `${part}: ${verdict}` : part),
        ...callerOf(i),
    ];
}

function about() {
    const all = [...functionOfLimit(), ...placeOfLimit()];
    byId("about").hidden = !all.length;
    byId("about").append(...all);
}

/* ---- figures ---- */

const AT_LEAST = { "lower bound": " (at least)", "not exact": " (not exact)" },
    AT_MOST = { "lower bound": " (at most)", "not exact": " (not exact)" };

function figures() {
    // more threads than worker slots: their time is the whole
    const slots =
        program.elapsed_ns * program.workers - Math.min(0, profile.ledger.extra_threads_ns ?? 0);
    const all = [
        ["Work", "T₁", cost(program.work_ns)],
        [
            `Span${AT_LEAST[program.certainty.span_ns] ?? ""}`,
            `T∞, ${program.certainty.span_ns}`,
            cost(program.span_ns),
        ],
        [
            `Parallelism${AT_MOST[program.certainty.span_ns] ?? ""}`,
            loopsDivide ? `T₁/T∞, loops ${cutFor}` : "T₁/T∞",
            ratio(program.parallelism),
        ],
        ...(loopsDivide
            ? [
                  [
                      "Loops divided",
                      "parallelism of their iterations, estimated",
                      ratio(program.parallelism_divisible),
                  ],
              ]
            : []),
        ...(hasOutliers
            ? [
                  [
                      "No outliers",
                      "parallelism if no strand took far longer than comparable strands, estimated",
                      ratio(program.parallelism_typical),
                  ],
              ]
            : []),
        ["Burdened parallelism", "with steals", ratio(program.burdened_parallelism)],
        ["Idle", "of worker time", share(program.idle_ns, slots)],
        ["Tasks", `${count(program.steals)} stolen`, count(program.tasks)],
    ];
    byId("figures").append(
        ...all.map(([name, what, value]) =>
            element(
                "div",
                {},
                element("dt", {}, name),
                element("dd", {}, value),
                element("dd", { class: "hint" }, what),
            ),
        ),
    );
}

export function start() {
    sentences();
    about();
    figures();
}
