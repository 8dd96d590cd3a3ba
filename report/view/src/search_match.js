/* search_match.js - which functions a search finds, and what they cost. */
import { frameOf, rootFrame } from "./call_trees.js";
import { METRICS, aliases, names, tree } from "./data.js";

/* The names that TEXT finds. TEXT is a part of a name in any case, or a whole name in double
 * quotes; a name's words count like the name. null: TEXT is empty. */
export function find(text) {
    const wanted = text.trim();
    if (!wanted) return null;
    const exact =
        wanted.length > 2 && wanted.startsWith('"') && wanted.endsWith('"')
            ? wanted.slice(1, -1)
            : null;
    const part = wanted.toLowerCase(),
        hits = new Uint8Array(names.length);
    let found = 0;
    for (let i = 0; i < names.length; i++)
        if (
            exact !== null
                ? names[i] === exact || aliases[i].includes(`\n${exact}\n`)
                : (names[i] + aliases[i]).toLowerCase().includes(part)
        )
            found += hits[i] = 1;
    return { hits, found };
}

/* The costs of the outermost frames that HITS finds, by metric, and the number of frames that it
 * finds. */
export function coverage(hits) {
    const covered = new Uint8Array(tree.size),
        sums = METRICS.map(() => 0);
    let frames = 0;
    for (let i = 0; i < tree.size; i++) {
        const hit = hits[tree.name[i]],
            above = i > 0 && covered[tree.parent[i]];
        covered[i] = hit || above ? 1 : 0;
        frames += hit;
        if (hit && !above) METRICS.forEach((_, m) => (sums[m] += tree.all[m][i]));
    }
    return { frames, sums };
}

/* The frame with the most of metric M that HITS finds, to zoom to. */
export function widest(hits, m, bottomUp) {
    const root = rootFrame(bottomUp);
    if (bottomUp)
        return root
            .kids()
            .reduce(
                (best, k) => (hits[k.name] && (!best || k.total(m) > best.total(m)) ? k : best),
                null,
            );
    let best = -1;
    for (let i = 0; i < tree.size; i++)
        if (hits[tree.name[i]] && (best < 0 || tree.all[m][i] > tree.all[m][best])) best = i;
    return best < 0 ? null : frameOf(best);
}
