/* colours.js - the colours of the flame graph's frames: a hue for each metric, a shade for each
 * function, and what a comparison and a search do to them. style.css has the colours of the rest of
 * the page.
 */
import { before, labels, totals } from "./data.js";

const HUES = [16, 212, 276, 44]; /* in the order of data.js's METRICS */

/* A function has the same shade everywhere. */
const shades = new Map();
function shade(name) {
    let s = shades.get(name);
    if (s === undefined) {
        const text = name < 0 ? "" : labels[name];
        let hash = 2166136261;
        for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
        shades.set(name, (s = ((hash >>> 0) % 1000) / 1000));
    }
    return s;
}

const FULL_CHANGE = 0.1; /* a change by this share of the whole has the fullest red or blue */

/* As in flamegraph.pl's differential graphs: red is more than before, blue is less, and a frame
 * without a change has no colour. */
function changeColour(frame, m, hits, dark) {
    const delta = frame.total(m) - frame.before(m),
        whole = Math.max(totals[m], before.metric[m][0]);
    const strength = whole > 0 ? Math.sqrt(Math.min(1, Math.abs(delta) / whole / FULL_CHANGE)) : 0;
    const faded = hits && !hits[frame.name] ? 0.15 : 1;
    return `hsl(${delta > 0 ? 4 : 216} ${Math.round(85 * strength * faded)}% ${Math.round(
        (dark ? 58 : 88) - (dark ? 0 : 26) * strength * faded,
    )}%)`;
}

/* HITS: the names that a search found, or null. DARK: the page is dark. CHANGE: the page compares
 * two profiles. */
export function colour(frame, m, hits, dark, change) {
    if (change && frame.before(m) !== null) return changeColour(frame, m, hits, dark);
    const s = shade(frame.name),
        hue = HUES[m] + (s - 0.5) * 24;
    if (hits)
        return hits[frame.name]
            ? `hsl(${hue} 90% ${dark ? 60 : 62}%)`
            : `hsl(${hue} 12% ${dark ? 30 : 88}%)`;
    return `hsl(${hue} ${dark ? 55 : 75}% ${(dark ? 60 : 72) + 12 * ((s * 7) % 1)}%)`;
}
