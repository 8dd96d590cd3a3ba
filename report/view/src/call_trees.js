/* call_trees.js - the call paths as trees that unfold on demand: from the program down, or from
 * each function with costs of its own up through its callers.
 *
 * A frame has total(metric); self(metric), or null bottom-up, where each frame's cost is that of
 * the function at the bottom; foreign: it is not the program's code; and kids(), which makes them
 * at its first call; off, the part of its marked time that is off the CPU.
 */
import {
    MARKED,
    METRICS,
    before,
    labelOf,
    labels,
    marked,
    timedSamples,
    totals,
    tree,
} from "./data.js";

const sum = (column, at) => at.reduce((s, i) => s + column[i], 0);

class Down {
    constructor(i, parent) {
        this.parent = parent;
        this.depth = parent ? parent.depth + 1 : 0;
        this.i = i;
        this.name = tree.name[i];
        this.file = tree.file[i];
        this.line = tree.line[i];
        this.foreign = tree.foreign[i] > 0;
        this.unfolded = null;
    }
    get label() {
        return labels[tree.label[this.i]];
    }
    total(m) {
        return tree.all[m][this.i];
    }
    self(m) {
        return tree.self.metric[m][this.i];
    }
    get off() {
        return tree.off.all[this.i];
    }
    before(m) {
        return before && m !== MARKED ? before.metric[m][this.i] : null;
    }
    get samples() {
        return tree.samples[this.i];
    }
    get onSpan() {
        return tree.onSpan[this.i];
    }
    kids() {
        if (!this.unfolded) {
            this.unfolded = [];
            for (let k = tree.first[this.i]; k < tree.first[this.i + 1]; k++)
                this.unfolded.push(new Down(tree.child[k], this));
        }
        return this.unfolded;
    }
}

class Up {
    /* FROM: tree nodes whose own cost this is; AT: the caller of each that this frame stands for */
    constructor(name, parent, from, at) {
        this.parent = parent;
        this.depth = parent ? parent.depth + 1 : 0;
        this.name = name;
        this.from = from;
        this.at = at;
        this.unfolded = null;
        this.version = marked.version; /* of the marked time in `sums` */
        this.sums = parent ? METRICS.map((_, m) => sum(tree.self.metric[m], from)) : totals;
        /* a function is compared with all that it cost, its callers with what the same paths
         * cost */
        this.was = !before
            ? null
            : METRICS.map((_, m) =>
                  m === MARKED
                      ? null
                      : !parent
                      ? before.metric[m][0]
                      : sum(before.self[m], from) + (parent.parent ? 0 : sum(before.gone[m], from)),
              );
        const best = at.length
            ? at.reduce(
                  (b, i, k) => (tree.self.samples[from[k]] > tree.self.samples[from[b]] ? k : b),
                  0,
              )
            : -1;
        this.file = best < 0 ? -1 : tree.file[at[best]];
        this.line = best < 0 ? 0 : tree.line[at[best]];
        this.foreign = best >= 0 && tree.foreign[at[best]] > 0;
    }
    get label() {
        return this.name < 0 ? "(all functions)" : labelOf(this.name, this.file);
    }
    total(m) {
        if (m === MARKED && this.parent && this.version !== marked.version) {
            this.sums[m] = sum(tree.self.metric[m], this.from);
            this.version = marked.version;
        }
        return this.sums[m];
    }
    self() {
        return null;
    }
    get off() {
        return this.parent ? sum(tree.off.self, this.from) : tree.off.all[0];
    }
    before(m) {
        return this.was && this.was[m];
    }
    get samples() {
        return this.parent ? sum(tree.self.samples, this.from) : tree.samples[0];
    }
    get onSpan() {
        return this.parent ? sum(tree.self.onSpan, this.from) : tree.onSpan[0];
    }
    kids() {
        if (!this.unfolded) {
            const groups = new Map();
            const add = (origin, at) => {
                const key = tree.name[at] + ":" + tree.file[at];
                let g = groups.get(key);
                if (!g) groups.set(key, (g = { name: tree.name[at], from: [], at: [] }));
                g.from.push(origin);
                g.at.push(at);
            };
            if (!this.parent) this.from.forEach((i) => add(i, i));
            else this.from.forEach((i, k) => this.at[k] > 0 && add(i, tree.parent[this.at[k]]));
            this.unfolded = [...groups.values()].map((g) => new Up(g.name, this, g.from, g.at));
        }
        return this.unfolded;
    }
}

/* 1: samples with their times hit the node itself */
const isTimed = new Uint8Array(tree?.size ?? 0);
for (const i of timedSamples?.path ?? []) isTimed[i] = 1;

