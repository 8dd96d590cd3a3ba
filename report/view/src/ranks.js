/* ranks.js - the ranks of an MPI job: where the critical path is, what they were in MPI for, which
 * of them behave alike, and a map of ranks by what they did. The map's times in MPI are exact; its
 * functions are sampled.
 */
import { cost, profile, program } from "./data.js";
import { table, shareColumn } from "./table.js";
import { byId, clean, count, element, share, time } from "./text.js";

const STRIP = 16,
    GAP = 3,
    FUNCTIONS = 12; /* that get a strip of their own */
const IN_MPI = [
    ["late_sender_ns", "in MPI: late senders"],
    ["late_receiver_ns", "in MPI: late receivers"],
    ["collective_ns", "in MPI: ranks late at a collective"],
    ["sent_ns", "in MPI: sends"],
    ["transfer_ns", "in MPI: transfers"],
];

const all = profile.job?.ranks ?? [];
let strips = [] /* {name, file, colour, ns: by rank} */,
    at = -1; /* the column of the keyboard's cursor */

/* The ranks of an MPI job: where its critical path is, and what they were in MPI for. */
function rankTable() {
    const e = profile.job.efficiencies,
        part = (x) => `${(100 * x).toFixed(1)} %`,
        times = (title, key) => ({
            title,
            value: (i) => all[i][key],
            text: (i) => time(all[i][key]),
        });
    if (e) {
        byId("ranks-efficiencies").hidden = false;
        byId("ranks-efficiencies").textContent =
            e.serialisation === null
                ? `Parallel efficiency (POP, hybrid) ${part(e.parallel)} = MPI ${part(e.mpi)} `
                  + `\u00d7 threads ${part(e.threads)}; MPI = load balance `
                  + `${part(e.load_balance)} \u00d7 communication ${part(e.communication)}.`
                : `Parallel efficiency (POP) ${part(e.parallel)} = load balance `
                  + `${part(e.load_balance)} \u00d7 communication ${part(e.communication)}; `
                  + `communication = serialisation `
                  + `${part(e.serialisation)} \u00d7 transfer ${part(e.transfer)}.`;
    }
    table(byId("ranks-table"), {
        caption: "Ranks of the job",
        rows: all.map((_, i) => i),
        sort: 1,
        columns: [
            { title: "rank", first: "ascending", value: (i) => all[i].rank },
            shareColumn(
                "% span",
                (i) => all[i].on_path_ns,
                program.span_ns,
                "of the job's critical path",
            ),
            { title: "work", value: (i) => all[i].work_ns, text: (i) => cost(all[i].work_ns) },
            times("late senders", "late_sender_ns"),
            times("late receivers", "late_receiver_ns"),
            times("collectives", "collective_ns"),
            times("sends", "sent_ns"),
            times("transfers", "transfer_ns"),
            { title: "calls", value: (i) => all[i].calls, text: (i) => count(all[i].calls) },
            { title: "host", name: true, first: "ascending", value: (i) => clean(all[i].host) },
        ],
    });
}

/* ---- ranks that behave alike ---- */

function alikeTable() {
    const g = profile.job.alike;
    if (all.length < 4 || g.length === all.length) return;
    byId("alike").hidden = false;
    table(byId("alike-table"), {
        caption: "Ranks that behave alike",
        rows: g.map((_, i) => i),
        sort: 0,
        columns: [
            { title: "ranks", value: (i) => g[i].count, text: (i) => count(g[i].count) },
            { title: "like", first: "ascending", value: (i) => g[i].like },
            {
                title: "mean work",
                value: (i) => g[i].mean_work_ns,
                text: (i) => cost(g[i].mean_work_ns),
            },
            { title: "in MPI", value: (i) => g[i].in_mpi ?? 0, text: (i) => share(g[i].in_mpi, 1) },
            { title: "which", name: true, first: "ascending", value: (i) => g[i].ranks },
        ],
    });
}

/* ---- the map ---- */

/* The strips: the functions with most samples, the rest of the work, and MPI. */
function makeStrips() {
    const s = profile.job.samples,
        index = new Map(all.map((r, i) => [r.rank, i])),
        zero = () => new Float64Array(all.length),
        by = s.functions.map((f) => ({
            name: clean(f.label),
            file: clean(f.file ?? ""),
            colour: "--work",
            ns: zero(),
            sum: 0,
        })),
        rest = { name: "other work", file: "", colour: "--absent", ns: zero() };
    all.forEach((r, i) => (rest.ns[i] = r.work_ns));
    s.rank.forEach((number, i) => {
        const r = index.get(number),
            part = all[r].samples
                ? (all[r].work_ns * s.samples[i]) / all[r].samples
                : 0,
            f = by[s.function[i]];
        f.ns[r] += part;
        f.sum += part;
    });
    const most = by.sort((a, b) => b.sum - a.sum).slice(0, FUNCTIONS);
    for (const f of most) f.ns.forEach((ns, i) => (rest.ns[i] = Math.max(0, rest.ns[i] - ns)));
    const mpi = IN_MPI.map(([key, name]) => ({
        name,
        file: "",
        colour: "--idleness",
        ns: Float64Array.from(all, (r) => r[key]),
    }));
    strips = [...most, rest, ...mpi].filter((x) =>
        x.ns.some((ns, i) => ns > 0.001 * all[i].threads_ns),
    );
}

