/* main.js - the page from top to bottom. */
import "./style.css";
import { start as startAnswer } from "./answer.js";
import { start as startBench } from "./bench.js";
import {
    MARKED,
    METRICS,
    cost,
    findingOf,
    functionColumns,
    functionFigures,
    functions,
    hasTasks,
    lineColumns,
    lines,
    labelOf,
    labels,
    ledgerRows,
    marked,
    names,
    nameOf,
    profile,
    program,
    timed,
    timedSamples,
    totals,
    tree,
} from "./data.js";
import { fade } from "./edges.js";
import { keepSearch, start as startGraphs } from "./flame_controls.js";
import { findingText } from "./flame_tip.js";
import { start as startLink } from "./link.js";
import { onMarked, subsetWords } from "./marked.js";
import { start as startPlot } from "./plot.js";
import { isSelected, keepSelection, selectable, selectFrame, showRow } from "./selection.js";
import { hottest } from "./source.js";
import { shareColumn, table } from "./table.js";
import { start as startRanks } from "./ranks.js";
import { start as startTimeline } from "./timeline.js";
import { start as startWhatif } from "./whatif.js";
import {
    base,
    byId,
    clean,
    count,
    element,
    isKey,
    percent,
    place,
    ratio,
    share,
    time,
} from "./text.js";

/* ---- top ---- */

function header() {
    const command = clean(program.cmdline || program.exe);
    byId("command").textContent = command;
    document.title = `${clean(base(program.exe)).slice(0, 60)} – libprof`;
    const started = program.start_unix_ns
        ? new Date(program.start_unix_ns / 1e6).toLocaleString()
        : "at an unknown time";
    const ends = {
        running: "had not ended",
        signal: `killed by signal ${program.exit_status}`,
        exec: "replaced itself (exec)",
    };
    document.addEventListener("keydown", (e) => {
        if (isKey(e, "?")) byId("terms").open = !byId("terms").open;
    });
    byId("facts").textContent = [
        started,
        `pid ${program.pid}`,
        ends[program.end] ?? `exit status ${program.exit_status}`,
        `${program.workers} worker${program.workers === 1 ? "" : "s"}`,
        `${time(program.elapsed_ns)} elapsed`,
        `${time(program.cpu_ns - (profile.ledger.cpu_before_libprof_ns ?? 0))} CPU`,
        `clock ${clean(program.clock)}`,
    ].join(" · ");
}

const LEDGER = [
    ["work_ns", "work: the program's own code", "work"],
    ["overhead_in_strands_ns", "overhead: the runtime inside strands", "overhead"],
    ["overhead_between_strands_ns", "overhead: the runtime between strands", "overhead"],
    ["search_ns", "idle: searching for work", "idleness"],
    ["sleep_ns", "idle: asleep", "idleness"],
    ["sleep_run_delay_ns", "idle: ready, others had the processors", "idleness"],
    ["mpi_waits_ns", "in MPI: waiting for other ranks", "idleness"],
    ["mpi_transfer_ns", "in MPI: transfers, and the library's own work", "overhead"],
    ["blocked_ns", "blocked or preempted inside strands", "blocked"],
    ["own_ns", "libprof itself", "own"],
    ["without_thread_ns", "worker slots without a thread", "absent"],
];

function ledger() {
    const l = profile.ledger.total_ns ? ledgerRows(profile.ledger) : profile.ledger,
        ready = l.sleep_run_delay_ns ?? 0;
    if (!l.total_ns || !timed) {
        byId("ledger").hidden = true;
        return;
    }
    // more threads than worker slots: shares are of the threads' time
    const crowd = l.extra_threads_ns < 0,
        all = l.total_ns - Math.min(0, l.extra_threads_ns);
    if (crowd)
        byId("ledger-of").textContent =
            "All threads\u2019 time, to 100 %: there were more threads than worker slots.";
    const rows = LEDGER.filter(
        ([key]) =>
            (!crowd || key !== "without_thread_ns") &&
            (ready > 0 || key !== "sleep_run_delay_ns") &&
            (profile.job || !key.startsWith("mpi_")),
    );
    byId("ledger-table").append(
        element(
            "tbody",
            {},
            ...rows.map(([key, words, kind]) =>
                element(
                    "tr",
                    {},
                    element("td", { class: "swatch" }, element("span", { class: kind })),
                    element("th", { scope: "row" }, words),
                    element("td", { class: "number" }, share(l[key], all)),
                    element("td", { class: "number" }, time(l[key])),
                ),
            ),
        ),
    );
    for (const [key, , kind] of rows) {
        const part = element("span", { class: kind });
        part.style.width = Math.max(0, percent(l[key], all)) + "%";
        byId("ledger-bar").append(part);
    }
}