const roots = {};
export function rootFrame(bottomUp) {
    if (bottomUp)
        return (roots.up ??= new Up(
            -1,
            null,
            Array.from({ length: tree.size }, (_, i) => i).filter(
                (i) =>
                    isTimed[i]
                    || tree.self.metric.some((column) => column[i] > 0)
                    || before?.self.some((column) => column[i] > 0)
                    || before?.gone.some((column) => column[i] > 0),
            ),
            [],
        ));
    return (roots.down ??= new Down(0, null));
}

/* ---- the part of a tree that is drawn ---- */

const SMALLEST = 0.0005; /* of the frame that is zoomed to: narrower ones wait until somebody
                                   zooms in */
const MOST_FRAMES = 2000; /* a browser draws so many without a pause */
const MOST_LEVELS = 80; /* levels below the frame that is zoomed to */
const MOST_CALLERS = 8; /* callers above it: the outermost and the nearest */

const compareLabels = (a, b) => (a.label < b.label ? -1 : a.label > b.label ? 1 : a.file - b.file);

function fits(focus, m, smallest) {
    const root = { frame: focus, value: focus.total(m), name: focus.label };
    let level = [root],
        drawn = 1,
        left = 0;
    for (let depth = 0; level.length && depth < MOST_LEVELS; depth++) {
        const next = [];
        for (const at of level) {
            const kids = [];
            for (const kid of at.frame.kids()) {
                if (kid.total(m) >= smallest && kid.total(m) > 0) kids.push(kid);
                else if (kid.total(m) > 0) left++;
            }
            if (!kids.length) continue;
            if ((drawn += kids.length) > MOST_FRAMES) return null;
            at.children = kids
                .sort(compareLabels)
                .map((frame) => ({ frame, value: frame.total(m), name: frame.label }));
            next.push(...at.children);
        }
        level = next;
    }
    for (const at of level)
        if (at.frame.kids().some((kid) => kid.total(m) >= smallest && kid.total(m) > 0))
            at.name = "⋯ " + at.name;
    return { root, left, smallest };
}

/* The data of a flame graph of metric M, WIDTH pixels wide, that is zoomed to FOCUS: FOCUS's
 * callers in full width, and all below FOCUS that can be seen. */
export function drawable(focus, m, width) {
    const all = focus.total(m);
    if (!(all > 0)) return null;
    let part = Math.max(SMALLEST, 0.8 / width),
        found;
    while (!(found = fits(focus, m, part * all))) part *= 2;
    let data = found.root;
    const callers = [];
    for (let up = focus.parent; up; up = up.parent) callers.push(up);
    for (let k = 0; k < callers.length; k++) {
        if (callers.length > MOST_CALLERS && k === MOST_CALLERS - 2) {
            const hidden = callers.length - MOST_CALLERS + 1;
            data = {
                frame: callers[k],
                value: all,
                name: `⋯ ${hidden} frames`,
                fade: true,
                gap: true,
                children: [data],
            };
            k += hidden;
        }
        data = {
            frame: callers[k],
            value: all,
            name: callers[k].label,
            fade: true,
            children: [data],
        };
    }
    return { data, left: found.left, part };
}

/* The frame of tree node I. Unfolds all above it. */
export function frameOf(i) {
    const path = [];
    for (let at = i; at > 0; at = tree.parent[at]) path.push(at);
    return path.reduceRight((frame, at) => frame.kids().find((k) => k.i === at), rootFrame(false));
}

/* ---- frames in an address ---- */

const DEEPEST = 64; /* bottom-up frames have no number: their address grows with their depth */

/* FRAME as a word that frameAt() understands, for links to the page; "": it has none. */
export function addressOf(frame) {
    if (frame.i !== undefined) return `d${frame.i}`;
    if (frame.depth > DEEPEST) return "";
    const steps = [];
    for (let at = frame; at.parent; at = at.parent) steps.push(at.parent.kids().indexOf(at));
    return `u${steps.reverse().join(".")}`;
}

/* The frame at ADDRESS; null: there is none. */
export function frameAt(address) {
    if (/^d\d{1,9}$/.test(address)) {
        const i = Number(address.slice(1));
        return i < tree.size ? frameOf(i) : null;
    }
    if (!/^u(\d{1,9}(\.\d{1,9}){0,63})?$/.test(address)) return null;
    const steps = address.slice(1).split(".").filter(Boolean);
    return steps.reduce((frame, k) => frame && (frame.kids()[k] ?? null), rootFrame(true));
}
