/* marked.js - what was sampled in the range of the run that the reader has marked in the timeline:
 * a metric of call paths, functions and lines like the others, which exists while a range is
 * marked. It is the time of strands: on the CPU, and blocked. A run with many samples has the times
 * of a random subset of them, and each of these stands for several.
 */
import {
    MARKED,
    functionColumns,
    functions,
    lineColumns,
    marked,
    profile,
    rowOf,
    timedSamples,
    totals,
    tree,
} from "./data.js";
import { count } from "./text.js";

/* Can a range be marked? */
export const canMark = Boolean(timedSamples && tree && profile.timeline);

const listeners = [];
/* F is called each time that the mark has changed. */
export const onMarked = (f) => listeners.push(f);

const partOf = (kind) => timedSamples[kind === "off" ? "off_cpu_samples" : "on_cpu_samples"];

/* The ns that a sample of weight 1 stands for, on the CPU and off it. */
const nsOf = canMark
    ? [
          ["on", profile.timeline.on_cpu_sample_ns],
          ["off", profile.timeline.off_cpu_sample_ns],
      ].map(([kind, ns]) => (ns * partOf(kind).seen) / Math.max(1, partOf(kind).kept))
    : [];

/* "", or a sentence on how many of the samples have times. */
export function subsetWords() {
    const sum = (key) => partOf("on")[key] + partOf("off")[key];
    return sum("kept") < sum("seen")
        ? `Shown from ${count(sum("kept"))} of ${count(sum("seen"))} samples, chosen at random.`
        : "";
}

/* ---- functions ---- */

/* By node: the row of its function, -1: it has none; and 1 if no caller is of the same function,
 * so that recursion counts once. */
let rows, outermost;
function findRows() {
    rows = new Int32Array(tree.size);
    outermost = new Uint8Array(tree.size);
    const active = new Int32Array(functions.length),
        stack = [0],
        left = [];
    for (let i = 0; i < tree.size; i++)
        rows[i] = rowOf(tree.name[i], tree.file[i]);
    /* down the tree and up again: a node that is left is on top of `left` when it is met again */
    while (stack.length) {
        const i = stack[stack.length - 1];
        if (left[left.length - 1] === i) {
            left.pop();
            stack.pop();
            if (rows[i] >= 0) active[rows[i]]--;
            continue;
        }
        left.push(i);
        if (rows[i] >= 0) outermost[i] = active[rows[i]]++ ? 0 : 1;
        for (let k = tree.first[i]; k < tree.first[i + 1]; k++) stack.push(tree.child[k]);
    }
}

/* ---- the metric ---- */

function addSamples(from, to) {
    const { path, line, bin, more, off_cpu: off, weight } = timedSamples,
        self = tree.self.metric[MARKED],
        offSelf = tree.off.self,
        lines = lineColumns.self.metric[MARKED];
    for (const column of [self, offSelf, lines]) column.fill(0);
    if (!marked.words) return;
    for (let k = 0; k < path.length; k++) {
        const bins = Math.min(to, bin[k] + more[k]) - Math.max(from, bin[k]) + 1;
        if (bins <= 0) continue;
        const ns = (weight[k] * nsOf[off[k]] * bins) / (more[k] + 1);
        self[path[k]] += ns;
        if (off[k]) offSelf[path[k]] += ns;
        if (line[k] >= 0) lines[line[k]] += ns;
    }
}

function sumUp() {
    for (const [self, all] of [
        [tree.self.metric[MARKED], tree.all[MARKED]],
        [tree.off.self, tree.off.all],
    ]) {
        all.set(self);
        for (let i = tree.size - 1; i > 0; i--) all[tree.parent[i]] += all[i];
    }
    totals[MARKED] = tree.all[MARKED][0];
    const self = functionColumns.self.metric[MARKED],
        all = functionColumns.all.metric[MARKED];
    self.fill(0);
    all.fill(0);
    if (!rows) findRows();
    for (let i = 0; i < tree.size; i++) {
        if (rows[i] < 0) continue;
        self[rows[i]] += tree.self.metric[MARKED][i];
        if (outermost[i]) all[rows[i]] += tree.all[MARKED][i];
    }
}

/* RANGE, {from, to, words}, is marked: bins of the timeline, both inclusive. null: none is. */
export function setMarked(range) {
    if (!canMark || (!range && !marked.words)) return;
    marked.words = range?.words ?? "";
    marked.version++;
    addSamples(range?.from, range?.to);
    sumUp();
    for (const f of listeners) f();
}
