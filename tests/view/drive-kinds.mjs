/* drive-kinds.mjs - colours, and pages of other kinds: two profiles, scenarios, a bench, hostile
 * names, 100,000 contexts. drive.mjs loads it.
 */
import {
    asked,
    background,
    clickFrame,
    close,
    contrast,
    frames,
    metricsOf,
    pick,
    report,
    settle,
    shown,
    test,
    text,
    touchFrames,
    type,
} from "./person.mjs";

/* ---- colours ---- */

for (const scheme of ["light", "dark"])
    await test(scheme, "real", { scheme }, async (page) => {
        for (const colours of ["parallelism", "function"])
            for (const search of ["", "pqsort"]) {
                await page.select("#colours", colours);
                if (search) await type(page, search);
                for (const metric of await metricsOf(page)) {
                    await pick(page, metric);
                    const [ratio, words] = await contrast(page);
                    asked(
                        ratio >= 4.5,
                        `contrast ${ratio.toFixed(2)} of "${words}", ${metric}, ${colours}`,
                    );
                }
                if (search) await page.keyboard.press("Escape");
            }
        const here = await background(page);
        await page.emulateMediaFeatures([
            { name: "prefers-color-scheme", value: scheme === "dark" ? "light" : "dark" },
        ]);
        await settle(page);
        asked((await background(page)) !== here, "the page does not follow the system's colours");
    });

for (const width of [320, 390])
    await test(`phone-${width}`, "real", { width, height: 740, touch: true }, async (page) => {
        const wide = async (when) => {
            const [inside, window] = await page.evaluate(() => [
                document.documentElement.scrollWidth,
                innerWidth,
            ]);
            asked(
                inside <= window && window === width,
                `${when} the page is ${inside} wide, its window ${window}`,
            );
        };
        await wide("at first");
        for (const metric of [...(await metricsOf(page)), "beside"]) {
            await pick(page, metric);
            await wide(`with ${metric}`);
        }
        const [a, b] = await page.$$eval("#panes .pane", (all) =>
            all.map((e) => e.getBoundingClientRect()).map((r) => [r.x, r.y]),
        );
        asked(a[0] === b[0] && a[1] < b[1], "two graphs do not stand one below the other");
        await pick(page, "span");
        await page.$eval("#panes", (e) => e.scrollIntoView());
        const f = (await frames(page)).find((g) => g.level === 2);
        asked(f.height >= 24, `a frame is ${f.height} high: no finger hits it`);
        await page.touchscreen.tap(f.x + f.width / 2, f.y + f.height / 2);
        await settle(page);
        asked(await shown(page, "#selected"), "a tap does nothing");
        await wide("with something selected");
        await type(page, "pqsort");
        await wide("with a search");
        for (const selector of ["#functions", "#sites", "#lines"])
            if (await shown(page, selector))
                await page.$eval(`${selector} tbody button`, (e) => e.click());
        await wide("with a row chosen");
        const verdicts = await page.$$eval("#functions-table .under", (all) =>
            all.filter((e) => e.textContent).map((e) => {
                const r = e.getBoundingClientRect();
                return r.width > 0 && r.right <= innerWidth && e.scrollWidth <= e.offsetWidth + 1;
            }),
        );
        asked(verdicts.every((v) => v), "a verdict is beyond the window");
        const small = await page.$$eval("button, select, input[type=search]", (all) =>
            all
                .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24)
                .map((e) => e.outerHTML.slice(0, 80)),
        );
        asked(!small.length, `too small for a finger: ${small[0]}`);
    });

/* ---- two profiles, scenarios, a bench ---- */

/* Red is more and blue is less, as prof diff has it, of the paths from the program down, and of the
 * functions with all that was theirs. */
