/* timeline.js - what the threads did over the run: a strip for each, in bins of time; above them,
 * how many tasks were ready. All figures are samples: where a bin has none, nothing is drawn. A
 * range of bins can be marked with the mouse or the keyboard, and the table shows what was sampled
 * in it. marked.js has what else follows. The strips can be zoomed to a part of the run.
 */
import { profile, program } from "./data.js";
import { changed, keep } from "./link.js";
import { canMark, setMarked } from "./marked.js";
import { scrollTo } from "./selection.js";
import { byId, clean, count, element, number, share, time } from "./text.js";

/* From the bottom of a strip to its top, with the names of the colours in style.css. */
const KINDS = [
    ["work", "work: the program's own code", "work"],
    ["overhead", "overhead: the runtime inside strands", "overhead"],
    ["between", "between strands, on the CPU: searching, or the runtime", "between"],
    ["asleep", "between strands, off the CPU: asleep, or without a processor", "asleep"],
    ["blocked", "blocked or preempted inside strands", "blocked"],
    ["own", "libprof itself", "own"],
];
const OFF_CPU = ["blocked", "asleep"];
const GAP = 3,
    READY = 16 /* px of a name beside the chart of ready tasks, which has two */,
    LOWEST = 20 /* px of a strip among many */,
    HIGHEST = 40,
    ALL_STRIPS = 200 /* px, if they are few enough */,
    FEWEST = 4 /* bins that the strips show */,
    KEYS = 100; /* ms without a key, until the graph follows */

const line = profile.timeline,
    ready = line?.ready?.bin.length ? line.ready : null,
    most = Math.max(1, ...(ready?.most ?? [])) /* the height of its chart */,
    ABOVE = ready ? 2 * (READY + GAP) : 0; /* px above the strips, for the chart */
let rows = [],
    high = 0 /* px of a strip: more, where there are few */,
    view = { from: 0, to: 0 } /* the bins that are shown, both inclusive */,
    mark = null /* {from, to}: the marked bins, both inclusive; null: the whole run */,
    at = -1 /* the bin of the keyboard's cursor */,
    anchor = 0; /* where a range began */

const sampleNs = (kind) =>
    OFF_CPU.includes(kind) ? line.off_cpu_sample_ns : line.on_cpu_sample_ns;
const binTime = (bin) => time(Math.min(bin * line.bin_ns, program.elapsed_ns));
const binWidth = (bin) =>
    Math.max(1, Math.min(line.bin_ns, program.elapsed_ns - bin * line.bin_ns));

/* Where BIN begins, as a part of what is shown. */
const partOf = (bin) => (bin - view.from) / (view.to + 1 - view.from);
const inView = (bin) => bin >= view.from && bin <= view.to;

/* The ns of all kinds in the bins FROM to TO of the rows SOME. */
function sums(some, from, to) {
    return KINDS.map(([kind]) => {
        let samples = 0;
        for (const r of some)
            r.bin.forEach((bin, i) => (samples += bin >= from && bin <= to ? r[kind][i] : 0));
        return samples * sampleNs(kind);
    });
}

/* The ready tasks in the bins FROM to TO, in words; "": nobody counted. */
function readyWords(from, to) {
    let samples = 0,
        sum = 0,
        largest = 0;
    ready?.bin.forEach((bin, i) => {
        if (bin < from || bin > to) return;
        samples += ready.samples[i];
        sum += ready.mean[i] * ready.samples[i];
        largest = Math.max(largest, ready.most[i]);
    });
    return samples
        ? `tasks ready: ${number(sum / samples)} on average, at most ${count(largest)}`
        : "";
}

/* ---- drawing ---- */

/* The area is the mean of each bin, the line above it the largest count. */
function drawReady(g, width, style) {
    const bottom = ABOVE - GAP,
        level = (n) => bottom - 1 - ((bottom - 2) * n) / most;
    g.fillStyle = style.getPropertyValue("--page").trim();
    g.fillRect(0, 0, width, bottom);
    g.fillStyle = style.getPropertyValue("--ready").trim();
    ready.bin.forEach((bin, i) => {
        if (!inView(bin)) return;
        const left = partOf(bin) * width,
            wide = Math.min(width, partOf(bin + 1) * width + 0.5) - left;
        /* a bin in which none was ready has a base, so that it does not seem unknown */
        g.fillRect(left, level(ready.mean[i]), wide, bottom - level(ready.mean[i]));
        g.fillRect(left, level(ready.most[i]), wide, 1);
    });
}

