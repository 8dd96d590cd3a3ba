/* chart.js - charts of speedups, which uPlot draws: their axes, the colours of the reader's theme,
 * and the width of their box. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { ratio } from "./text.js";

/* A value of the legend. */
export const speedup = (u, v) => ratio(v);

/* Draws DATA in BOX, HEIGHT pixels high. LABEL: for screen readers. REST: the place on the x
 * axis whose values the legend has while no pointer is over the chart. OPTIONS(css, axis) returns
 * uPlot's options; css("--name") is a colour, and AXIS is what all axes have in common. */
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
        plot = new uPlot(
            {
                width: width(),
                height,
                hooks: { ready: [atRest], setCursor: [atRest] },
                cursor: { drag: { x: false, y: false } },
                ...options(css, axis),
            },
            data,
            box,
        );
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
