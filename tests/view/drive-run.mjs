/* drive-run.mjs - what a person does with the page of one real run. drive.mjs loads it. */
import {
    asked,
    clickFrame,
    close,
    frames,
    metricsOf,
    pick,
    report,
    settle,
    shown,
    test,
    text,
    type,
} from "./person.mjs";

/* ---- a real run ---- */

/* Every frame is as wide as it says, in every metric; and says what prof report says. */
const widths = (options) => async (page) => {
    const paths = report("real").paths,
        total = paths[0].all;
    let checked = 0;
    for (const metric of await metricsOf(page)) {
        await pick(page, metric);
        if (!(await page.$("#panes .pane g.frame"))) {
            asked(!total[`${metric}_ns`], `nothing is drawn of ${metric}`);
            continue;
        }
        const all = await frames(page),
            whole = all.find((f) => f.level === 1);
        asked(whole.share === 100, `the program is ${whole.share} % of its ${metric}`);
        for (const f of all)
            asked(
                close(f.width, (whole.width * f.share) / 100, 2),
                `${f.said} is ${f.width} of ${whole.width} wide`,
            );
        for (const p of paths.filter(
            (p) => p.parent === 0 && p.all[`${metric}_ns`] > total[`${metric}_ns`] / 20,
        )) {
            const said = all.filter((f) => f.level === 2).map((f) => f.share),
                share = (100 * p.all[`${metric}_ns`]) / total[`${metric}_ns`];
            asked(
                said.some((s) => close(s, share, 0.11)),
                `${metric} of ${p.function} is ${share} %, drawn are ${said}`,
            );
            checked++;
        }
    }
    asked(checked, "nothing was compared");
};
await test("widths", "real", {}, widths());

/* What was ready to run is no sleep, and the rows add up. */
await test("ledger", "ready", {}, async (page) => {
    const rows = await page.$$eval("#ledger-table tbody tr", (all) =>
            all.map((r) => [...r.cells].slice(1).map((c) => c.textContent)),
        ),
        of = (words) => rows.find(([what]) => what === words)?.slice(1).join(" ") ?? "no row",
        sum = rows.reduce((all, [, share]) => all + parseFloat(share.replace("–", "0")), 0);
    asked(of("idle: asleep").includes("290 ms"), `asleep: ${of("idle: asleep")}`);
    const ready = of("idle: ready, others had the processors");
    asked(ready.includes("700 ms"), `ready: ${ready}`);
    asked(close(sum, 100, 0.6), `the rows are ${sum} % together`);
});

/* Waits, the longest first, as the report has them; a row shows what waited. */
await test("waits", "waits", {}, async (page) => {
    const rows = () =>
        page.$$eval("#waits-table tbody tr", (all) =>
            all.map((r) => [...r.cells].map((c) => c.textContent)),
        );
    asked(await shown(page, "#waits"), "there are no waits");
    const said = JSON.stringify(await rows());
    asked(
        said ===
            JSON.stringify([
                ["app+0x40200f", "app+0x40200f", "critical", "60.0 ms", "600.0", "1,200"],
                ["app+0x40300f", "app+0x40300f", "lock", "15.0 ms", "150.0", "7"],
            ]),
        said,
    );
    await page.click("#waits-table tbody tr button");
    asked(
        (await text(page, "#selected-body")).startsWith(
            "waited 60.0 ms in 1,200 times to enter critical",
        ),
        await text(page, "#selected-body"),
    );
});
await test("no-waits", "real", {}, async (page) =>
    asked(!(await shown(page, "#waits")), "a program without waits has a table of them"),
);

/* The ranks of a job: which behave alike, and what each did, by the mouse and the keyboard. */
await test("ranks", "ranks", {}, async (page) => {
    const alike = await page.$$eval("#alike-table tbody tr", (all) =>
            all.map((r) => [...r.cells].map((c) => c.textContent).join(" ")),
        ),
        names = await page.$$eval("#rank-map-names span", (all) => all.map((s) => s.textContent)),
        said = () => text(page, "#rank-map-said");
    asked(
        alike.join("; ") === "5 1 100 ms 66.7 % 1-5; 1 0 300 ms 0.0 % 0",
        `alike: ${alike.join("; ")}`,
    );
    asked(
        names.join() === "app+0x403000,app+0x402000,in MPI: ranks late at a collective",
        names.join(),
    );
    await page.focus("#rank-map-canvas");
    await page.keyboard.press("ArrowRight");
    asked((await said()) === "Rank 0: app+0x402000 100.0 % (300 ms)", await said());
    await page.keyboard.press("End");
    asked(
        (await said()) ===
            "Rank 5: app+0x403000 30.0 % (90.0 ms), app+0x402000 3.3 % (10.0 ms), "
            + "in MPI: ranks late at a collective 66.7 % (200 ms)",
        await said(),
    );
    await page.$eval("#rank-map", (e) => e.scrollIntoView());
    const box = await (await page.$("#rank-map-canvas")).boundingBox();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 8);
    asked((await said()) === "Rank 3: app+0x403000 30.0 % (90.0 ms)", await said());
});
await test("no-ranks", "real", {}, async (page) =>
    asked(!(await shown(page, "#ranks")), "a program without ranks has a table of them"),
);

