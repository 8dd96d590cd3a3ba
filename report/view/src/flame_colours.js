/* flame_colours.js - the colours of the flame graph's frames, and their legend. Frames are coloured
 * by the parallelism of their path, by what changed since another profile, or by function.
 * style.css has the colours of the rest of the page.
 */
import { METRICS, before, nameOf, program, totals } from "./data.js";

/* What frames can be coloured by. */
export const COLOURS = [
    ...(before ? [{ key: "change", title: "Change" }] : []),
    { key: "parallelism", title: "Parallelism" },
    { key: "function", title: "Function" },
];

const hsl = ([h, s, l]) => `hsl(${h} ${s}% ${l}%)`;

/* ---- parallelism ---- */

const P = Math.max(1, program.workers),
    SERIAL = 1.05, /* as in report/analysis/limits.h, like AMPLE */
    AMPLE = 10;

/* From what is serial to what the critical path does not have: orange to blue, which people see
 * apart whatever colours they confuse; the lightest is in the middle. Frames take the first class
 * whose `most` is above their parallelism. One worker has no class `below 1`: its limit is below
 * that of the serial one. */
const CLASSES = [
    { words: "1: serial", most: SERIAL, light: [16, 85, 62], dark: [16, 72, 58] },
    { words: `below ${P}`, most: P, light: [38, 92, 68], dark: [38, 72, 62] },
    { words: `below ${AMPLE * P}`, most: AMPLE * P, light: [50, 82, 76], dark: [52, 42, 78] },
    {
        words: `${AMPLE * P} or more`,
        most: Number.MAX_VALUE,
        light: [200, 58, 78],
        dark: [202, 36, 74],
    },
    {
        words: "not on the critical path",
        most: Infinity,
        light: [212, 62, 66],
        dark: [212, 55, 62],
    },
].filter((c) => c.most >= SERIAL);
const FOREIGN = { words: "runtime, or no function", light: [40, 5, 78], dark: [40, 4, 58] };

function classOf(frame) {
    if (frame.foreign) return FOREIGN;
    const span = frame.total(0),
        parallelism = span > 0 ? frame.total(1) / span : Infinity;
    return CLASSES.find((c) => parallelism < c.most) ?? CLASSES.at(-1);
}

function parallelismColour(frame, hit, dark) {
    const [h, s, l] = classOf(frame)[dark ? "dark" : "light"];
    return hit ? hsl([h, s, l]) : hsl([h, s / 5, dark ? 30 : 90]);
}

/* ---- change ---- */

const FULL_CHANGE = 0.1; /* a change by this share of the whole has the fullest red or blue */

/* STRENGTH: from -1, less, to 1, more. */
const changed = (strength, dark) =>
    hsl([
        strength > 0 ? 4 : 216,
        Math.round(85 * Math.abs(strength)),
        Math.round((dark ? 58 : 88) - (dark ? 0 : 26) * Math.abs(strength)),
    ]);

/* As in flamegraph.pl's differential graphs: red is more than before, blue is less, and a frame
 * without a change has no colour. */
function changeColour(frame, m, hit, dark) {
    const delta = frame.total(m) - frame.before(m),
        whole = Math.max(totals[m], before.metric[m][0]);
    const strength = whole > 0 ? Math.sqrt(Math.min(1, Math.abs(delta) / whole / FULL_CHANGE)) : 0;
    return changed(Math.sign(delta) * strength * (hit ? 1 : 0.15), dark);
}

/* ---- function ---- */

const HUES = { span: 16, work: 212, idleness: 276, overhead: 44, blocked: 330, marked: 160 };

/* A function has the same shade everywhere. */
const shades = new Map();
function shade(name) {
    let s = shades.get(name);
    if (s === undefined) {
        const text = nameOf(name);
        let hash = 2166136261;
        for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
        shades.set(name, (s = ((hash >>> 0) % 1000) / 1000));
    }
    return s;
}

function functionColour(frame, m, hits, dark) {
    const s = shade(frame.name),
        hue = HUES[METRICS[m].key] + (s - 0.5) * 24;
    if (hits) return hsl(hits[frame.name] ? [hue, 90, dark ? 60 : 62] : [hue, 12, dark ? 30 : 88]);
    return hsl([hue, dark ? 55 : 75, (dark ? 60 : 72) + 12 * ((s * 7) % 1)]);
}

/* ---- what others use ---- */

/* The colour of FRAME in a graph of metric M. BY: the key of one of COLOURS. HITS: the names that a
 * search found, or null. DARK: the page is dark. */
export function colour(by, frame, m, hits, dark) {
    const hit = !hits || hits[frame.name] > 0;
    if (by === "change") return changeColour(frame, m, hit, dark);
    if (by === "parallelism") return parallelismColour(frame, hit, dark);
    return functionColour(frame, m, hits, dark);
}

/* What the colours mean: {title, classes: [{words, colour}]}. */
export function legend(by, dark) {
    if (by === "change")
        return {
            title: "Cost since before:",
            classes: [
                ["less", -1],
                ["the same", 0],
                ["more", 1],
            ].map(([words, strength]) => ({ words, colour: changed(strength, dark) })),
        };
    if (by === "parallelism")
        return {
            title: "Parallelism of the path (work / span):",
            classes: [...CLASSES, FOREIGN].map((c) => ({
                words: c.words,
                colour: hsl(c[dark ? "dark" : "light"]),
            })),
        };
    return { title: "A function has one shade everywhere.", classes: [] };
}