for (const scheme of ["light", "dark"])
    await test(
        `changed-${scheme}`,
        "changed",
        { scheme, width: scheme === "dark" ? 390 : 1280 },
        async (page) => {
            const colours = () =>
                page.$$eval("#panes g.frame", (all) =>
                    all.map((g) => {
                        const [r, , b] = getComputedStyle(g.querySelector("rect"))
                            .fill.match(/[\d.]+/g)
                            .map(Number);
                        return {
                            level: Number(g.getAttribute("aria-level")),
                            name: g.getAttribute("aria-label").replace(/, [\d.]+ % of .*$/, ""),
                            more: r > b + 4,
                            less: b > r + 4,
                        };
                    }),
                );
            const known = report("changed"),
                whole = known.paths[0].all,
                once = (all, name) => all.filter((x) => x.function === name).length === 1;
            for (const metric of ["span", "work"]) {
                await pick(page, metric);
                for (const bottomUp of [false, true]) {
                    const way = bottomUp ? "bottom-up " : "";
                    if (bottomUp !== (await page.$eval("#bottom-up", (e) => e.checked)))
                        await page.click("#bottom-up");
                    await settle(page);
                    const rows = bottomUp ? known.functions : known.paths,
                        key = `${metric}_ns`,
                        drawn = await colours();
                    let checked = 0;
                    for (const row of rows) {
                        const change = (bottomUp ? row.self : row.all)[key].change,
                            f = drawn.filter(
                                (d) => d.name === row.function && (!bottomUp || d.level === 2),
                            );
                        if (
                            !once(rows, row.function) ||
                            f.length !== 1 ||
                            Math.abs(change) < whole[key].b / 50
                        )
                            continue;
                        asked(
                            change > 0 ? f[0].more : f[0].less,
                            `${metric} of ${row.function} ${way}changed by ${change} ` +
                                `and is ${JSON.stringify(f[0])}`,
                        );
                        checked++;
                    }
                    asked(checked > 2, `${checked} colours of ${metric} ${way}were compared`);
                    const [ratio, words] = await contrast(page);
                    asked(
                        ratio >= 4.5,
                        `contrast ${ratio.toFixed(2)} of "${words}" with ${metric}`,
                    );
                }
            }
            asked(
                /Red: costs more/.test(await text(page, "#graph-words")),
                "bottom-up it is not said what the colours are",
            );
            await page.select("#colours", "function");
            await settle(page);
            asked(
                (await colours()).filter((f) => f.level > 1).every((f) => f.less),
                "without changes work is not in its own colour",
            );
        },
    );

for (const [name, options] of [
    ["wide", {}],
    ["dark", { scheme: "dark" }],
    ["phone", { width: 320, height: 740, touch: true }],
])
    await test(`whatif-${name}`, "whatif", options, async (page) => {
        const { program, whatif } = report("whatif");
        const rows = await page.$$eval("#whatif-table tbody tr", (all) =>
            all.map((r) => [...r.cells].map((c) => c.textContent)),
        );
        asked(rows.length === whatif.scenarios.length + 1, `${rows.length} scenarios`);
        for (const s of whatif.scenarios) {
            const row = rows.find((r) => r[0] === s.name);
            asked(row, `${s.name} is missing`);
            asked(
                s.span_ns
                    ? close(row[3], s.parallelism_made_parallel, 0.005) &&
                          close(row[4], s.parallelism_made_faster, 0.005)
                    : row[3] === "no span is left",
                `${s.name} is ${row}`,
            );
            asked(
                close(
                    row[5],
                    Math.min(program.workers, s.span_ns ? program.work_ns / s.span_ns : Infinity),
                    0.005,
                ),
                `${s.name} on this machine: ${row[5]}`,
            );
            asked(row[6] === (s.estimated ? "estimated" : "exact"), `${s.name} is ${row[6]}`);
        }
        asked(
            /Never ran: gone/.test(await text(page, "#whatif-hint")),
            "it is not said what never ran",
        );
        const legend = await page.$$eval("#plot .u-legend .u-label", (all) =>
            all.map((e) => e.textContent),
        );
        asked(
            legend.filter((l) => l.startsWith("at most if ")).length === 2 &&
                !legend.some((l) => l.includes("no cost")),
            `the plot has ${legend}`,
        );
        asked(legend.includes("prof bench"), "what was measured is not in the plot");
        await page.$eval("#speedup summary", (e) => e.click());
        const last = await page.$$eval("#plot-table tr", (all) =>
            [...all.at(-1).cells].map((c) => c.textContent),
        );
        asked(last[3] === "8.00" && last[2] === "4.00", `on most processors: ${last}`);
        asked(
            (await shown(page, "#scaling")) && (await shown(page, "#factored-plot canvas")),
            "nothing is said of the bench",
        );
        const [ratio, words] = await contrast(page);
        asked(ratio >= 4.5, `contrast ${ratio.toFixed(2)} of "${words}"`);
    });
await test("no-whatif", "real", {}, async (page) => {
    asked(
        !(await shown(page, "#whatif")) && !(await shown(page, "#scaling")),
        "sections without anything in them",
    );
});

/* ---- words ---- */

/* Through the states of a page of every kind: test() asks that none shows a value of the script. */
const KINDS =
    "real off-cpu changed whatif waits merged noisy loop chunks ready empty nothing scaled serial "
    + "paths ranks regions locked";
