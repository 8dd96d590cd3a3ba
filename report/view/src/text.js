/* text.js - numbers and names as shown, and elements that hold text only.
 *
 * RULE of the whole page: a string from a profile becomes text, never markup. Only element() makes
 * elements. (The page's policy refuses innerHTML and its like.)
 */

/* Shows control characters, and characters that change the direction of writing. */
export function clean(s) {
    return String(s).replace(
        /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
        (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"),
    );
}

/* CHILDREN that are false are left out, so that a condition may stand before one. */
export function element(tag, attributes = {}, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
        if (key === "on")
            for (const [type, f] of Object.entries(value)) e.addEventListener(type, f);
        else if (value === true) e.setAttribute(key, "");
        else if (value !== false && value !== null && value !== undefined)
            e.setAttribute(key, value);
    }
    e.append(...children.filter((c) => ![false, null, undefined, ""].includes(c)));
    return e;
}

export const byId = (id) => document.getElementById(id);

/* Does the event E press KEY as a command, not as text? */
export const isKey = (e, key) =>
    e.key === key
    && !e.ctrlKey
    && !e.altKey
    && !e.metaKey
    && !e.target.closest("input:not([type=radio]):not([type=checkbox]), select, textarea");

const digits = (v) => (v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2));

export function time(ns) {
    const v = Math.abs(ns),
        sign = ns < 0 ? "−" : "";
    if (v < 1000) return sign + (v < 10 && v % 1 ? v.toFixed(1) : v.toFixed(0)) + " ns";
    for (const [unit, size] of [
        ["µs", 1e3],
        ["ms", 1e6],
    ])
        if (v < size * 999.5) return sign + digits(v / size) + " " + unit;
    return sign + digits(v / 1e9) + " s";
}

const grouping = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
export const count = (v) => grouping.format(v);
/* A count that may be a mean. */
export const number = (v) => (v >= 1000 || Number.isInteger(v) ? count(v) : digits(v));
export const ratio = (v) =>
    v > 0 && isFinite(v)
        ? (v >= 1e6 ? v.toExponential(2) : v >= 1000 ? count(v) : digits(v))
        : "–";
export const percent = (part, all) => (all > 0 ? (100 * part) / all : 0);
export const share = (part, all) => percent(part, all).toFixed(1) + " %";

export const base = (file) => file.slice(file.lastIndexOf("/") + 1);
export const place = (file, line) => (file ? base(file) + (line ? ":" + line : "") : "");