function draw(canvas) {
    const width = Math.max(60, canvas.parentElement.clientWidth),
        height = ABOVE + rows.length * (high + GAP) - GAP,
        dense = Math.min(2, devicePixelRatio || 1),
        style = getComputedStyle(document.documentElement),
        colours = KINDS.map(([, , c]) => style.getPropertyValue("--" + c).trim()),
        unknown = style.getPropertyValue("--page").trim();
    canvas.width = width * dense;
    canvas.height = height * dense;
    canvas.style.height = height + "px";
    const g = canvas.getContext("2d");
    g.scale(dense, dense);
    if (ready) drawReady(g, width, style);
    rows.forEach((r, k) => {
        const top = ABOVE + k * (high + GAP);
        g.fillStyle = unknown;
        g.fillRect(0, top, width, high);
        r.bin.forEach((bin, i) => {
            if (!inView(bin)) return;
            const ns = KINDS.map(([kind]) => r[kind][i] * sampleNs(kind)),
                all = Math.max(
                    binWidth(bin),
                    ns.reduce((a, b) => a + b, 0),
                ),
                left = partOf(bin) * width,
                right = partOf(bin + 1) * width;
            let bottom = top + high;
            ns.forEach((v, m) => {
                const part = (high * v) / all;
                g.fillStyle = colours[m];
                /* neighbours overlap, so that no line shows between them */
                g.fillRect(left, bottom - part, Math.min(width, right + 0.5) - left, part);
                bottom -= part;
            });
        });
    });
}

/* ---- what is marked ---- */

/* How many tasks were ready in a range, and of which tasks that is not known. */
function readySentences(from, to) {
    const words = readyWords(from, to),
        unknown = line.ready?.unknown_tasks;
    return [
        words && `T${words.slice(1)}. A task is ready from its spawn until it begins.`,
        ready && !words && "How many tasks were ready here was not counted.",
        unknown
            && ready
            && "Not among them: tasks that had to wait for others when they were created, and "
                + `those of libgomp's taskloops (${count(unknown)} in all). Since when they could `
                + "begin is not known.",
        unknown
            && !ready
            && "How many tasks were ready is not known: those of this run had to wait for others "
                + "when they were created, or libgomp's taskloops made them "
                + `(${count(unknown)} in all).`,
    ]
        .filter(Boolean)
        .join(" ");
}

function showMark() {
    const box = byId("timeline-mark"),
        { from, to } = mark ?? { from: 0, to: line.bins - 1 };
    box.hidden = !mark;
    box.style.left = 100 * partOf(from) + "%";
    box.style.width = 100 * (partOf(to + 1) - partOf(from)) + "%";
    byId("timeline-clear").disabled = !mark && !zoomed();
    byId("timeline-of").textContent = mark
        ? `From ${binTime(from)} to ${binTime(to + 1)}, all threads, by samples:`
        : "The whole run, all threads, by samples:";
    byId("timeline-ready").textContent = readySentences(from, to);
    const ns = sums(rows, from, to),
        all = ns.reduce((a, b) => a + b, 0);
    byId("timeline-table").replaceChildren(
        element(
            "tbody",
            {},
            ...KINDS.map(([kind, words, colour], m) =>
                element(
                    "tr",
                    { "data-kind": kind },
                    element("td", { class: "swatch" }, element("span", { class: colour })),
                    element("th", { scope: "row" }, words),
                    element("td", { class: "number" }, share(ns[m], all)),
                    element("td", { class: "number" }, time(ns[m])),
                ),
            ),
        ),
    );
}

const LEAST = 100; /* px of the graph that are enough to see that it follows */

/* Calls CHANGE, which changes the graph above the strips: the strips stay where they are, unless
 * the graph of what is marked is off the screen. */
function inPlace(change) {
    const strips = byId("timeline-rows"),
        y = strips.getBoundingClientRect().top;
    change();
    scrollBy({ top: strips.getBoundingClientRect().top - y, behavior: "instant" });
    const { top, bottom, height } = byId("panes").getBoundingClientRect(),
        seen = Math.min(bottom, innerHeight) - Math.max(top, 0);
    if (mark && canMark && seen < Math.min(height, LEAST)) scrollTo("timeline-rows", "end");
}