const shown = (canvas) => Math.min(all.length, Math.max(1, Math.floor(canvas.clientWidth / 2)));
/* The ranks of a column: FROM to TO - 1. */
const columnRanks = (column, columns) => ({
    from: Math.floor((column * all.length) / columns),
    to: Math.max(
        Math.floor((column * all.length) / columns) + 1,
        Math.floor(((column + 1) * all.length) / columns),
    ),
});

/* The largest share of a rank's time in a column: one rank that differs must not vanish. */
function part(strip, { from, to }) {
    let most = 0;
    for (let i = from; i < to; i++)
        if (all[i].threads_ns > 0) most = Math.max(most, strip.ns[i] / all[i].threads_ns);
    return Math.min(1, most);
}

function draw(canvas) {
    const width = Math.max(60, canvas.parentElement.clientWidth),
        height = strips.length * (STRIP + GAP) - GAP,
        dense = Math.min(2, devicePixelRatio || 1),
        style = getComputedStyle(document.documentElement);
    canvas.style.height = height + "px";
    canvas.width = width * dense;
    canvas.height = height * dense;
    const g = canvas.getContext("2d"),
        columns = shown(canvas),
        gap = width / columns > 8 ? 1 : 0;
    g.scale(dense, dense);
    strips.forEach((strip, k) => {
        const top = k * (STRIP + GAP);
        g.globalAlpha = 1;
        g.fillStyle = style.getPropertyValue("--page").trim();
        g.fillRect(0, top, width, STRIP);
        g.fillStyle = style.getPropertyValue(strip.colour).trim();
        for (let c = 0; c < columns; c++) {
            g.globalAlpha = Math.sqrt(part(strip, columnRanks(c, columns)));
            g.fillRect((c * width) / columns, top, width / columns - gap, STRIP);
        }
    });
}

/* What a column was doing, in words: one strip, or all of them. */
function say(canvas, column, strip) {
    const columns = shown(canvas),
        ranks = columnRanks(column, columns),
        single = ranks.to - ranks.from === 1,
        who = single
            ? `Rank ${all[ranks.from].rank}`
            : `Ranks ${all[ranks.from].rank} to ${all[ranks.to - 1].rank}, the most of one`,
        list = (strip ? [strip] : strips).flatMap((x) => {
            const p = part(x, ranks);
            return p > 0.0005 || strip
                ? [`${x.name} ${share(p, 1)}`
                   + (single ? ` (${time(x.ns[ranks.from])})` : "")]
                : [];
        });
    byId("rank-map-said").textContent = `${who}: ${list.join(", ") || "nothing known"}`;
}

function listen(canvas) {
    const column = (e) => {
        const box = canvas.getBoundingClientRect(),
            columns = shown(canvas);
        return Math.max(
            0,
            Math.min(columns - 1, Math.floor(((e.clientX - box.left) / box.width) * columns)),
        );
    };
    canvas.addEventListener("pointermove", (e) => {
        const row = Math.floor((e.clientY - canvas.getBoundingClientRect().top) / (STRIP + GAP));
        say(canvas, column(e), strips[row]);
    });
    canvas.addEventListener("keydown", (e) => {
        const last = shown(canvas) - 1,
            to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[e.key];
        if (to === undefined || e.ctrlKey || e.altKey || e.metaKey || e.shiftKey) return;
        e.preventDefault();
        at = Math.max(0, Math.min(last, to));
        const cursor = byId("rank-map-cursor");
        cursor.hidden = false;
        cursor.style.left = (100 * (at + 0.5)) / (last + 1) + "%";
        say(canvas, at);
    });
}

function map() {
    if (!profile.job.samples) return;
    makeStrips();
    if (!strips.length) return;
    byId("rank-map").hidden = false;
    byId("rank-map-names").append(
        ...strips.map((x) => element("span", { title: x.name }, x.name)),
    );
    byId("rank-map-first").textContent = `rank ${all[0].rank}`;
    byId("rank-map-last").textContent = `rank ${all.at(-1).rank}`;
    const canvas = byId("rank-map-canvas"),
        redraw = () => draw(canvas);
    redraw();
    listen(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    new ResizeObserver(redraw).observe(canvas.parentElement);
}

export function start() {
    if (all.length < 2) return;
    byId("ranks").hidden = false;
    rankTable();
    alikeTable();
    map();
}
