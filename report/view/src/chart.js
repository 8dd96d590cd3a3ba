/* chart.js - charts of speedups, which uPlot draws: their axes, the colours of the reader's theme,
 * and the width of their box. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { ratio } from "./text.js";

/* A value of the legend. */
export const speedup = (u, v) => ratio(v);

const shape = (tag, attributes) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    return e;
};

/* What the chart draws for SERIES, of uPlot's options, in small, for the legend. */
function sample(series) {
    const all = shape("svg", { width: 26, height: 12, "aria-hidden": "true" });
    if (series.width)
        all.append(
            shape("line", {
                x1: 1, x2: 25, y1: 6, y2: 6,
                stroke: series.stroke,
                "stroke-width": series.width,
                "stroke-dasharray": (series.dash ?? []).join(" ") || "none",
            }),
        );
    if (series.points.show)
        all.append(
            shape("circle", {
                cx: 13, cy: 6,
                r: series.points.size / 2 - 0.5,
                fill: series.points.fill,
                stroke: series.points.stroke ?? series.stroke,
                "stroke-width": series.points.width ?? 1,
            }),
        );
    return all;
}

/* Draws DATA in BOX, HEIGHT pixels high. LABEL: for screen readers. REST: the place on the x
 * axis whose values the legend has while no pointer is over the chart. OPTIONS(css, axis) returns
 * uPlot's options; css("--name") is a colour, and AXIS is what all axes have in common. Each series
 * but the first has its points. */
export function chart(box, height, label, data, rest, options) {
    const at = Math.max(0, data[0].indexOf(rest)),
        atRest = (u) => u.cursor.idx ?? u.setLegend({ idx: at });
    const width = () => Math.max(240, box.clientWidth);
    let plot;

    function draw() {
        plot?.destroy();
        const style = getComputedStyle(document.documentElement),
            css = (name) => style.getPropertyValue(name).trim();
        const axis = {
            stroke: css("--faint"),
            grid: { stroke: css("--line"), width: 1 },
            ticks: { stroke: css("--line"), width: 1 },
            font: "12px system-ui, sans-serif",
            labelFont: "12px system-ui, sans-serif",
            labelSize: 18,
        };
        const all = options(css, axis);
        for (const { points } of all.series.slice(1)) points.fill ??= css("--card");
        plot = new uPlot(
            {
                width: width(),
                height,
                hooks: { ready: [atRest], setCursor: [atRest] },
                cursor: { drag: { x: false, y: false } },
                ...all,
            },
            data,
            box,
        );
        plot.root.querySelectorAll(".u-marker").forEach((marker, k) => {
            if (k > 0) marker.append(sample(all.series[k])); /* the first is the x axis */
        });
        const canvas = plot.root.querySelector("canvas");
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", label);
    }

    draw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    new ResizeObserver(
        () => width() !== plot.width && plot.setSize({ width: width(), height }),
    ).observe(box);
}