/* ---- tables ---- */

/* Shows a table ID-table of the section ID, again each time that the mark in the timeline changes.
 * OF(isMarked) returns what table() takes. Each of the two tables keeps how it is sorted. */
function followMark(id, what, of) {
    const like = {},
        make = (now) =>
            table(
                byId(`${id}-table`),
                { ...of(now), isPicked: (i) => isSelected(id, i) },
                like[now],
            );
    let now = Boolean(marked.words),
        sorted = make(now);
    onMarked(() => {
        like[now] = sorted();
        now = Boolean(marked.words);
        sorted = make(now);
        byId(`${id}-marked`).hidden = !now;
        byId(`${id}-marked`).textContent =
            `Marked: ${marked.words}. The ${what} that strands were in then, on the CPU or `
            + `blocked, with their shares of that time. All else is of the whole run. `
            + subsetWords();
    });
}

function functionTable() {
    const c = functionColumns;
    if (!tree || !functions.length) return;
    const own = (m) => (i) => c.self.metric[m][i],
        all = (m) => (i) => c.all.metric[m][i];
    const rows = functions.filter((i) =>
            c.all.metric.some((column, m) => m !== MARKED && column[i] > 0),
        ),
        name = {
            title: "function",
            name: true,
            first: "ascending",
            value: (i) => labels[c.label[i]],
            full: (i) => names[c.name[i]],
        },
        blocked = METRICS.findIndex((m) => m.key === "blocked"),
        costs = [
            shareColumn("% span", own(0), totals[0], "its own share of the critical path"),
            shareColumn("% idle", own(2), totals[2], "its own share of the idleness"),
            shareColumn("% work", own(1), totals[1], "its own share of the work"),
            shareColumn("% overhead", own(3), totals[1], "overhead called from here, of all work"),
            ...(blocked < 0
                ? []
                : [
                      shareColumn(
                          "% blocked",
                          own(blocked),
                          totals[blocked],
                          "its own share of the time off the CPU in strands",
                      ),
                  ]),
            shareColumn("% span, all", all(0), totals[0], "with what it called and spawned"),
            shareColumn("% work, all", all(1), totals[1], "with what it called and spawned"),
            {
                title: "parallelism",
                value: (i) => c.all.metric[1][i] / (c.all.metric[0][i] || Infinity),
                text: (i) => ratio(c.all.metric[1][i] / c.all.metric[0][i]),
            },
            {
                title: "file",
                name: true,
                first: "ascending",
                value: (i) => base(nameOf(c.file[i])),
                full: (i) => nameOf(c.file[i]),
            },
            {
                title: "verdict",
                name: true,
                words: true,
                first: "ascending",
                value: (i) => findingOf(i)?.id ?? "",
                full: (i) => findingOf(i)?.text,
            },
        ];
    byId("functions").hidden = !rows.length;
    const pick = selectable("functions", timedSamples ? functions : rows, (i) => {
        const f = findingOf(i);
        showRow(
            labels[c.label[i]],
            () => [f ? findingText(f) : "", element("p", {}, functionFigures(i))],
            nameOf(c.file[i]),
            hottest(c.name[i], c.file[i]),
            names[c.name[i]],
        );
    });
    followMark("functions", "functions", (now) => ({
        caption: "Functions",
        rows: now ? functions.filter((i) => all(MARKED)(i) > 0) : rows,
        sort: 1,
        columns: [
            name,
            ...(now
                ? [
                      shareColumn("% marked", own(MARKED), totals[MARKED], "its own share"),
                      shareColumn(
                          "% marked, all",
                          all(MARKED),
                          totals[MARKED],
                          "with what it called and spawned",
                      ),
                  ]
                : []),
            ...costs,
        ],
        pick,
    }));
}

/* The marks after a site's construct: how certain its work and its span are. index.html explains
 * them. */
const SURE = { "as executed": " +", "lower bound": " *", "not exact": " ?" };
const marks = ({ certainty: c }) =>
    (c.work_ns === "upper bound" ? " <" : "") + (SURE[c.span_ns] ?? "");

