/* flame_controls.js - what the flame graphs of the page show: their metric, their side, the frame
 * that is zoomed to, what a search marks. flame.js draws each. */
import { addressOf, frameAt, rootFrame } from "./call_trees.js";
import { COLOURS, legend } from "./flame_colours.js";
import { MARKED, METRICS, before, marked, metricsNow, profile, totals, tree } from "./data.js";
import { Pane } from "./flame.js";
import { hideTip, showTip } from "./flame_tip.js";
import { changed, keep } from "./link.js";
import { onMarked, subsetWords } from "./marked.js";
import { coverage, find, widest } from "./search_match.js";
import { byId, clean, element, isKey, share, time } from "./text.js";

const LEFT = 2, /* the metrics side by side at first */
    RIGHT = 0;
const state = {
    metric: 0,
    beside: false,
    left: LEFT,
    right: RIGHT,
    bottomUp: false,
    colours: COLOURS[0].key,
    focus: null,
    search: null,
    unmarked: null /* while a range is marked: what was shown before, as `choose` takes it */,
};
const sampling = profile.sampling;
let onSelect = () => {};
let panes = [];
let single; /* the pane of the one graph, or the left one */

const shownMetrics = () => (state.beside ? [state.left, state.right] : [state.metric]);

/* The key of what frames are coloured by now. Marked time has no change: other profiles have other
 * times. */
const coloursNow = () =>
    state.colours === "change" && shownMetrics().includes(MARKED) ? "parallelism" : state.colours;

function hover(frame, event, pane) {
    for (const other of panes) other.twin(frame && other !== pane ? frame : null);
    if (frame && event?.pointerType !== "touch") showTip(frame, event, pane);
    else hideTip();
}

/* ---- drawing ---- */

function draw() {
    if (!tree) return;
    let left = 0,
        part = 0;
    shownMetrics().forEach((m, k) => {
        const what = panes[k].draw(m, state.focus, state.search?.hits ?? null, coloursNow());
        left += what.left;
        part = Math.max(part, what.part);
    });
    byId("zoom-out").disabled = !state.focus.parent;
    byId("graph-words").textContent =
        (state.bottomUp
            ? "Each function that costs something of its own; below it those that called it. "
            : "Below a function those that it called or spawned, whichever thread ran them. ")
        + (shownMetrics().some((m) => METRICS[m].key === "blocked")
            ? "[blocked] is what off-CPU samples show no place for, as of strands that were ready "
              + "and had no processor. "
            : "")
        + (coloursNow() === "change"
            ? "Red: costs more than before, blue: less; what is gone is not drawn. "
            : "")
        + (left
            ? `Frames narrower than ${(100 * part).toFixed(2)} % `
              + "of what is zoomed to are not drawn."
            : "");
    showLegend();
    changed();
}

function showLegend() {
    const { title, classes } = legend(
        coloursNow(),
        matchMedia("(prefers-color-scheme: dark)").matches,
    );
    byId("legend").replaceChildren(
        element("span", {}, title),
        ...classes.map(({ words, colour }) => {
            const swatch = element("i", { "aria-hidden": "true" });
            swatch.style.background = colour;
            return element("span", {}, swatch, words);
        }),
    );
}

function layout() {
    const wanted = state.beside ? 2 : 1;
    while (panes.length < wanted) panes.push(new Pane(handlers));
    panes.length = wanted;
    byId("panes").replaceChildren(...panes.map((p) => p.root));
    byId("panes").classList.toggle("beside", state.beside);
    byId("sides").hidden = !state.beside;
    draw();
}

const handlers = {
    hover,
    zoom(frame, byKey, pane) {
        state.focus = frame;
        hideTip();
        draw();
        if (byKey) (pane ?? panes[0]).enter(frame);
        onSelect(frame);
    },
    out(pane) {
        if (state.focus.parent) handlers.zoom(state.focus.parent, true, pane);
    },
};

function reset() {
    state.focus = rootFrame(state.bottomUp);
    hideTip();
    draw();
}

function search(text) {
    state.search = find(text);
    showFound();
    draw();
}

function showFound() {
    const found = byId("found");
    found.hidden = !state.search;
    if (state.search) {
        const { frames, sums } = coverage(state.search.hits),
            m = shownMetrics().at(-1);
        const functions = state.search.found
            ? new Set(tree.name.filter((n) => state.search.hits[n])).size
            : 0;
        found.textContent = frames
            ? `${functions} function${functions === 1 ? "" : "s"} in `
              + `${frames} frame${frames === 1 ? "" : "s"}: `
              + METRICS.map((metric, k) => `${share(sums[k], totals[k])} ${metric.words}`)
                  .filter((_, k) => totals[k] > 0)
                  .join(", ")
            : "Nothing is called so.";
    }
}

function setSearch(text) {
    byId("search").value = text;
    search(text);
}

/* Marks the functions called NAME, as a search for it would. */
export function searchFor(name) {
    if (tree) setSearch(`"${name}"`);
}

/* ---- the marked range ---- */

/* What is shown, as `choose` takes it. */
const shown = () => (state.beside ? "beside" : METRICS[state.metric].key);

/* While a range is marked, there is one more metric; it is chosen when the mark is made, and what
 * was chosen before comes back with the end of the mark. */
function showMarked() {
    byId("marked").hidden = !marked.words;
    byId("marked-words").textContent = marked.words
        ? `Marked: ${marked.words}, ${time(totals[MARKED])} sampled in strands, `
          + `${time(tree.off.all[0])} of it blocked. All else is of the whole run. ${subsetWords()}`
        : "";
    for (const e of document.querySelectorAll("#metrics .marked, #sides .marked"))
        e.hidden = !marked.words;
    showFound();
    if (marked.words && state.unmarked === null) {
        state.unmarked = shown();
        setMetric("marked");
    } else if (!marked.words && state.unmarked !== null) {
        const back = shown() === "marked" ? state.unmarked : shown();
        state.unmarked = null;
        if (state.left === MARKED) setSide("left", LEFT, "");
        if (state.right === MARKED) setSide("right", RIGHT, "");
        setMetric(back);
    } else {
        draw();
    }
}