/* Off-CPU samples are samples like any others: every metric is drawn, and the page says how certain
 * the split is. */
await test("off-cpu", "off-cpu", {}, async (page) => {
    for (const metric of await metricsOf(page)) {
        await pick(page, metric);
        const all = await frames(page);
        asked(
            all.length > 1 && all.find((f) => f.level === 1).share === 100,
            `${metric} is not drawn`,
        );
    }
    const words = await text(page, "main");
    asked(words.includes("of them and off-CPU samples"), "off-CPU samples are not named");
    asked(
        /blocked[^%]*%300 ms/.test(await text(page, "#ledger-table")),
        "the time off the CPU is not in the ledger",
    );
});

/* What the page says of times is what the report says of them: not only their proportions. */
await test("costs", "scaled", {}, async (page) => {
    const paths = report("scaled").paths;
    await clickFrame(page, (f) => f.level === 1);
    const cells = await page.$$eval("#selected-body table.costs tr", (all) =>
        all.slice(1).map((r) => r.cells[2].textContent),
    );
    const ms = (ns) => (ns >= 1e6 ? `${(ns / 1e6).toFixed(2)} ms` : `${(ns / 1e3).toFixed(0)} µs`);
    asked(
        cells[0] === ms(paths[0].all.span_ns) && cells[1] === ms(paths[0].all.work_ns),
        `span and work are ${cells.slice(0, 2)}`,
    );
});

await test("zoom", "real", {}, async (page) => {
    const before = await frames(page),
        whole = before.find((f) => f.level === 1);
    const to = await clickFrame(page, (f) => f.level === 3 && f.width > 30);
    let now = await frames(page);
    asked(
        close(now.find((f) => f.said === to.said).width, whole.width, 2),
        "what was clicked is not as wide as the graph",
    );
    asked(
        now.filter((f) => f.level < 3).every((f) => f.faded && close(f.width, whole.width, 2)),
        "its callers do not stand above it in full width",
    );
    asked(await shown(page, "#selected"), "nothing is said of what was clicked");
    asked((await text(page, "#selected-title")).length > 0, "it has no title");
    await clickFrame(page, (f) => f.level === 2);
    asked(
        !(await frames(page)).some((f) => f.level === 2 && f.faded),
        "a click on a caller does not go back to it",
    );
    await page.click("#zoom-out");
    await settle(page);
    now = await frames(page);
    const other = now.findIndex((f, k) => f.said !== before[k]?.said);
    asked(
        now.length === before.length && other < 0,
        `zooming out does not lead back: ${before.length} frames, now ${now.length}, `
            + `${now.filter((f) => f.faded).length} of them callers; "${before[other]?.said}" is `
            + `"${now[other]?.said}"`,
    );
    asked(
        await page.$eval("#zoom-out", (e) => e.disabled),
        "there is still something to zoom out of",
    );
});

/* Nothing grows or glides: a frame is where it belongs when it is first seen. */
await test("at-once", "real", {}, async (page) => {
    const grown = await page.evaluate(() =>
        [...document.querySelectorAll("#metrics input")]
            .slice(0, 4)
            .reverse()
            .flatMap((input) => {
                input.click();
                return [...document.querySelectorAll("g.frame")].map((g) =>
                    Math.abs(
                        g.querySelector("rect").getAttribute("width") - g.getAttribute("width"),
                    ),
                );
            }),
    );
    asked(
        grown.length > 4 && Math.max(...grown) < 0.01,
        `a frame is ${Math.max(...grown)} too narrow at first`,
    );
});

await test("search", "real", {}, async (page) => {
    await type(page, "PQSORT");
    const found = (await frames(page)).filter((f) => f.match);
    asked(
        found.length && found.every((f) => /pqsort/i.test(f.name)),
        "what was found is not what was searched for",
    );
    asked(
        (await frames(page)).some((f) => f.dim),
        "the others are not dimmed",
    );
    asked(
        /function.* in .* frame.*% of the critical path/.test(await text(page, "#found")),
        await text(page, "#found"),
    );
    await page.keyboard.press("Enter");
    await settle(page);
    const all = await frames(page),
        focus = all.find((f) => f.focused);
    asked(
        focus && focus.match && close(focus.width, all.find((f) => f.level === 1).width, 2),
        "Enter does not zoom to the widest match",
    );
    await type(page, "no such function");
    asked((await text(page, "#found")) === "Nothing is called so.", await text(page, "#found"));
    await page.keyboard.press("Escape");
    await settle(page);
    asked(
        !(await shown(page, "#found")) && !(await frames(page)).some((f) => f.dim || f.match),
        "Escape does not end the search",
    );
});