function siteTable() {
    const s = profile.sites,
        rows = s.map((_, i) => i),
        name = profile.site_words.map(clean),
        file = s.map((r) => clean(r.file ?? ""));
    /* the program's own strands, and nothing else */
    if (s.every((r) => r.outside_tasks) && !hasTasks) return;
    byId("sites").hidden = false;
    const where = (i) => (file[i] ? place(file[i], s[i].line) : clean(s[i].code ?? ""));
    table(byId("sites-table"), {
        caption: "Spawn sites",
        rows,
        sort: 3,
        columns: [
            {
                title: "function",
                name: true,
                first: "ascending",
                value: (i) => name[i],
                full: (i) => clean(s[i].function),
            },
            { title: "place", name: true, first: "ascending", value: where, full: (i) => file[i] },
            {
                title: "construct",
                name: true,
                first: "ascending",
                value: (i) => clean(s[i].construct) + marks(s[i]),
            },
            shareColumn(
                "% span",
                (i) => s[i].on_span.local_span_ns,
                program.span_ns,
                "local span: its own share of the critical path",
            ),
            shareColumn("% work", (i) => s[i].local_work_ns, program.work_ns, "local work"),
            { title: "work", value: (i) => s[i].work_ns, text: (i) => cost(s[i].work_ns) },
            { title: "span", value: (i) => s[i].span_ns, text: (i) => cost(s[i].span_ns) },
            {
                title: "parallelism",
                value: (i) => s[i].parallelism ?? 0,
                text: (i) => ratio(s[i].parallelism),
            },
            {
                title: "executions",
                value: (i) => s[i].invocations,
                text: (i) => count(s[i].invocations),
            },
            { title: "tasks", value: (i) => s[i].tasks, text: (i) => count(s[i].tasks) },
            { title: "steals", value: (i) => s[i].steals, text: (i) => count(s[i].steals) },
        ],
        pick: selectable("sites", rows, (i) =>
            showRow(
                name[i],
                () => [
                    element(
                        "p",
                        {},
                        `${clean(s[i].construct) || "outside every task"}`
                            + `${where(i) ? " at " + where(i) : ""}: work ${cost(s[i].work_ns)}, `
                            + `span ${cost(s[i].span_ns)}, parallelism ${ratio(s[i].parallelism)}`
                            + (s[i].certainty.work_ns === "upper bound"
                                ? "; the work is an upper bound"
                                : "")
                            + (s[i].certainty.span_ns === "exact"
                                ? ""
                                : `; the span is ${s[i].certainty.span_ns}`),
                    ),
                ],
                file[i],
                s[i].line ?? 0,
                clean(profile.site_names[i]),
            ),
        ),
    });
}

function callTable() {
    const c = profile.job?.calls ?? [],
        file = c.map((x) => clean(x.file ?? "")),
        where = (i) => (file[i] ? place(file[i], c[i].line) : clean(c[i].code ?? ""));
    if (!c.length) return;
    byId("calls").hidden = false;
    table(byId("calls-table"), {
        caption: "In MPI",
        rows: c.map((_, i) => i),
        sort: 4,
        columns: [
            {
                title: "function",
                name: true,
                first: "ascending",
                value: (i) => clean(c[i].label),
                full: (i) => clean(c[i].function),
            },
            { title: "place", name: true, first: "ascending", value: where, full: (i) => file[i] },
            { title: "call", name: true, first: "ascending", value: (i) => clean(c[i].construct) },
            { title: "for", name: true, first: "ascending", value: (i) => clean(c[i].for) },
            { title: "time", value: (i) => c[i].time_ns, text: (i) => cost(c[i].time_ns) },
            { title: "times", value: (i) => c[i].count, text: (i) => count(c[i].count) },
        ],
    });
}

function waitTable() {
    const w = profile.waits,
        rows = w.map((_, i) => i),
        name = profile.wait_words.map(clean),
        file = w.map((r) => clean(r.file ?? ""));
    if (!w.length) return;
    byId("waits").hidden = false;
    const idle = profile.ledger.search_ns + profile.ledger.sleep_ns,
        where = (i) => (file[i] ? place(file[i], w[i].line) : clean(w[i].code ?? ""));
    table(byId("waits-table"), {
        caption: "Waits for others to leave",
        rows,
        sort: 3,
        columns: [
            {
                title: "function",
                name: true,
                first: "ascending",
                value: (i) => name[i],
                full: (i) => clean(w[i].function),
            },
            { title: "place", name: true, first: "ascending", value: where, full: (i) => file[i] },
            {
                title: "to enter",
                name: true,
                first: "ascending",
                value: (i) => clean(w[i].construct),
            },
            { title: "waited", value: (i) => w[i].waited_ns, text: (i) => cost(w[i].waited_ns) },
            shareColumn(
                "% idle",
                (i) => w[i].waited_ns,
                idle,
                "of the idle time, searching and asleep",
            ),
            { title: "times", value: (i) => w[i].count, text: (i) => count(w[i].count) },
        ],
        pick: selectable("waits", rows, (i) =>
            showRow(
                name[i],
                () => [
                    element(
                        "p",
                        {},
                        `waited ${cost(w[i].waited_ns)} in ${count(w[i].count)} times to enter `
                            + `${clean(w[i].construct)}${where(i) ? " at " + where(i) : ""}`,
                    ),
                ],
                file[i],
                w[i].line ?? 0,
                clean(profile.wait_names[i]),
            ),
        ),
    });
}

