/* link.js - what the reader has chosen, in the page's address after #: a link shows it again.
 *
 * RULE: an address is anybody's. Whoever reads a part of it accepts one of the values that it knows
 * itself, a number in its range, or a text to search for; all else is as if it was not there.
 */
const WAIT = 250; /* ms: browsers refuse to change an address too often */
const LONGEST = 8000;

const parts = []; /* {key, get, set}, in the order in which they are restored */
let restoring = false,
    waiting;

/* The state has a part KEY. GET returns it, "" if it is as at first. SET restores it; it is called
 * with "" to make it as at first. */
export const keep = (key, get, set) => parts.push({ key, get, set });

function write() {
    const now = new URLSearchParams();
    for (const { key, get } of parts) if (get()) now.set(key, get());
    const hash = String(now);
    if (hash.length > LONGEST) return;
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
}

/* Something was chosen. */
export function changed() {
    if (restoring) return;
    clearTimeout(waiting);
    waiting = setTimeout(write, WAIT);
}

function restore() {
    const wanted = new URLSearchParams(location.hash.slice(1, LONGEST));
    clearTimeout(waiting);
    restoring = true;
    for (const { key, set } of parts) set(wanted.get(key) ?? "");
    restoring = false;
}

export function start() {
    addEventListener("hashchange", restore);
    if (location.hash.length > 1) restore();
}
