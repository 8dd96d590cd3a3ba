/* answer.js - the first card: what limits the program, the largest gain first, and the figures. The
 * findings are those of the terminal and of the JSON. Below the first three, the rest is folded. */
import {
    cost,
    cutFor,
    findings,
    functionColumns,
    functionFigures,
    hasTasks,
    hasOutliers,
    labels,
    ledgerRows,
    loopsDivide,
    names,
    profile,
    program,
    timed,
    tree,
} from "./data.js";
import { findingText } from "./flame_tip.js";
import { scrollTo, selectable, selectRow, showRow } from "./selection.js";
import { byId, clean, count, element, ratio, share, time } from "./text.js";

const FIRST = 3; /* findings that are shown at first, as in the terminal */

/* The idle time without a job's time in MPI, and what it is a share of. */
function idle() {
    if (!(profile.job?.ranks.length > 1) || !profile.ledger.total_ns || !timed)
        return [program.idle_ns, "of worker time"];
    const l = ledgerRows(profile.ledger);
    return [
        l.search_ns + l.sleep_ns + l.sleep_run_delay_ns + l.without_thread_ns,
        "of worker time, outside MPI",
    ];
}

/* ---- findings ---- */

/* Without a finding: why there is none. */
function headline() {
    if (!hasTasks) return "No tasks were seen";
    if (!program.span_ns) return "No cost was measured";
    return profile.causes.known
        ? `No cause costs ${100 * profile.causes.worth} % of the elapsed time or more`
        : `What limits it is not known: the profile has no ${tree ? "times" : "call paths"}`;
}

/* Of a program without tasks: that no sample hit it, and why, if that is known. */
function withoutSamples() {
    const { samples, period_ns: period, source } = profile.sampling;
    if (samples) return [];
    const text = !source
        ? "No samples were taken, so the profile does not show which functions ran."
        : timed && period > program.work_ns
          ? `It ran for ${time(program.work_ns)}, and samples are ${time(period)} apart: none hit `
            + "it, so the profile does not show which functions ran."
          : "No sample hit it, so the profile does not show which functions ran.";
    return [element("p", {}, text)];
}

/* TEXT, in which the place called LABEL selects finding I. It follows, if it is not in TEXT. */
function withPlace(text, label, i) {
    if (!label) return [text];
    const [before, ...after] = text.split(label);
    const go = () => {
        selectRow("findings", i);
        scrollTo("selected", "nearest");
    };
    return [
        before,
        after.length ? "" : " ",
        element("button", { type: "button", class: "pick place", on: { click: go } }, label),
        after.join(label),
    ];
}

/* The gain as a bar, as long as its share of the elapsed time, on which a line is the interval. */
function bar(f) {
    const part = (ns) => Math.min(100, (f.share * 100 * ns) / f.gain_ns) + "%",
        at = element("div", { class: "gain-bar", "aria-hidden": "true" });
    for (const [key, ns] of Object.entries({ gain: f.gain_ns, low: f.gain_low_ns,
                                             high: f.gain_high_ns }))
        at.style.setProperty(`--${key}`, part(ns));
    return at;
}