/* The flame graph and the tables follow after WAIT ms without another call. */
let waiting;
function follow(wait) {
    const { from, to } = mark ?? {},
        words = mark && `${binTime(from)} to ${binTime(to + 1)}`;
    clearTimeout(waiting);
    const tell = () => setMarked(mark && { from, to, words });
    if (wait) waiting = setTimeout(() => inPlace(tell), wait);
    else if (restoring) tell();
    else inPlace(tell);
    changed();
}

function setMark(a, b) {
    mark = { from: Math.min(a, b), to: Math.max(a, b) };
    showMark();
}

function clear() {
    mark = null;
    at = -1;
    showCursor();
    showMark();
    follow(0);
}

/* The bins of TEXT, "FROM-TO", of a link; null: it has none. */
function binsOf(text) {
    const [, from, to] = (/^(\d{1,4})-(\d{1,4})$/.exec(text) ?? []).map(Number);
    return from <= to && to < line.bins ? { from, to } : null;
}

let restoring = false; /* a link, which does not scroll */
function restore(text) {
    const bins = binsOf(text);
    restoring = true;
    if (bins) setMark(bins.from, bins.to);
    if (bins) follow(0);
    else clear();
    restoring = false;
}

/* ---- zoom ---- */

const zoomed = () => view.to - view.from + 1 < line.bins;

/* Shows WIDE bins from FROM on, as far as there are such. */
function look(from, wide) {
    const n = Math.min(line.bins, Math.max(Math.min(FEWEST, line.bins), Math.round(wide))),
        first = Math.max(0, Math.min(line.bins - n, Math.round(from)));
    view = { from: first, to: first + n - 1 };
    const begin = Math.min(first * line.bin_ns, program.elapsed_ns),
        end = Math.min((view.to + 1) * line.bin_ns, program.elapsed_ns);
    byId("timeline-first").textContent = begin ? time(begin) : "0";
    byId("timeline-middle").textContent = time((begin + end) / 2);
    byId("timeline-end").textContent = time(end);
    byId("timeline-in").disabled = n <= FEWEST;
    byId("timeline-out").disabled = !zoomed();
    draw(byId("timeline-canvas"));
    showMark();
    showCursor();
    changed();
}

/* Shows FACTOR times as many bins; BIN stays where it is. */
function zoom(factor, bin) {
    const n = view.to - view.from + 1,
        wide = Math.max(FEWEST, Math.min(line.bins, n * factor));
    look(bin + 0.5 - (partOf(bin + 0.5) * wide), wide);
}

const middle = () => (view.from + view.to) / 2;
const zoomOut = () => zoom(2, middle());
/* Zooms to what is marked; else, or there already, to half of what is shown. */
function zoomIn() {
    const within = mark && mark.from >= view.from && mark.to <= view.to,
        wide = within ? mark.to - mark.from + 1 : 0;
    if (within && wide < view.to - view.from + 1) look(mark.from - (wide < FEWEST ? 1 : 0), wide);
    else zoom(0.5, at >= 0 && inView(at) ? at : middle());
}

function showCursor() {
    const cursor = byId("timeline-cursor");
    cursor.hidden = at < 0 || !inView(at);
    cursor.style.left = 100 * partOf(at + 0.5) + "%";
}

/* What one bin of a row had, in words; without ROW that of all. */
function say(bin, row) {
    const ns = sums(row ? [row] : rows, bin, bin),
        parts = KINDS.flatMap(([, words], m) =>
            ns[m] > 0 ? [`${words.split(":")[0]} ${time(ns[m])}`] : [],
        );
    byId("timeline-said").textContent =
        `${binTime(bin)} to ${binTime(bin + 1)}, ${row ? clean(row.label) : "all threads"}: `
        + (parts.join(", ") || "not sampled")
        + (readyWords(bin, bin) && "; " + readyWords(bin, bin));
}

/* ---- mouse and keyboard ---- */