await test("side-by-side", "real", { width: 1500 }, async (page) => {
    await pick(page, "beside");
    const titles = () =>
        page.$$eval("#panes .pane h3", (all) => all.map((e) => e.textContent).join(" | "));
    asked((await titles()) === "Idleness | Span", await titles());
    const [left, right] = await page.$$eval("#panes .pane", (all) =>
        all.map((e) => e.getBoundingClientRect().x),
    );
    asked(right > left, "they do not stand side by side");
    await page.select("#left", "1");
    await settle(page);
    asked((await titles()) === "Work | Span", await titles());
    const f = (await frames(page, 1)).find((g) => g.level === 3);
    await page.$eval("#panes", (e) => e.scrollIntoView());
    const at = (await frames(page, 1)).find((g) => g.said === f.said);
    await page.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
    asked(
        (await frames(page, 0)).some((g) => g.twin && g.name === f.name && g.level === f.level),
        "the other graph does not mark the same path",
    );
    asked(await shown(page, "#tip"), "nothing is said of what is pointed at");
    await clickFrame(page, (g) => g.level === 3, 1);
    for (const k of [0, 1]) {
        const all = await frames(page, k);
        asked(
            all.filter((g) => g.level < 3).every((g) => g.faded),
            `graph ${k} did not zoom`,
        );
    }
    await pick(page, "work");
    asked((await titles()) === "Work" && !(await shown(page, "#sides")), "the second graph stays");
});

await test("bottom-up", "real", {}, async (page) => {
    const name = (await frames(page)).find((f) => f.level === 1).name;
    await page.click("#bottom-up");
    await settle(page);
    const all = await frames(page),
        top = all.filter((f) => f.level === 2);
    asked(all.find((f) => f.level === 1).name === "(all functions)", "no root of all functions");
    asked(
        close(
            top.reduce((s, f) => s + f.share, 0),
            100,
            0.06 * top.length + 0.5,
        ),
        "its functions do not add up to all of the span",
    );
    asked(
        /called it/.test(await text(page, "#graph-words")),
        "it is not said which way up this is",
    );
    await clickFrame(page, (f) => f.level === 2 && f.width > 20);
    await page.click("#bottom-up");
    await settle(page);
    asked((await frames(page)).find((f) => f.level === 1).name === name, "there is no way back");
});

await test("sort", "real", {}, async (page) => {
    const column = (k) =>
        page.$$eval(
            "#functions-table tbody tr",
            (rows, k) =>
                rows.map((r) => (r.cells[k].querySelector(".pick") ?? r.cells[k]).textContent),
            k,
        );
    const sorted = () =>
        page.$$eval("#functions-table thead th", (all) => all.map((e) => e.ariaSort));
    const head = async (k) => {
        await page.click(`#functions-table thead th:nth-child(${k + 1}) button`);
        await settle(page);
        return column(k);
    };
    const numbers = (c) => c.map((v) => Number(v || 0)),
        falls = (c) => c.every((v, i) => !i || c[i - 1] >= v),
        rises = (c) => c.every((v, i) => !i || c[i - 1] <= v);
    asked(
        (await sorted())[1] === "descending" && falls(numbers(await column(1))),
        "not by the span at first",
    );
    for (const k of [3, 5]) {
        asked(
            falls(numbers(await head(k))) && (await sorted())[k] === "descending",
            `column ${k} does not fall`,
        );
        asked(
            rises(numbers(await head(k))) && (await sorted())[k] === "ascending",
            `column ${k} does not rise`,
        );
    }
    const cut = await page.$$eval("#functions-table tbody td:last-child", (cells) =>
        cells.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent),
    );
    asked(!cut.length, `advice is cut: ${cut[0]}`);
    asked(
        rises(await head(0)) && (await sorted()).filter((s) => s !== "none").length === 1,
        "names do not rise",
    );
    await head(3);
    const name = (await column(0))[0];
    await page.click("#functions-table tbody tr:first-child td:nth-child(2)");
    await settle(page);
    asked(
        (await shown(page, "#selected")) &&
            (await page.$eval("#functions-table tr.picked", (r) => r.rowIndex)) === 1,
        "a row cannot be chosen",
    );
    asked(
        (await page.$eval("#search", (e) => e.value)).startsWith('"'),
        "its function is not searched for",
    );
    asked(
        (await frames(page)).filter((f) => f.match).every((f) => f.name.includes(name)),
        "the graph marks another function",
    );
});