/* ---- what a link keeps ---- */

function setMetric(name) {
    const names = [...metricsNow().map((m) => METRICS[m].key), "beside"],
        known = names.includes(name) ? name : METRICS[0].key;
    byId("metrics").querySelector(`input[value="${known}"]`).checked = true;
    choose(known);
}

function setSide(side, first, name) {
    const k = metricsNow().find((m) => METRICS[m].key === name) ?? -1;
    state[side] = k < 0 ? first : k;
    byId(side).value = String(state[side]);
}

function setColours(key) {
    state.colours = COLOURS.find((c) => c.key === key)?.key ?? COLOURS[0].key;
    byId("colours").value = state.colours;
    draw();
}

function setBottomUp(on) {
    byId("bottom-up").checked = state.bottomUp = on;
    reset();
}

function setFocus(address) {
    const up = address.startsWith("u");
    state.focus = (up === state.bottomUp && frameAt(address)) || rootFrame(state.bottomUp);
    draw();
}

function keepAll() {
    for (const [side, first] of [["left", LEFT], ["right", RIGHT]])
        keep(
            side,
            () => (state.beside && state[side] !== first ? METRICS[state[side]].key : ""),
            (name) => setSide(side, first, name),
        );
    keep(
        "show",
        () => (shown() === METRICS[0].key ? "" : shown()),
        setMetric,
    );
    keep("up", () => (state.bottomUp ? "1" : ""), (v) => setBottomUp(v === "1"));
    keep(
        "colours",
        () => (state.colours === COLOURS[0].key ? "" : state.colours),
        setColours,
    );
    keep("zoom", () => (state.focus.parent ? addressOf(state.focus) : ""), setFocus);
}

/* After what is selected, because a selection searches for itself. */
export function keepSearch() {
    if (!tree) return;
    keep("search", () => byId("search").value, (text) => setSearch(text.slice(0, 4000)));
}

/* ---- controls ---- */

function choose(name) {
    state.beside = name === "beside";
    if (!state.beside) state.metric = METRICS.findIndex((m) => m.key === name);
    layout();
}

export function start(selected) {
    onSelect = selected;
    if (!tree) {
        byId("paths-body").hidden = true;
        byId("no-paths").hidden = false;
        if (sampling)
            byId("no-paths").textContent = sampling.source
                ? "No sample hit the program: its call paths are not known."
                : "No samples were taken: the program's call paths are not known.";
        return;
    }
    for (const [key, title] of [
        ...METRICS.map((m) => [m.key, m.title]),
        ["beside", "Side by side"],
    ])
        byId("metrics").append(
            element(
                "label",
                key === "marked" ? { class: "marked", hidden: true } : {},
                element("input", {
                    type: "radio",
                    name: "metric",
                    value: key,
                    checked: key === "span",
                    on: { change: () => choose(key) },
                }),
                element("span", {}, title),
            ),
        );
    if (before) {
        byId("changes").hidden = false;
        byId("changes-title").textContent = `What changed since ${before.name}`;
        byId("changes-words").append(
            ...[...before.remarks, ...before.words].map((text) =>
                text.startsWith("! ")
                    ? element("p", { class: "warning" }, clean(text.slice(2)))
                    : element("p", {}, clean(text)),
            ),
        );
    }
    byId("colours").append(
        ...COLOURS.map(({ key, title }) => element("option", { value: key }, title)),
    );
    byId("colours").addEventListener("change", (e) => {
        state.colours = e.target.value;
        draw();
    });
    for (const [id, side] of [
        ["left", state.left],
        ["right", state.right],
    ]) {
        byId(id).append(
            ...METRICS.map((m, k) =>
                element(
                    "option",
                    {
                        value: k,
                        selected: k === side,
                        ...(k === MARKED ? { class: "marked", hidden: true } : {}),
                    },
                    m.title,
                ),
            ),
        );
        byId(id).addEventListener("change", (e) => {
            state[id] = Number(e.target.value);
            draw();
        });
    }
    byId("bottom-up").addEventListener("change", (e) => setBottomUp(e.target.checked));
    byId("zoom-out").addEventListener("click", reset);
    let typing;
    const box = byId("search");
    box.addEventListener("input", () => {
        clearTimeout(typing);
        typing = setTimeout(() => search(box.value), 150);
    });
    box.addEventListener("keydown", (e) => {
        if (e.key !== "Enter") return;
        clearTimeout(typing);
        search(box.value);
        const to = state.search && widest(state.search.hits, shownMetrics().at(-1), state.bottomUp);
        if (to) handlers.zoom(to, true);
    });
    document.addEventListener("keydown", (e) => {
        if (isKey(e, "/")) {
            e.preventDefault();
            box.focus();
            box.select();
        } else if (e.key === "Escape") {
            hideTip();
            if (e.target === box && box.value) {
                e.preventDefault();
                box.value = "";
                search("");
            } else if (state.focus.parent) {
                const pane = panes.find((p) => p.box.contains(e.target));
                reset();
                pane?.enter(state.focus);
            }
        }
    });
    keepAll();
    onMarked(showMarked);
    let width = 0;
    new ResizeObserver(() => {
        if (byId("panes").clientWidth !== width) {
            width = byId("panes").clientWidth;
            draw();
        }
    }).observe(byId("panes"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    state.focus = rootFrame(false);
    layout();
    width = byId("panes").clientWidth;
}
