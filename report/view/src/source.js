/* source.js - lines of the program's source with their samples. */
import { lineColumns, lines, nameOf, profile } from "./data.js";
import { fade } from "./edges.js";
import { clean, count, element, place, share } from "./text.js";

const AROUND = 8;

/* The samples by line of each file: file -> line -> [on span, samples]. */
const hits = new Map();
const total = [0, 0];
for (const i of lines) {
    const file = nameOf(lineColumns.file[i]),
        line = lineColumns.line[i];
    if (!lineColumns.self.samples[i]) continue; /* it was hit off the CPU alone */
    if (!hits.has(file)) hits.set(file, new Map());
    const of = hits.get(file),
        at = of.get(line) ?? [0, 0],
        add = [lineColumns.self.onSpan[i], lineColumns.self.samples[i]];
    of.set(
        line,
        at.map((v, k) => v + add[k]),
    );
    add.forEach((v, k) => (total[k] += v));
}

const runs = new Map();
for (const run of profile.sources) {
    const file = clean(run.file ?? "");
    if (!runs.has(file)) runs.set(file, []);
    runs.get(file).push(run);
}

/* The line of function NAME with the most samples. */
export function hottest(name, file) {
    let best = -1;
    for (const i of lines) {
        const c = lineColumns;
        if (
            c.name[i] === name
            && c.file[i] === file
            && (best < 0
                || c.self.onSpan[i] > c.self.onSpan[best]
                || (c.self.onSpan[i] === c.self.onSpan[best]
                    && c.self.samples[i] > c.self.samples[best]))
        )
            best = i;
    }
    return best < 0 ? 0 : lineColumns.line[best];
}

const visible = (s) => s.split("\t").map(clean).join("\t");

/* LINE of FILE, and the lines around it, as elements. */
export function sourceOf(file, line) {
    if (!file || !line) return [];
    const run = runs.get(file)?.find((r) => line >= r.first && line < r.first + r.lines.length),
        of = hits.get(file);
    const title = element("h3", { title: file }, place(file, line));
    if (!run) {
        const own = of?.get(line);
        return [
            title,
            element(
                "p",
                { class: "hint" },
                (own
                    ? `${count(own[1])} samples, ${count(own[0])} of them on the critical path. `
                    : "") + "The source could not be read where this page was made.",
            ),
        ];
    }
    const rows = [];
    for (
        let n = Math.max(run.first, line - AROUND);
        n <= Math.min(run.first + run.lines.length - 1, line + AROUND);
        n++
    ) {
        const own = of?.get(n);
        rows.push(
            element(
                "tr",
                { class: n === line ? "here" : null },
                element("td", { class: "number" }, own && own[0] ? share(own[0], total[0]) : ""),
                element("td", { class: "number" }, own ? count(own[1]) : ""),
                element("th", { scope: "row", class: "number" }, n),
                element("td", { class: "code" }, visible(run.lines[n - run.first])),
            ),
        );
    }
    return [
        title,
        run.newer
            ? element(
                  "p",
                  { class: "warning" },
                  "This file is newer than the run: lines may have moved.",
              )
            : "",
        fade(element(
            "div",
            { class: "scroll", tabindex: "0", role: "region", "aria-label": "Source" },
            element(
                "table",
                { class: "source" },
                element(
                    "thead",
                    {},
                    element(
                        "tr",
                        {},
                        ...["% span samples", "samples", "line", ""].map((t) =>
                            element("th", { scope: "col" }, t),
                        ),
                    ),
                ),
                element("tbody", {}, ...rows),
            ),
        )),
    ];
}
