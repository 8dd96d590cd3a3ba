/* flame.js - one flame graph. d3-flame-graph draws the frames that call_trees.js chooses. This file
 * adds keys and marks; flame_colours.js has the colours, flame_tip.js the tooltip,
 * flame_controls.js the page's two graphs.
 *
 * A zoom gives the library new data and does not use the library's own zoom. So the library has
 * only frames that are wide enough, which keeps 10^5 paths quick.
 */
import flamegraph from "d3-flame-graph";
import { select } from "d3-selection";
import { interrupt } from "d3-transition";
import { drawable } from "./call_trees.js";
import { colour } from "./flame_colours.js";
import { MARKED, METRICS, marked, metricText, totals } from "./data.js";
import { element, share } from "./text.js";

const NARROW = 4; /* px of a frame that has no edge */

/* "Span"; of the marked time with its range */
const titleOf = (m) => METRICS[m].title + (m === MARKED ? `: ${marked.words}` : "");

/* "+12.3 ms (was 4.5 ms)" */
export function changeText(m, frame) {
    const was = frame.before(m),
        delta = frame.total(m) - was;
    return delta
        ? `${delta > 0 ? "+" : "\u2212"}${metricText(m, Math.abs(delta))}`
          + `${was ? ` (was ${metricText(m, was)})` : " (new)"}`
        : "unchanged";
}

/* HANDLERS: zoom(frame, byKey), hover(frame or null, event, pane), out(), reset(). */
export class Pane {
    constructor(handlers) {
        this.handlers = handlers;
        this.title = element("h3");
        this.empty = element("p", { class: "hint", hidden: true });
        this.box = element("div", { class: "graph" });
        this.root = element("div", { class: "pane" }, this.title, this.empty, this.box);
        this.shown = []; /* the d3 nodes that are drawn, with the element of each */
        this.box.addEventListener("click", (e) => {
            const d = this.nodeAt(e);
            if (d) handlers.zoom(d.data.frame, false);
        });
        this.box.addEventListener("pointermove", (e) => {
            const d = this.nodeAt(e);
            handlers.hover(d ? d.data.frame : null, e, this);
        });
        this.box.addEventListener("pointerleave", () => handlers.hover(null));
        this.box.addEventListener("focusin", (e) => {
            const d = this.nodeAt(e);
            if (d && e.target.matches(":focus-visible")) handlers.hover(d.data.frame, null, this);
        });
        this.box.addEventListener("focusout", () => handlers.hover(null));
        this.box.addEventListener("keydown", (e) => this.key(e));
    }

    nodeAt(e) {
        const g = e.target.closest?.("g.frame");
        return g ? select(g).datum() : null;
    }

    /* Draws metric M of what FOCUS holds; HITS: names that a search found, or null; BY: one of
     * flame_colours.js's COLOURS. What was left out: {left, part}. */
    draw(m, focus, hits, by) {
        const width = Math.floor(this.box.clientWidth),
            dark = matchMedia("(prefers-color-scheme: dark)").matches;
        const what = width > 0 ? drawable(focus, m, width) : null;
        this.metric = m;
        this.focus = focus;
        this.title.textContent = titleOf(m);
        this.empty.hidden = Boolean(what);
        this.box.hidden = !what;
        if (!what) {
            this.shown = [];
            this.empty.textContent =
                width > 0
                    ? `There is no ${METRICS[m].noun ?? METRICS[m].title.toLowerCase()} here.`
                    : "";
            /* a hidden box has no width, which the next drawing needs */
            this.box.hidden = false;
            this.box.replaceChildren();
            this.chart = null;
            return { left: 0, part: 0 };
        }
        if (!this.chart) {
            this.chart = flamegraph()
                .cellHeight(matchMedia("(pointer: coarse)").matches ? 28 : 20)
                .inverted(true)
                .transitionDuration(0)
                .selfValue(false)
                .resetHeightOnZoom(true)
                .tooltip(() => {})
                .sort(false);
            this.chart.tooltip().hide = this.chart.tooltip().show = () => {};
        }
        this.chart
            .width(width)
            .setColorMapper((d) => colour(by, d.data.frame, this.metric, hits, dark));
        if (this.box.firstChild) this.chart.update(what.data);
        else select(this.box).datum(what.data).call(this.chart);
        this.mark(hits);
        /* the library leaves two rows empty */
        const rows = 1 + Math.max(...this.shown.map((s) => s.d.depth));
        this.box.firstChild.setAttribute("height", rows * this.chart.cellHeight());
        return what;
    }