for (const kind of KINDS.split(" "))
    await test(`words-${kind}`, kind, {}, async (page) => {
        for (const pick of await page.$$("main tbody tr:nth-child(-n+3) .pick"))
            await pick.evaluate((e) => e.click());
        for (const summary of await page.$$("summary")) await summary.evaluate((e) => e.click());
        if (!(await shown(page, "#paths-body"))) return;
        for (const bottomUp of [false, true]) {
            if (bottomUp) await page.$eval("#bottom-up", (e) => e.click());
            for (const metric of [...(await metricsOf(page)), "beside"]) {
                await pick(page, metric);
                await touchFrames(page);
            }
        }
    });

/* ---- profiles that nobody has in mind ---- */

/* A loop that was cut, by the program and for this run's workers: both bounds, in the figures, the
 * curve and the table. */
const windows = { wide: {}, phone: { width: 360, height: 700, touch: true } };
for (const [name, options] of Object.entries(windows))
    await test(`loop-${name}`, "loop", options, async (page) => {
        const figures = await page.$eval("#figures", (e) => e.innerText);
        asked(/Loops divided\s*1,000/.test(figures), `the figures: ${figures}`);
        const words = await text(page, "#plot-words");
        asked(/15\.9\): loops as the program cut them; .*about 1,000 \(/.test(words),
              words);
        asked((await text(page, "#plot .u-legend")).includes("at most, loops divided"),
              "the curve has no divided bound");
        const [head, last] = await page.$$eval("#plot-table tr", (all) =>
            [all[0], all.at(-1)].map((r) => [...r.cells].map((c) => c.textContent)));
        asked(head.at(-1) === "at most, loops divided" &&
              last.join(" ").endsWith(`15.9 ${last[0]}`), `the table: ${last}`);
        asked(!/parallel_for \+/.test(await text(page, "#sites-table")),
              "the loop is marked as executed");
    });
await test("shares", "shares", {}, async (page) => {
    const words = await text(page, "#plot-words");
    asked(/2\.0*\): loops as cut for 2 workers.*about 1,000 \(estimated\)/.test(words), words);
    asked(/parallel_for \+/.test(await text(page, "#sites-table")),
          "the loop is not marked as executed");
});
await test("chunks", "chunks", {}, async (page) => {
    const words = await text(page, "#plot-words");
    asked(/: loops as they were cut; their iterations allow/.test(words), words);
    asked(/burdened span\) if no strand waits/.test(words), words);
});
await test("sized", "sized", {}, async (page) => {
    const words = await text(page, "#plot-words");
    asked(/: loops as the program cut them; their iterations allow/.test(words), words);
});
await test("outliers", "noisy", {}, async (page) => {
    const figures = await page.$eval("#figures", (e) => e.innerText);
    asked(/No outliers\s*3,?000/.test(figures), `the figures: ${figures}`);
    asked((await text(page, "#plot .u-legend")).includes("at most, no outliers"),
          "the curve has no bound without outliers");
    const [head, last] = await page.$$eval("#plot-table tr", (all) =>
        [all[0], all.at(-1)].map((r) => [...r.cells].map((c) => c.textContent)));
    asked(head.at(-1) === "at most, no outliers" &&
          /^3,?000$/.test(last.at(-1)) === (Number(last[0]) >= 3000), `the table: ${last}`);
});
await test("no-outliers", "loop", {}, async (page) =>
    asked(!(await text(page, "#figures")).includes("No outliers"),
          "there are outliers under the virtual clock"));
await test("no-loop", "real", {}, async (page) =>
    asked(!(await text(page, "#figures")).includes("Loops divided"),
          "loops are divided that are not there"));

/* A real program without tasks and samples: what is known of it, and no graph, curve or table that
 * shows nothing. */
await test("nothing", "nothing", {}, async (page) => {
    const card = await text(page, "#limits");
    asked(/No tasks were seen/.test(await text(page, "#headline")), card);
    asked(/It ran for [\d.]+ [nµm]s, and samples are 4.00 ms apart: none hit it/.test(card), card);
    asked(!/\(program\)|Idle|stolen/.test(card), card);
    asked(/No sample hit the program/.test(await text(page, "#no-paths")), "its call paths");
    for (const id of ["#paths-body", "#findings", "#functions", "#sites", "#lines", "#plot canvas"])
        asked(!(await page.$(id)) || !(await shown(page, id)), `${id} is there`);
    asked(/is serial/.test(await text(page, "#speedup")), await text(page, "#speedup"));
});

await test("empty", "empty", {}, async (page) => {
    asked(
        (await shown(page, "#no-paths")) && !(await shown(page, "#paths-body")),
        "no word that there are no call paths",
    );
    asked(/No tasks were seen/.test(await text(page, "#headline")), await text(page, "#headline"));
    asked(
        !(await shown(page, "#functions")) && !(await shown(page, "#lines")),
        "tables without rows",
    );
});
await test("empty-phone", "empty", { width: 320, height: 600, touch: true }, async () => {});