function lineTable() {
    const c = lineColumns;
    if (!lines.length) return;
    const sum = (column) => column.reduce((a, b) => a + b, 0),
        onSpan = sum(c.self.onSpan),
        samples = sum(c.self.samples),
        /* the others were hit off the CPU alone */
        rows = lines.filter((i) => c.self.samples[i] > 0),
        marks = (i) => c.self.metric[MARKED][i];
    /* without a mark, there may be none */
    const show = () => (byId("lines").hidden = !rows.length && !marked.words);
    show();
    onMarked(show);
    const pick = selectable("lines", lines, (i) =>
        showRow(
            labelOf(c.name[i], c.file[i]),
            () => [],
            nameOf(c.file[i]),
            c.line[i],
            c.name[i],
        ),
    );
    followMark("lines", "lines", (now) => ({
        caption: "Lines",
        rows: now ? lines.filter((i) => marks(i) > 0) : rows,
        sort: 1,
        columns: [
            {
                title: "line",
                name: true,
                first: "ascending",
                value: (i) => place(nameOf(c.file[i]), c.line[i]),
                full: (i) => nameOf(c.file[i]),
            },
            ...(now ? [shareColumn("% marked", marks, totals[MARKED])] : []),
            shareColumn(
                "% span",
                (i) => c.self.onSpan[i],
                onSpan,
                "of the samples on the critical path",
            ),
            shareColumn("% samples", (i) => c.self.samples[i], samples),
            {
                title: "samples on span",
                value: (i) => c.self.onSpan[i],
                text: (i) => count(c.self.onSpan[i]),
            },
            {
                title: "samples",
                value: (i) => c.self.samples[i],
                text: (i) => count(c.self.samples[i]),
            },
            {
                title: "function",
                name: true,
                first: "ascending",
                value: (i) => labelOf(c.name[i], c.file[i]),
                full: (i) => names[c.name[i]],
            },
        ],
        pick,
    }));
}

function regionTable() {
    const r = profile.regions;
    if (!r.length) return;
    byId("regions").hidden = false;
    table(byId("regions-table"), {
        caption: "Regions",
        rows: r.map((_, i) => i),
        sort: 2,
        columns: [
            { title: "region", name: true, first: "ascending", value: (i) => clean(r[i].name) },
            { title: "count", value: (i) => r[i].count, text: (i) => count(r[i].count) },
            { title: "work", value: (i) => r[i].work_ns, text: (i) => cost(r[i].work_ns) },
            { title: "span", value: (i) => r[i].span_ns, text: (i) => cost(r[i].span_ns) },
            {
                title: "parallelism",
                value: (i) => r[i].parallelism ?? 0,
                text: (i) => ratio(r[i].parallelism),
            },
            {
                title: "burdened par.",
                value: (i) => r[i].burdened_parallelism ?? 0,
                text: (i) => ratio(r[i].burdened_parallelism),
            },
            {
                title: "longest",
                value: (i) => r[i].max_span_ns,
                text: (i) => cost(r[i].max_span_ns),
            },
        ],
    });
}

function notes() {
    const all = [
        ...profile.words.certainty.map(clean),
        ...profile.notes.map(
            (n) =>
                `${n.kind.replace("_", " ")}: ${clean(n.name)} `
                + `(${count(n.count)}): ${clean(n.text)}`,
        ),
        ...(profile.names_missing ? [`Names are missing for ${clean(profile.names_missing)}`] : []),
    ];
    byId("notes").hidden = !all.length;
    byId("notes-list").append(...all.map((text) => element("li", {}, text)));
}

document.querySelectorAll("main .scroll").forEach(fade);
header();
startAnswer();
ledger();
startTimeline();
startGraphs(selectFrame);
startPlot();
startWhatif();
startBench();
functionTable();
siteTable();
startRanks();
callTable();
waitTable();
lineTable();
regionTable();
notes();
keepSelection();
keepSearch();
startLink();
/* for measurements: from here on the page can be used */
document.documentElement.dataset.ready = performance.now().toFixed(0);