/* Every row of every table leads to a function that the graph has, if it has samples. */
await test("linked", "real", {}, async (page) => {
    for (const table of ["functions", "sites", "lines"])
        for (const row of await page.$$(`#${table}-table tbody .pick`)) {
            const name = await row.evaluate((e) => {
                e.click();
                return e.textContent;
            });
            await settle(page);
            asked(
                (await frames(page)).some((f) => f.match) ||
                    (await text(page, "#found")) !== "Nothing is called so.",
                `${table}: the graph has no ${name}`,
            );
        }
});

await test("source", "real", {}, async (page) => {
    const own = await page.$$eval("#functions-table tbody tr", (rows) =>
        rows.findIndex((r) => /quicksort\.cpp/.test(r.textContent)),
    );
    asked(own >= 0, "no function of quicksort.cpp");
    await page.click(`#functions-table tbody tr:nth-child(${own + 1}) .pick`);
    await settle(page);
    asked(await page.$("#source .here .code"), "its source is not shown");
    asked((await page.$$("#source tbody tr")).length > 5, "nor what is around");
});

/* Everything that can be clicked is reached by Tab, the graph first after the card; then the graph
 * by arrows. */
await test("keyboard", "real", {}, async (page) => {
    await page.evaluate(() =>
        [...document.querySelectorAll("#terms summary, #limits button, #limits summary")]
            .filter((e) => e.checkVisibility())
            .at(-1)
            .focus(),
    );
    await page.keyboard.press("Tab");
    asked(
        await page.evaluate(() => Boolean(document.activeElement.closest("#panes g.frame"))),
        "the graph is not the first stop after the card",
    );
    await page.evaluate(() => document.activeElement.blur());
    const wanted = await page.$$eval(
        "button:not(:disabled), select, input, summary, [tabindex='0']",
        (all) =>
            all.filter((e) => e.checkVisibility() && !(e.type === "radio" && !e.checked)).length,
    );
    const reached = new Set();
    for (let i = 0; i < 2 * wanted + 10; i++) {
        await page.keyboard.press("Tab");
        const [key, seen] = await page.evaluate(() => {
            const e = document.activeElement,
                r = e.getBoundingClientRect();
            e.dataset.stop ??= String(Math.random());
            const target =
                    e.type === "radio"
                        ? e.nextElementSibling
                        : e.closest("g")
                          ? e.querySelector("rect")
                          : e,
                s = getComputedStyle(target);
            return [
                e === document.body ? "" : e.dataset.stop,
                e === document.body ||
                    (r.width > 0 && (s.outlineStyle !== "none" || s.strokeWidth === "3px")),
            ];
        });
        asked(
            seen,
            "focus cannot be seen on " +
                (await page.evaluate(() => document.activeElement.outerHTML.slice(0, 120))),
        );
        if (key) reached.add(key);
    }
    asked(reached.size >= wanted, `Tab reaches ${reached.size} of ${wanted}`);
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("/");
    asked(
        (await page.evaluate(() => document.activeElement.id)) === "search",
        "/ does not lead to the search",
    );
    await page.keyboard.press("Escape");
    await page.$eval("#panes g[tabindex='0']", (e) => e.focus());
    const at = async () => (await frames(page)).find((f) => f.focused);
    asked((await at()).level === 1, "the graph is not entered at its root");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const down = await at();
    asked(down.level === 3, `two levels down is level ${down.level}`);
    asked(
        (await frames(page)).filter((f) => f.level === 3 && f.width > down.width + 1).length ===
            0 || down.width > 10,
        "not the widest",
    );
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    asked((await at()).level === 3, "neighbours are on the same level");
    await page.keyboard.press("Enter");
    await settle(page);
    asked(
        (await at()).level === 3 && (await page.$eval("#zoom-out", (e) => !e.disabled)),
        "Enter does not zoom",
    );
    await page.keyboard.press("Backspace");
    await settle(page);
    asked((await at()).level === 2, "Backspace does not go one out");
    await page.keyboard.press("Escape");
    await settle(page);
    asked(
        (await at()).level === 1 && (await page.$eval("#zoom-out", (e) => e.disabled)),
        "Escape does not go all the way out",
    );
    await page.keyboard.press("ArrowUp");
    asked((await at()).level === 1, "there is something above the program");
    await page.focus("#metrics input:checked");
    await page.keyboard.press("ArrowRight");
    await settle(page);
    asked((await text(page, "#panes .pane h3")) === "Work", "arrows do not change the metric");
});
