/* selection.js - the one thing that is selected: a frame, or a row of a table. The page shows its
 * figures, its path from the program down and its source. */
import { addressOf, frameAt } from "./call_trees.js";
import { labels, nameOf, tree } from "./data.js";
import { searchFor } from "./flame_controls.js";
import { costTable, wholeName } from "./flame_tip.js";
import { changed, keep } from "./link.js";
import { onMarked } from "./marked.js";
import { find } from "./search_match.js";
import { sourceOf } from "./source.js";
import { byId, element } from "./text.js";

const NAMES = 10; /* of a path that are shown: the outermost three and the innermost */

let selected = ""; /* for links: "TABLE:ROW", or "frame:ADDRESS" */
const tables = new Map(); /* by name: {rows, show(i)} */

/* The path to tree node I, as an element. */
function pathTo(i) {
    const path = [];
    for (let at = i; at >= 0; at = tree.parent[at]) path.unshift(labels[tree.label[at]]);
    const left = path.length - NAMES;
    if (left > 1) path.splice(3, left, `⋯ ${left} frames`);
    return element("p", { class: "path hint" }, path.join(" › "));
}

/* The node of the function called NAME that has most of the span, else most of the work; -1: there
 * is none. */
function heaviest(name) {
    const { hits } = find(`"${name}"`) ?? { hits: [] },
        [span, work] = tree.all;
    let best = -1;
    for (let i = 0; i < tree.size; i++)
        if (
            hits[tree.name[i]]
            && (best < 0
                || span[i] > span[best]
                || (span[i] === span[best] && work[i] > work[best]))
        )
            best = i;
    return best;
}

/* WHOLE is the name of which TITLE is short. BODY() returns elements; it is called again where the
 * mark in the timeline changes. */
let showBody = () => {};
function show(title, whole, body, node, file, line) {
    byId("selected").hidden = false;
    byId("selected-title").textContent = title;
    showBody = () =>
        byId("selected-body").replaceChildren(
            wholeName(title, whole),
            ...body(),
            ...(node > 0 ? [pathTo(node)] : []),
        );
    showBody();
    byId("source").replaceChildren(...sourceOf(file, line));
}

export function selectFrame(frame) {
    const address = addressOf(frame);
    selected = address && `frame:${address}`;
    show(
        frame.label,
        nameOf(frame.name),
        () => costTable(frame),
        frame.i ?? -1,
        nameOf(frame.file),
        frame.line,
    );
    changed();
}

/* NAME is shown; BODY() returns elements; WHOLE is the name in the call paths, for which the search
 * is if NAME stands for several. */
export function showRow(name, body, file, line, whole) {
    const wanted = find(`"${name}"`)?.found === 1 ? name : whole;
    if (wanted) searchFor(wanted);
    show(name, whole, body, tree && wanted ? heaviest(wanted) : -1, file, line);
}

/* Selects row I of TABLE: the graph marks its function. */
export function selectRow(table, i) {
    tables.get(table).show(i);
    selected = `${table}:${i}`;
    changed();
}

export const isSelected = (table, i) => selected === `${table}:${i}`;

const behavior = () =>
    matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
export const scrollTo = (id, block) => byId(id).scrollIntoView({ block, behavior: behavior() });

/* ROWS of TABLE can be selected; SHOW(i) calls showRow(). Returns what a click on row I does. */
export function selectable(table, rows, show) {
    tables.set(table, { rows: new Set(rows), show });
    return (i) => {
        selectRow(table, i);
        scrollTo("paths", "start");
    };
}

function deselect() {
    selected = "";
    byId("selected").hidden = true;
    for (const row of document.querySelectorAll("tr.picked")) row.classList.remove("picked");
}

function restore(what) {
    const [, table, which] = /^([a-z]{1,20}):(.{1,700})$/.exec(what) ?? [];
    const frame = tree && table === "frame" ? frameAt(which) : null;
    deselect();
    if (frame) selectFrame(frame);
    else if (/^\d{1,9}$/.test(which ?? "") && tables.get(table)?.rows.has(Number(which)))
        selectRow(table, Number(which));
}

export function keepSelection() {
    keep("selected", () => selected, restore);
    onMarked(() => showBody());
}
