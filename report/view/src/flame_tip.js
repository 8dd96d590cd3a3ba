/* flame_tip.js - the tooltip of a frame of the flame graphs, and the table of its metrics. */
import {
    MARKED,
    METRICS,
    findingOf,
    labels,
    marked,
    metricText,
    metricsNow,
    nameOf,
    names,
    rowOf,
    totals,
} from "./data.js";
import { changeText } from "./flame.js";
import { byId, element, place, ratio, share, time } from "./text.js";

/* The metrics of FRAME as a table. */
export function costTable(frame) {
    const whole = frame.self(0) !== null,
        span = frame.total(0),
        work = frame.total(1);
    const rows = metricsNow().map((m) =>
        element(
            "tr",
            {},
            element("th", { scope: "row" }, METRICS[m].title),
            element("td", {}, share(frame.total(m), totals[m])),
            element("td", {}, metricText(m, frame.total(m))),
            whole && element("td", {}, frame.self(m) ? share(frame.self(m), totals[m]) : "–"),
            frame.before(m) !== null && element("td", {}, changeText(m, frame)),
        ),
    );
    return [
        element(
            "table",
            { class: "costs" },
            element(
                "tr",
                {},
                element("td", {}),
                element("th", { scope: "col", colspan: 2 }, whole ? "with callees" : "its own"),
                whole && element("th", { scope: "col" }, "its own"),
                frame.before(0) !== null && element("th", { scope: "col" }, "change"),
            ),
            ...rows,
        ),
        element(
            "p",
            {},
            `parallelism ${ratio(work / span)} · ${frame.samples} `
                + `sample${frame.samples === 1 ? "" : "s"}, `
                + `${frame.onSpan} on the critical path`,
        ),
        marked.words
            ? element(
                  "p",
                  { class: "marked" },
                  `marked: ${marked.words}; ${time(frame.total(MARKED) - frame.off)} on the CPU, `
                      + `${time(frame.off)} blocked`,
              )
            : "",
    ];
}

/* Finding F as an element. */
export const findingText = (f) =>
    element(
        "p",
        { class: "verdict" },
        element("strong", {}, `${f.id} ${f.gain}`),
        `: ${f.text} ${f.remedy}`,
    );

const LONG = 400; /* a longer name would hide what is below it */

/* The name WHOLE, of which LABEL is short, as an element; "": it is not cut. A name in words stands
 * for one that is in no source. */
export const wholeName = (label, whole) =>
    whole !== label && labels[names.indexOf(whole)] === label
        ? element(
              "p",
              { class: "whole hint" },
              whole.length > LONG ? whole.slice(0, LONG - 1) + "…" : whole,
          )
        : "";

const tip = byId("tip");

/* Shows the tooltip of FRAME at EVENT, or below the frame in PANE if there is none. */
export function showTip(frame, event, pane) {
    tip.replaceChildren(
        element("p", { class: "name" }, frame.label),
        wholeName(frame.label, nameOf(frame.name)),
        frame.file >= 0
            ? element("p", { class: "hint" }, place(nameOf(frame.file), frame.line))
            : "",
        ...costTable(frame),
    );
    const f = frame.name >= 0 && findingOf(rowOf(frame.name, frame.file));
    if (f) tip.append(findingText(f));
    tip.hidden = false;
    const r = pane.elements.get(frame)?.getBoundingClientRect();
    /* it is below the pointer or the frame, or above, where it has room, and never on it */
    const [x, above, below] = event
        ? [event.clientX + 14, event.clientY - 12, event.clientY + 18]
        : [r.left, r.top - 6, r.bottom + 6];
    const w = tip.offsetWidth,
        h = tip.offsetHeight,
        room = document.documentElement.clientWidth,
        down = below + h <= innerHeight || innerHeight - below >= above;
    tip.style.left = Math.max(4, Math.min(x, room - w - 8)) + "px";
    tip.style.top = (down ? below : above - h) + "px";
}

export const hideTip = () => (tip.hidden = true);