function listen(canvas) {
    const place = (e) => {
        const box = canvas.getBoundingClientRect(),
            wide = view.to - view.from + 1,
            bin = view.from + Math.floor(((e.clientX - box.left) / box.width) * wide),
            row = Math.floor((e.clientY - box.top - ABOVE) / (high + GAP));
        return { bin: Math.max(view.from, Math.min(view.to, bin)), row: rows[row] };
    };
    let drags = false;
    canvas.addEventListener("pointerdown", (e) => {
        if (e.button) return;
        drags = true;
        anchor = place(e).bin;
        canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", (e) => {
        const p = place(e);
        say(p.bin, p.row);
        if (drags && (mark || p.bin !== anchor)) setMark(anchor, p.bin);
    });
    /* the graph follows at the end: it is above the strips, and may become higher */
    const drop = () => {
        if (drags) follow(0);
        drags = false;
    };
    canvas.addEventListener("pointerup", (e) => {
        if (drags && place(e).bin === anchor) clear();
        drop();
    });
    canvas.addEventListener("pointercancel", drop);
    canvas.addEventListener("keydown", (e) => {
        const last = line.bins - 1,
            to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[e.key];
        if (e.key === "Escape") clear();
        if (e.key === "+" || e.key === "=") zoomIn();
        if (e.key === "-") zoomOut();
        if (to === undefined || e.ctrlKey || e.altKey || e.metaKey) return;
        e.preventDefault();
        if (!e.shiftKey || at < 0) anchor = Math.max(0, Math.min(last, e.shiftKey ? at : to));
        at = Math.max(0, Math.min(last, to));
        if (e.shiftKey) {
            setMark(anchor, at);
            follow(KEYS);
        }
        const wide = view.to - view.from + 1;
        if (!inView(at)) look(at < view.from ? at : at - wide + 1, wide);
        showCursor();
        say(at);
    });
    canvas.addEventListener("wheel", (e) => {
        const wide = view.to - view.from + 1,
            aside = !e.ctrlKey && zoomed() && Math.abs(e.deltaX) > Math.abs(e.deltaY);
        if (!e.ctrlKey && !aside) return;
        e.preventDefault();
        if (aside) look(view.from + Math.sign(e.deltaX) * Math.ceil(wide / 16), wide);
        else if (e.deltaY) zoom(e.deltaY > 0 ? 1.25 : 0.8, place(e).bin);
    }, { passive: false });
    byId("timeline-in").addEventListener("click", zoomIn);
    byId("timeline-out").addEventListener("click", zoomOut);
    byId("timeline-clear").addEventListener("click", () => {
        look(0, line.bins);
        clear();
    });
    byId("marked-clear").addEventListener("click", () => {
        clear(); /* hides the button: the keyboard goes on above the graph */
        byId("metrics").querySelector(":checked").focus({ preventScroll: true });
    });
}

export function start() {
    if (!line?.rows.length) return;
    byId("timeline").hidden = false;
    rows = line.rows;
    const on = KINDS.filter(([kind]) => !OFF_CPU.includes(kind)),
        off = KINDS.filter(([kind]) => OFF_CPU.includes(kind)),
        samples = (kinds) =>
            rows.reduce(
                (all, r) =>
                    all + kinds.reduce((sum, [k]) => sum + r[k].reduce((a, b) => a + b, 0), 0),
                0,
            );
    byId("timeline-hint").textContent =
        `Sampled: ${count(samples(on))} times on the CPU, for ${time(line.on_cpu_sample_ns)} each, `
        + `and ${count(samples(off))} times off it, for ${time(line.off_cpu_sample_ns)} each, in `
        + `bins of ${time(line.bin_ns)}. Where a strip is empty, nothing was sampled.`
        + (line.unplaced_samples
            ? " Threads beyond the first 256 have no strip: "
              + `${count(line.unplaced_samples)} samples.`
            : "")
        + (ready
            ? " Above the strips: how many tasks were ready, the mean as an area, the largest "
              + "count as a line."
            : "")
        + (canMark
            ? " The flame graphs and the tables of functions and lines show a marked range, too."
            : "");
    byId("timeline-names").append(
        ...(ready
            ? [
                  element("span", { class: "ready" }, "tasks ready"),
                  element("span", { class: "ready scale" }, `0 to ${count(most)}`),
              ]
            : []),
        ...rows.map((r) => element("span", { title: clean(r.label) }, clean(r.label))),
    );
    high = Math.max(LOWEST, Math.min(HIGHEST, Math.floor(ALL_STRIPS / rows.length) - GAP));
    byId("timeline-rows").style.setProperty("--strip", high + "px");
    const canvas = byId("timeline-canvas"),
        redraw = () => draw(canvas);
    look(0, line.bins);
    listen(canvas);
    keep(
        "time",
        () => (zoomed() ? `${view.from}-${view.to}` : ""),
        (text) => {
            const { from, to } = binsOf(text) ?? { from: 0, to: line.bins - 1 };
            look(from, to - from + 1);
        },
    );
    keep("mark", () => (mark ? `${mark.from}-${mark.to}` : ""), restore);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    new ResizeObserver(redraw).observe(canvas.parentElement);
}