function item(f, i) {
    const [share, ...interval] = f.gain.split(/(?= \()/);
    return element(
        "li",
        { "data-cause": f.id },
        element(
            "p",
            { class: "gain" },
            element("strong", {}, share),
            element("span", { class: "hint" }, interval.join("").trim()),
            element("span", { class: "cause" }, f.id),
        ),
        bar(f),
        element("p", {}, ...withPlace(f.text, f.label, i)),
        element("p", { class: "hint" }, f.remedy),
    );
}

/* What the page shows where finding I is selected: it, and the figures of its function. */
function showFinding(i) {
    const f = findings[i],
        row = f.functions[0] ?? -1,
        site = f.site < 0 ? "" : clean(profile.site_names[f.site]),
        whole =
            row >= 0 ? names[functionColumns.name[row]] : names.includes(site) ? site : "";
    showRow(
        row >= 0 ? labels[functionColumns.label[row]] : f.label,
        () => [findingText(f), row >= 0 ? element("p", {}, functionFigures(row)) : ""],
        clean(f.place.file ?? ""),
        f.place.line ?? 0,
        whole,
    );
}

function answer() {
    const items = findings.map(item),
        later = items.slice(FIRST);
    byId("headline").hidden = items.length > 0;
    for (const id of ["findings", "findings-of"]) byId(id).hidden = !items.length;
    byId("headline").textContent = headline();
    if (!hasTasks && profile.sampling) byId("headline").after(...withoutSamples());
    byId("findings").append(...items.slice(0, FIRST));
    byId("findings-more").hidden = !later.length;
    byId("findings-all").textContent = `All ${items.length} findings`;
    byId("findings-rest").start = FIRST + 1;
    byId("findings-rest").append(...later);
    byId("warnings").append(
        ...profile.words.warnings.map((w) => element("p", { class: "warning" }, clean(w))),
    );
    selectable("findings", findings.keys(), showFinding);
}

/* ---- the words of causes.def ---- */

/* What stands in a sentence of causes.def for the value {name}. */
const VALUES = {
    ns: "time",
    mean: "time",
    count: "number",
    threads: "number",
    processors: "number",
    workers: "other workers",
};

function causeWords() {
    const sentence = (words) =>
        words
            .split(/\{(\w+)\}/)
            .map((part, k) => (k % 2 ? element("var", {}, VALUES[part] ?? part) : part));
    byId("terms-causes").append(
        ...profile.causes.ids.flatMap(({ id, text, cells }) => [
            element("dt", {}, id),
            element(
                "dd",
                {},
                ...sentence(text),
                element("span", { class: "hint" }, ` ${cells}`),
            ),
        ]),
    );
}

/* ---- figures ---- */

const AT_LEAST = { "lower bound": " (at least)", "not exact": " (not exact)" },
    AT_MOST = { "lower bound": " (at most)", "not exact": " (not exact)" };

function figures() {
    // more threads than worker slots: their time is the whole
    const slots =
        program.elapsed_ns * program.workers - Math.min(0, profile.ledger.extra_threads_ns ?? 0);
    const [idleNs, idleOf] = idle();
    const measured = (v) => (program.span_ns ? cost(v) : "–");
    const all = [
        ["Work", "T₁", measured(program.work_ns)],
        [
            `Span${AT_LEAST[program.certainty.span_ns] ?? ""}`,
            `T∞, ${program.certainty.span_ns}`,
            measured(program.span_ns),
        ],
        [
            `Parallelism${AT_MOST[program.certainty.span_ns] ?? ""}`,
            loopsDivide ? `T₁/T∞, loops ${cutFor}` : "T₁/T∞",
            ratio(program.parallelism),
        ],
        ...(loopsDivide
            ? [
                  [
                      "Loops divided",
                      "parallelism of their iterations, estimated",
                      ratio(program.parallelism_divisible),
                  ],
              ]
            : []),
        ...(hasOutliers
            ? [
                  [
                      "No outliers",
                      "parallelism if no strand took far longer than comparable strands, estimated",
                      ratio(program.parallelism_typical),
                  ],
              ]
            : []),
        /* without tasks, nothing is stolen, and no worker can lack any */
        ...(hasTasks
            ? [
                  ["Burdened parallelism", "with steals", ratio(program.burdened_parallelism)],
                  ["Idle", idleOf, share(idleNs, slots)],
                  ["Tasks", `${count(program.steals)} stolen`, count(program.tasks)],
              ]
            : [["Samples", "of its code", count(profile.sampling?.samples ?? 0)]]),
        ...Object.entries(profile.settings ?? {})
            .filter(([key]) => key.startsWith("event:"))
            .map(([key, value]) => [
                clean(key.slice(6)),
                "counted for the process",
                count(Number(value)),
            ]),
    ];
    byId("figures").append(
        ...all.map(([name, what, value]) =>
            element(
                "div",
                {},
                element("dt", {}, name),
                element("dd", {}, value),
                element("dd", { class: "hint" }, what),
            ),
        ),
    );
}

export function start() {
    answer();
    figures();
    causeWords();
}