const STRANGERS = "img iframe object embed link base form a video audio meta".split(" ");
const CONTROLS = new RegExp(
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200e\\u200f" +
        "\\u202a-\\u202e\\u2066-\\u2069]",
);

/* Names want to be elements, attributes, scripts. */
for (const kind of ["hostile", "names"])
    for (const scheme of ["light", "dark"])
        await test(
            `${kind}-${scheme}`,
            kind,
            { scheme, width: scheme === "dark" ? 390 : 1280 },
            async (page, { said }) => {
                const strange = () =>
                    page.evaluate(
                        (strangers) =>
                            [...document.querySelectorAll("body *")]
                                .flatMap((e) =>
                                    [...e.attributes]
                                        .filter(
                                            (a) =>
                                                /^on/i.test(a.name) || /javascript:/i.test(a.value),
                                        )
                                        .map((a) => `${e.tagName} ${a.name}`)
                                        .concat(
                                            strangers.includes(e.tagName.toLowerCase())
                                                ? [e.tagName]
                                                : [],
                                        ),
                                )
                                .concat(
                                    document.scripts.length === 2
                                        ? []
                                        : [`${document.scripts.length} scripts`],
                                ),
                        STRANGERS,
                    );
                asked(!(await strange()).length, (await strange())[0]);
                const words = await page.$eval("main", (e) => e.innerText);
                asked(
                    words.includes("<script>alert(1)</script>"),
                    "the name is not shown as it is",
                );
                asked(!CONTROLS.test(words), "a control character is shown");
                for (const button of await page.$$("main tbody .pick"))
                    await button.evaluate((e) => e.click());
                if (kind === "names") {
                    await clickFrame(page, (f) => f.level === 2);
                    await page.hover("g.frame");
                }
                asked(!(await strange()).length, (await strange())[0]);
                asked(!said.length, said[0]);
                /* and if the page had a hole, its policy would hold, and say so */
                const through = await page.evaluate(async () => {
                    try {
                        document.body.insertAdjacentHTML("beforeend", "<b>x</b>");
                        return "markup was taken from a string";
                    } catch {
                        /* as it should be */
                    }
                    const s = document.createElement("script");
                    try {
                        s.textContent = "window.hurt = 1";
                        document.body.append(s);
                    } catch {
                        /* likewise */
                    }
                    s.remove();
                    return window.hurt ? "a script was run" : "";
                });
                asked(!through, through);
                said.splice(
                    0,
                    said.length,
                    ...said.filter(
                        (words) => !/Trusted(HTML|Script)|Content Security Policy/.test(words),
                    ),
                );
            },
        );

/* ---- 100,000 contexts ---- */

for (const kind of ["big", "large", "flat", "deep"])
    await test(kind, kind, {}, async (page, o) => {
        asked(Number(await page.$eval("html", (e) => e.dataset.ready)) > 0, "never ready");
        if (kind === "big") return; /* it has no call paths */
        const first = await frames(page);
        asked(
            first.length > (kind === "large" ? 20 : 0) && first.length <= 2100,
            `${first.length} frames are drawn`,
        );
        const time = await page.evaluate(async () => {
            const g = [...document.querySelectorAll("g.frame")].at(-1),
                t = performance.now();
            g.dispatchEvent(new MouseEvent("click", { bubbles: true }));
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            return performance.now() - t;
        });
        if (kind === "large") await page.click("#zoom-out");
        for (const metric of ["work", "idleness", "beside"]) await pick(page, metric);
        await pick(page, "work");
        await page.click("#bottom-up");
        await settle(page);
        asked((await frames(page)).length > (kind === "large" ? 1 : 0), "nothing bottom-up");
        if (process.env.PROF_TIMES)
            console.log(
                `     ${kind}: usable after ${o.painted.toFixed(0)} ms,`,
                `a zoom ${time.toFixed(0)} ms`,
            );
    });

/* Usable within a second on an idle machine (docs/FIGURES.md); here no absolute time can be asked
 * for. But the first drawing of 233,000 nodes must not cost more than their reading does, by much:
 * a page that draws them all is 50 times slower. */
await test("large-in-proportion", "large", {}, async (page, o) => {
    const parse = await page.evaluate(() => {
        const raw = document.getElementById("profile").textContent,
            t = performance.now();
        for (let i = 0; i < 3; i++) JSON.parse(raw);
        return (performance.now() - t) / 3;
    });
    asked(
        o.painted < 200 * parse,
        `usable after ${o.painted.toFixed(0)} ms, ` +
            `of which reading the profile takes ${parse.toFixed(0)}`,
    );
});
