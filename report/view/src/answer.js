/* answer.js - the first card: what limits the program in a headline and a sentence or two, the
 * code that this is about, and the figures. All other sentences are behind "more". */
import {
    cost,
    cutFor,
    functionColumns,
    functions,
    hasTasks,
    hasOutliers,
    labels,
    ledgerRows,
    loopsDivide,
    METRICS,
    nameOf,
    names,
    profile,
    program,
    rowOf,
    timed,
    totals,
    tree,
} from "./data.js";
import { heaviest, scrollTo, selectRow } from "./selection.js";
import { hasSource, hottest } from "./source.js";
import { byId, clean, count, element, place, ratio, share, time } from "./text.js";

/* The idle time without a job's time in MPI, and what it is a share of. */
function idle() {
    if (!(profile.job?.ranks.length > 1) || !profile.ledger.total_ns || !timed)
        return [program.idle_ns, "of worker time"];
    const l = ledgerRows(profile.ledger);
    return [
        l.search_ns + l.sleep_ns + l.sleep_run_delay_ns + l.without_thread_ns,
        "of worker time, outside MPI",
    ];
}

const workers = `${program.workers} worker${program.workers === 1 ? "" : "s"}`;
const limit = hasTasks ? profile.limits?.[0] : undefined; /* the largest finding */

/* ---- sentences ---- */

const HEADLINES = {
    overhead: (part) => `The runtime takes ${part} of the worker time`,
    libprof: (part) => `libprof itself takes ${part} of the worker time`,
    span: () => `Too little parallelism: ${ratio(program.parallelism)} on ${workers}`,
    mpi: (part) => `In MPI for ${part} of the worker time`,
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

/* Of a program without tasks: that no sample hit it, and why, if that is known. */
function withoutSamples() {
    const { samples, period_ns: period, source } = profile.sampling;
    if (samples) return [];
    const text = !source
        ? "No samples were taken, so the profile does not show which functions ran."
        : timed && period > program.work_ns
          ? `It ran for ${time(program.work_ns)}, and samples are ${time(period)} apart: none hit `
            + "it, so the profile does not show which functions ran."
          : "No sample hit it, so the profile does not show which functions ran.";
    return [element("p", {}, text)];
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
    if (!hasTasks && profile.sampling) byId("limits-words").append(...withoutSamples());
    byId("actions").append(...profile.words.actions.map(paragraph));
    byId("limits-more").hidden = !later.length;
    byId("limits-rest").append(...later.map(paragraph));
}

/* ---- the code that it is about ---- */

const METRIC_OF = { idleness: "idleness", overhead: "overhead", blocked: "blocked" };
const metricOf = (key) => METRICS.findIndex((m) => m.key === key);

/* The function that has the most of what limits the program; one with a verdict, if there is one.
 * -1: there is none. */
function guilty(m) {
    const own = functionColumns.self.metric[m],
        verdict = functionColumns.verdict,
        mine = functions.filter(
            (i) =>
                own[i] > 0
                && functionColumns.name[i] !== tree.name[0]
                && !labels[functionColumns.name[i]].startsWith("["),
        ),
        judged = mine.filter((i) => nameOf(verdict[i]));
    return (judged.length ? judged : mine).reduce((a, i) => (a < 0 || own[i] > own[a] ? i : a), -1);
}

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
            element("strong", {}, name),
            /* a region and a lambda have their line in the name */
            where
                && !/ at [^ ]+:\d+$/.test(name)
                && element("span", { class: "hint" }, where),
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
    const name = (table === "waits" ? profile.wait_words : profile.site_words)[row];
    return [button(table, row, clean(name), where, clean(at.construct))];
}

const c = functionColumns;
const nodeRow = (node) => rowOf(tree.name[node], tree.file[node]);
const withVerdict = (part, i) => {
    const verdict = nameOf(c.verdict[i]);
    return verdict ? `${part}: ${verdict}` : part;
};

/* Of function I by metric M. If it is the system's, it is in no source of the program's: then of
 * its CALLER, a node, which calls it at LINE (0: not known). */
function functionButton(i, m, caller, line) {
    const part = `${share(c.self.metric[m][i], totals[m])} ${METRICS[m].words}`,
        row = caller > 0 ? nodeRow(caller) : -1;
    if (row < 0) {
        const where = place(nameOf(c.file[i]), hottest(c.name[i], c.file[i]));
        return button("functions", i, labels[c.label[i]], where, withVerdict(part, i));
    }
    return button(
        "functions",
        row,
        labels[tree.label[caller]],
        place(nameOf(tree.file[caller]), line),
        withVerdict(`calls ${labels[c.label[i]]}, ${part}`, i),
    );
}

/* Of the code at NODE by metric M, with all that it called. */
function nodeButton(node, line, m) {
    const row = nodeRow(node);
    if (row < 0 || m < 0) return [];
    const part = `${share(c.all.metric[m][row], totals[m])} ${METRICS[m].words}`;
    return [
        button(
            "functions",
            row,
            labels[tree.label[node]],
            place(nameOf(tree.file[node]), line),
            `${part}, with what it called`,
        ),
    ];
}

/* For a function I without source, as those of libc: the node that called it on its heaviest path,
 * and has source; -1: there is none. */
function callerOf(i) {
    if (hasSource(nameOf(c.file[i]))) return -1;
    let at = heaviest(names[c.name[i]]);
    while (at > 0 && !hasSource(nameOf(tree.file[at]))) at = tree.parent[at];
    return at > 0 ? at : -1;
}

/* The code that the report's sentences name, else the function with the most of what limits the
 * program. */
function functionOfLimit() {
    if (!tree || !functions.length) return [];
    const said = profile.words.about;
    if (said && said.function < 0)
        return nodeButton(said.path, said.line, metricOf(said.metric));
    if (said && metricOf(said.metric) >= 0)
        return [functionButton(said.function, metricOf(said.metric), said.path, said.line)];
    const wanted = metricOf(METRIC_OF[limit?.what] ?? "span"),
        m = totals[wanted] > 0 ? wanted : 0,
        i = guilty(m);
    /* the line of the call is not known: that of a node is the line of its busiest call */
    return i < 0 ? [] : [functionButton(i, m, callerOf(i), 0)];
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
    const [idleNs, idleOf] = idle();
    const measured = (v) => (program.span_ns ? cost(v) : "–");
    const all = [
        ["Work", "T₁", measured(program.work_ns)],
        [
            `Span${AT_LEAST[program.certainty.span_ns] ?? ""}`,
            `T∞, ${program.certainty.span_ns}`,
            measured(program.span_ns),
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
        /* without tasks, nothing is stolen, and no worker can lack any */
        ...(hasTasks
            ? [
                  ["Burdened parallelism", "with steals", ratio(program.burdened_parallelism)],
                  ["Idle", idleOf, share(idleNs, slots)],
                  ["Tasks", `${count(program.steals)} stolen`, count(program.tasks)],
              ]
            : [["Samples", "of its code", count(profile.sampling?.samples ?? 0)]]),
        ...Object.entries(profile.settings ?? {})
            .filter(([key]) => key.startsWith("event:"))
            .map(([key, value]) => [
                clean(key.slice(6)),
                "counted for the process",
                count(Number(value)),
            ]),
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
