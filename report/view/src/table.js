/* table.js - sortable tables. Rows are indices until they are shown, some at a time. */
import { fade } from "./edges.js";
import { element, percent } from "./text.js";

const FIRST = 20,
    MORE = 200;

const classes = (c) => (c.words ? "name words" : c.name ? "name" : "number");

/* COLUMNS: {title, value(i) to sort by, text(i) to show (else the value), name: it is text, words:
 * it is text that is broken into lines and not cut, share: the colour of a bar below it, first: the
 * direction of the first click, "ascending" or not}. PICK is called with a row that is chosen; it
 * may be missing. ISPICKED(i): row i is chosen when the table is made; it may be missing, too.
 * Returns a function whose result, {title, ascending}, is how the table is sorted now; LIKE: such a
 * result. */
export function table(at, { caption, columns, rows, sort, pick, isPicked }, like) {
    /* narrow pages show these words below the first column: style.css */
    const wordy = columns.find((c) => c.words),
        known = columns.findIndex((c) => c.title === like?.title);
    let by = known < 0 ? sort : known,
        ascending = known < 0 ? columns[by].first === "ascending" : like.ascending,
        shown = FIRST;
    const body = element("tbody"),
        more = element("button", {
            type: "button",
            on: {
                click: () => {
                    shown += MORE;
                    fill();
                },
            },
        });
    const heads = columns.map((c, k) =>
        element(
            "th",
            { scope: "col", class: classes(c), title: c.hint },
            element("button", { type: "button", on: { click: () => order(k) } }, c.title),
        ),
    );

    function cell(c, i, k) {
        const value = c.value(i),
            text = c.text ? c.text(i) : value;
        const td = element("td", {
            class: c.share ? "number share" : classes(c),
            title: c.name ? (c.full?.(i) ?? text) : null,
        });
        if (c.share) {
            td.style.setProperty("--share", Math.max(0, Math.min(100, value)) + "%");
            td.style.setProperty("--bar", `var(${c.share})`);
        }
        if (text !== "")
            td.append(
                pick && k === 0
                    ? element("button", { type: "button", class: "pick" }, String(text))
                    : String(text),
            );
        if (k === 0 && wordy) td.append(element("span", { class: "under" }, wordy.value(i)));
        return td;
    }
    function fill() {
        body.replaceChildren(
            ...rows.slice(0, shown).map((i) => {
                const tr = element("tr", {}, ...columns.map((c, k) => cell(c, i, k)));
                if (pick) {
                    tr.classList.add("row");
                    tr.classList.toggle("picked", Boolean(isPicked?.(i)));
                    tr.addEventListener("click", () => {
                        body.querySelector(".picked")?.classList.remove("picked");
                        tr.classList.add("picked");
                        pick(i);
                    });
                }
                return tr;
            }),
        );
        more.hidden = rows.length <= shown;
        more.textContent = `${rows.length - shown} more`;
    }
    function order(k) {
        ascending = k === by ? !ascending : columns[k].first === "ascending";
        by = k;
        arrange();
    }
    function arrange() {
        const value = columns[by].value,
            sign = ascending ? 1 : -1;
        const keys = new Map(rows.map((i) => [i, value(i)]));
        rows = rows.slice().sort((i, j) => {
            const a = keys.get(i),
                b = keys.get(j);
            return a < b ? -sign : a > b ? sign : 0;
        });
        heads.forEach((h, h_k) =>
            h.setAttribute(
                "aria-sort",
                h_k === by ? (ascending ? "ascending" : "descending") : "none",
            ),
        );
        fill();
    }
    arrange();
    at.replaceChildren(
        fade(
            element(
                "div",
                { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
                element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body),
            ),
        ),
        more,
    );
    return () => ({ title: columns[by].title, ascending });
}

/* Shares of a metric have its colour. */
const BARS = { idle: "--idleness", samples: "--faint", marked: "--link" };
const barOf = (title) => {
    const [, metric] = /^% (\w+)/.exec(title);
    return BARS[metric] ?? `--${metric}`;
};

export const shareColumn = (title, part, all, hint) => ({
    title,
    hint,
    share: barOf(title),
    value: (i) => percent(part(i), all),
    text: (i) => (all > 0 && part(i) > 0 ? percent(part(i), all).toFixed(1) : ""),
});