    /* What the library leaves to us: names for those who listen, the way of the keyboard, search
     * marks. */
    mark(hits) {
        const svg = select(this.box).select("svg");
        svg.attr("role", "tree")
            .attr("aria-label", `Flame graph: ${titleOf(this.metric)}`)
            .select("text.title")
            .remove();
        this.shown = [];
        this.elements = new Map();
        svg.selectAll("g.frame")
            /* the library leaves elements where an earlier zoom had them; a tree is read down, each
             * frame before those that it called */
            .sort((a, b) => a.x0 - b.x0 || a.depth - b.depth)
            .on("click", null)
            .on("mouseover", null)
            .on("mouseout", null)
            .each((d, k, all) => {
                const g = all[k],
                    frame = d.data.frame,
                    rect = g.querySelector("rect");
                /* frames that are new would grow for a quarter of a second, whatever duration
                 * is asked for */
                interrupt(rect);
                rect.setAttribute("width", g.getAttribute("width"));
                /* the frame's edge is a darker shade of it, and would hide a narrow frame */
                rect.style.color = rect.getAttribute("fill");
                g.classList.toggle("thin", g.getAttribute("width") < NARROW);
                this.shown.push({ d, g });
                this.elements.set(frame, g);
                g.setAttribute("role", "treeitem");
                g.setAttribute("aria-level", d.depth + 1);
                g.setAttribute(
                    "aria-label",
                    `${d.data.name}, ${share(frame.total(this.metric), totals[this.metric])} `
                        + `${METRICS[this.metric].words}`
                        + (frame.before(this.metric) === null
                            ? ""
                            : `, ${changeText(this.metric, frame)}`),
                );
                g.setAttribute("tabindex", frame === this.focus ? "0" : "-1");
                g.classList.toggle("dim", Boolean(hits) && !hits[frame.name]);
                g.classList.toggle("match", Boolean(hits) && Boolean(hits[frame.name]));
            });
    }

    /* Marks FRAME, which the pointer is on in the other graph; null: no frame. */
    twin(frame) {
        this.twinned?.classList.remove("twin");
        this.twinned = frame && this.elements?.get(frame);
        this.twinned?.classList.add("twin");
    }

    enter(frame) {
        const g = this.elements?.get(frame);
        if (!g) return;
        for (const other of this.box.querySelectorAll("g[tabindex='0']"))
            other.setAttribute("tabindex", "-1");
        g.setAttribute("tabindex", "0");
        /* before the tooltip finds its place beside the frame */
        g.scrollIntoView({ block: "nearest", inline: "nearest" });
        g.focus({ preventScroll: true });
    }

    key(e) {
        const d = this.nodeAt(e);
        if (!d || e.ctrlKey || e.altKey || e.metaKey) return;
        let to = null;
        if (e.key === "ArrowUp") to = d.parent;
        else if (e.key === "ArrowDown")
            to = d.children?.reduce((a, b) => (b.value > a.value ? b : a));
        else if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
            const row = this.shown
                .map((s) => s.d)
                .filter((o) => o.depth === d.depth)
                .sort((a, b) => a.x0 - b.x0);
            to = row[row.indexOf(d) + (e.key === "ArrowLeft" ? -1 : 1)];
        } else if (e.key === "Enter" || e.key === " ") this.handlers.zoom(d.data.frame, true, this);
        else if (e.key === "Backspace") this.handlers.out(this);
        else return;
        e.preventDefault();
        if (to) this.enter(to.data.frame);
    }
}
