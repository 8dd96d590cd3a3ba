/* drive-marked.mjs - a range of the timeline is marked, and the flame graph and the tables of
 * functions and lines follow: gen_profile's `timed`, and a real run in two halves. drive.mjs loads
 * it. */
import {
    asked,
    clickFrame,
    close,
    contrast,
    frames,
    metricsOf,
    open,
    pick,
    settle,
    shown,
    test,
    text,
    type,
} from "./person.mjs";

/* gen_profile's functions: HOT is hit in the first half, SERIAL in the second one */
const HOT = "app+0x402000",
    CALL = "app+0x402020",
    SERIAL = "app+0x401030",
    ASLEEP = "app+0x402050";
const BINS = 8;

/* Waits until the page shows the marked range WORDS; "": none. */
const follows = async (page, words) => {
    await page.waitForFunction(
        (words) => {
            const e = document.getElementById("marked");
            return words
                ? !e.hidden && e.textContent.includes(`Marked: ${words},`)
                : e.hidden;
        },
        {},
        words,
    );
    await settle(page);
};
async function mark(page, from, to, words) {
    await page.$eval("#timeline", (e) => e.scrollIntoView());
    const box = await (await page.$("#timeline-canvas")).boundingBox(),
        x = (bin) => box.x + ((bin + 0.5) * box.width) / BINS;
    await page.mouse.move(x(from), box.y + 8);
    await page.mouse.down();
    await page.mouse.move(x(to), box.y + 8, { steps: 3 });
    await page.mouse.up();
    await follows(page, words);
}
const FIRST = [0, 3, "0 ns to 300 ms"],
    SECOND = [4, 7, "300 ms to 600 ms"];

const binsOf = (page) =>
    page.evaluate(
        () => JSON.parse(document.getElementById("profile").textContent).timeline.bins,
    );
const metric = (page) => page.$eval("#metrics input:checked", (e) => e.value);
/* The shares of what has marked time, by function: of frames; of the rows of a table, by the text
 * of column K. */
const ofFrames = async (page, k = 0) =>
    Object.fromEntries((await frames(page, k)).map((f) => [f.name, f.share]));
const ofTable = (page, id, k) =>
    page.$$eval(
        `#${id}-table tbody tr`,
        (rows, k) =>
            Object.fromEntries(
                rows.map((r) => [
                    (r.cells[0].querySelector("button") ?? r.cells[0]).textContent,
                    Number(r.cells[k].textContent || 0),
                ]),
            ),
        k,
    );
const heads = (page, id) =>
    page.$$eval(`#${id}-table th button`, (all) => all.map((e) => e.textContent).join());
/* HAVE has exactly the names of WANT, and their shares. */
function same(have, want, when) {
    asked(
        Object.keys(have).sort().join() === Object.keys(want).sort().join(),
        `${when}: there are ${Object.keys(have)}`,
    );
    for (const name in want)
        asked(close(have[name], want[name], 0.11), `${when}: ${name} has ${have[name]} %`);
}
/* All that a mark changes. */
const state = async (page) =>
    JSON.stringify([
        await metric(page),
        await page.$$eval("#panes h3", (all) => all.map((e) => e.textContent)),
        (await frames(page)).map((f) => [f.said, f.width]),
        await page.$$eval("#functions, #graph-words, #legend, #selected, #found", (all) =>
            all.map((e) => (e.checkVisibility() ? e.innerText : "")),
        ),
    ]);

const UP = { "(program)": 100, "app+0x401010": 100 };
const IN_FIRST = { ...UP, "app+0x401020": 100, [HOT]: 87.2, [CALL]: 12.8 },
    IN_SECOND = {
        ...UP,
        "app+0x401020": 11.1,
        [CALL]: 11.1,
        [SERIAL]: 88.9,
        "[unknown]": 11.1,
        [ASLEEP]: 11.1,
    };

await test("marked", "timed", {}, async (page) => {
    const before = await state(page);
    asked(!(await shown(page, "#marked")), "something is marked at first");
    await mark(page, ...FIRST);
    asked((await metric(page)) === "marked", "the marked time is not chosen");
    const title = await text(page, "#panes h3"),
        words = await text(page, "#marked-words");
    asked(title === "Marked time: 0 ns to 300 ms", `the graph is called ${title}`);
    asked(
        words.includes("188 ms sampled in strands, 100 ms of it blocked")
            && words.endsWith("Shown from 10 of 18 samples, chosen at random."),
        words,
    );
    same(await ofFrames(page), IN_FIRST, "first half");
    const { "(program)": _, ...inFirst } = IN_FIRST, /* the table has none */
        { "(program)": __, ...inSecond } = IN_SECOND;
    same(
        await ofTable(page, "functions", 1),
        { ...inFirst, "app+0x401010": 0, "app+0x401020": 0 },
        "own, first half",
    );
    same(await ofTable(page, "functions", 2), inFirst, "all, first half");
    await mark(page, ...SECOND);
    same(await ofFrames(page), IN_SECOND, "second half");
    same(await ofTable(page, "functions", 2), inSecond, "all, second half");
    /* half of the long sample, and 72 ms */
    await mark(page, 0, 1, "0 ns to 150 ms");
    const half = await ofFrames(page);
    asked(close(half[HOT], 80.3, 0.1), `a part of a long sample makes ${half[HOT]} %`);
    await page.focus("#marked-clear");
    await page.keyboard.press("Enter");
    await follows(page, "");
    asked((await state(page)) === before, "it is not as before the mark");
    const focused = await page.evaluate(() => document.activeElement.name);
    asked(focused === "metric", `the keyboard is at ${focused}`);
});

/* With the keyboard alone. */
await test("marked-keys", "timed", {}, async (page) => {
    const before = await state(page);
    await page.focus("#timeline-canvas");
    await page.keyboard.press("Home");
    await page.keyboard.down("Shift");
    for (let k = 0; k < 3; k++) await page.keyboard.press("ArrowRight");
    await page.keyboard.up("Shift");
    await follows(page, FIRST[2]);
    same(await ofFrames(page), IN_FIRST, "by keys");
    await page.keyboard.press("Escape");
    await follows(page, "");
    asked((await state(page)) === before, "it is not as before the mark");
    await mark(page, ...SECOND);
});

/* Bottom-up, search, zoom, tooltip and what is selected know the mark. */
await test("marked-graph", "timed", {}, async (page) => {
    await mark(page, ...FIRST);
    await page.click("#bottom-up");
    await settle(page);
    const up = await frames(page),
        hot = up.find((f) => f.level === 2 && f.name === HOT);
    asked(close(hot?.share, 87.2, 0.1), `bottom-up it has ${hot?.share} %`);
    await mark(page, ...SECOND);
    asked(
        (await frames(page)).filter((f) => f.level === 2).map((f) => f.name).sort().join() ===
            [SERIAL, ASLEEP].sort().join(),
        "bottom-up of the second half",
    );
    await page.click("#bottom-up");
    await settle(page);
    await type(page, SERIAL);
    asked((await text(page, "#found")).endsWith("88.9 % of the marked time"), "the search");
    await clickFrame(page, (f) => f.name === SERIAL);
    const box = (await frames(page)).find((f) => f.name === SERIAL);
    await page.mouse.move(box.x + 9, box.y + 9);
    await page.waitForSelector("#tip:not([hidden])");
    for (const id of ["tip", "selected-body"]) {
        const words = await text(page, `#${id}`);
        asked(
            words.includes("Marked time88.9 %400 ms")
                && words.includes("marked: 300 ms to 600 ms; 400 ms on the CPU, 0 ns blocked"),
            `${id}: ${words}`,
        );
    }
    await mark(page, ...FIRST);
    asked((await text(page, "#selected-body")).includes("0 ns to 300 ms"), "the panel stays");
    asked(
        (await text(page, "#panes .hint")) === "There is no marked time here.",
        "what is zoomed to has marked time",
    );
    await page.click("#timeline-clear");
    await follows(page, "");
    for (const id of ["found", "selected-body", "panes"])
        asked(
            !/marked/i.test(await page.$eval(`#${id}`, (e) => e.innerText)),
            `${id} has a mark`,
        );
});

/* What was chosen before comes back; what is chosen while a range is marked stays. */
await test("marked-metric", "timed", {}, async (page) => {
    const radio = () => shown(page, "#metrics label.marked");
    asked(!(await radio()), "the metric is there without a mark");
    for (const before of ["work", "beside"]) {
        await pick(page, before);
        const was = await state(page);
        await mark(page, ...FIRST);
        asked(await radio(), "the metric is not there");
        await page.click("#timeline-clear");
        await follows(page, "");
        asked((await state(page)) === was, `${before} does not come back`);
    }
    await mark(page, ...FIRST);
    await pick(page, "idleness");
    await mark(page, ...SECOND);
    asked((await metric(page)) === "idleness", "a new range takes what was chosen");
    await pick(page, "beside");
    await page.select("#left", await page.$eval("#left .marked", (e) => e.value));
    await settle(page);
    same(await ofFrames(page), IN_SECOND, "on the left side");
    await page.click("#timeline-clear");
    await follows(page, "");
    asked((await metric(page)) === "beside" && (await text(page, "#panes h3")) === "Idleness",
        "the left side keeps the mark");
    /* tables keep how they are sorted, with a mark and without one */
    const sort = (title) =>
        page.$$eval(
            "#functions-table th button",
            (all, title) => all.find((e) => e.textContent === title).click(),
            title,
        );
    const sorted = () => text(page, "#functions-table th[aria-sort$=ending]");
    await sort("% work");
    await mark(page, ...FIRST);
    asked((await sorted()) === "% marked", `sorted by ${await sorted()}`);
    await sort("% marked, all");
    await mark(page, ...SECOND);
    asked((await sorted()) === "% marked, all", `then sorted by ${await sorted()}`);
    await page.click("#timeline-clear");
    await follows(page, "");
    asked((await sorted()) === "% work", `at last sorted by ${await sorted()}`);
});

/* A link has the mark; what somebody made up does nothing. */
await test("marked-link", "timed", {}, async (page) => {
    const first = await state(page);
    await mark(page, ...SECOND);
    await clickFrame(page, (f) => f.name === SERIAL);
    await page.waitForFunction(() => /mark=4-7/.test(location.hash) && /zoom/.test(location.hash));
    const wanted = await state(page),
        hash = await page.evaluate(() => location.hash),
        other = await open("timed", { hash });
    await settle(other.page);
    const got = await state(other.page);
    asked(got === wanted, "a link does not show the same");
    asked(!other.said.length, other.said[0]);
    await other.page.close();
    for (const bad of ["8-9", "3-2", "0-8", "x", "-1-2", "1", "00001-2", "null", "1-2-3"]) {
        const made = await open("timed", { hash: `#mark=${bad}&show=marked&left=marked` });
        asked((await state(made.page)) === first, `mark=${bad} does something`);
        await made.page.close();
    }
    /* a mark, but another metric */
    const span = await open("timed", { hash: "#mark=0-3" });
    asked((await metric(span.page)) === "span", "the metric of a link without one");
    asked(await shown(span.page, "#marked"), "the mark of a link");
    await span.page.close();
});

/* A profile without times: the table of the timeline follows alone. */
await test("marked-without-times", "timeline", {}, async (page) => {
    const before = await state(page);
    await page.focus("#timeline-canvas");
    await page.keyboard.press("Home");
    await page.keyboard.down("Shift");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.up("Shift");
    asked((await text(page, "#timeline-of")).startsWith("From 0 ns to 150 ms"), "no mark");
    await new Promise((done) => setTimeout(done, 500));
    asked((await state(page)) === before, "something follows");
    for (const id of ["#marked", "#functions-marked"])
        asked(!(await shown(page, id)), `${id} is there`);
    asked(!(await page.$("#metrics .marked")), "the metric is there");
});

/* A real run: `first` and the helper's `nap`, then `second`; its lines, too. */
await test("marked-lines", "halves", {}, async (page) => {
    const plain = await page.$eval("#lines", (e) => e.innerText),
        bins = await binsOf(page);
    const some = async (from, to) => {
        const before = await page.evaluate(() => {
            location.hash = "";
            return document.getElementById("marked-words").textContent;
        });
        await page.evaluate((hash) => (location.hash = hash), `#mark=${from}-${to}&show=marked`);
        await page.waitForFunction(
            (before) => {
                const now = document.getElementById("marked-words").textContent;
                return now && now !== before;
            },
            {},
            before,
        );
        await settle(page);
        const all = {};
        for (const f of await frames(page)) all[f.name] = (all[f.name] ?? 0) + f.share;
        return {
            frames: all,
            functions: await ofTable(page, "functions", 2),
            lines: await page.$$eval("#lines-table tbody tr", (rows) =>
                rows.map((r) => r.cells[r.cells.length - 1].textContent),
            ),
        };
    };
    const a = await some(0, Math.floor(bins * 0.4)),
        b = await some(Math.ceil(bins * 0.6), bins - 1),
        said = JSON.stringify([a, b]);
    for (const of of ["frames", "functions"]) {
        /* others may have the processors, so that `first` runs but a part of its time */
        asked(a[of].first > 1 && a[of].nap > 20 && !(a[of].second > 1), `${of}: ${said}`);
        asked(b[of].second > 95 && !(b[of].first > 1) && !(b[of].nap > 1), `${of}: ${said}`);
    }
    /* one of `first`, one of what it was blocked in: libc's, if its lines are known */
    asked(a.lines.includes("first") && a.lines.length > 1, `lines: ${said}`);
    asked(!a.lines.includes("second") && !b.lines.includes("first"), `lines: ${said}`);
    asked(b.lines.includes("second"), `lines: ${said}`);
    asked((await heads(page, "lines")).startsWith("line,% marked,"), "the columns of lines");
    await page.$eval("#lines-table tbody .pick", (e) => e.click());
    asked(await shown(page, "#selected"), "a line of the marked range is not selected");
    await page.click("#marked-clear");
    await follows(page, "");
    asked((await page.$eval("#lines", (e) => e.innerText)) === plain, "the lines do not come back");
});

/* Two profiles: marked time has no change, and so no colours of one. */
await test("marked-diff", "changed", {}, async (page) => {
    const before = await state(page),
        legend = () => text(page, "#legend");
    asked((await legend()).startsWith("Cost since before"), `at first ${await legend()}`);
    const last = (await binsOf(page)) - 1;
    await page.evaluate((last) => (location.hash = `#mark=0-${last}&show=marked`), last);
    await page.waitForFunction(() => !document.getElementById("marked").hidden);
    await settle(page);
    asked((await legend()).startsWith("Parallelism"), `with a mark ${await legend()}`);
    await clickFrame(page, (f) => f.level === 1);
    const rows = await page.$$eval("#selected-body .costs tr", (all) => all.length),
        metrics = await metricsOf(page);
    asked(metrics.includes("marked") && rows === metrics.length + 1, `${rows} rows`);
    await pick(page, "span");
    asked((await legend()).startsWith("Cost since before"), `of the span ${await legend()}`);
    await page.evaluate(() => (location.hash = ""));
    await page.waitForFunction(() => document.getElementById("marked").hidden);
    await settle(page);
    asked((await state(page)) === before, "it is not as before the mark");
});

for (const scheme of ["light", "dark"])
    for (const width of [1440, 768, 390])
        await test(`marked-${scheme}-${width}`, "timed", { scheme, width }, async (page) => {
            await mark(page, ...FIRST);
            for (const colours of ["parallelism", "function"]) {
                await page.select("#colours", colours);
                const [ratio, words] = await contrast(page);
                asked(ratio >= 4.5, `contrast ${ratio.toFixed(2)} of "${words}", ${colours}`);
            }
        });

/* What follows a mark is on the screen, with the strips, wherever the page was scrolled to, and
 * whatever is selected. */
for (const width of [1440, 768, 390])
    await test(`marked-seen-${width}`, "timed", { width, height: 900 }, async (page) => {
        await clickFrame(page, (f) => f.name === HOT);
        const seen = (selector) =>
            page.$eval(selector, (e) => {
                const { top, bottom, height } = e.getBoundingClientRect();
                return (Math.min(bottom, innerHeight) - Math.max(top, 0)) / height;
            });
        await mark(page, ...FIRST); /* scrolls so that the strips are at the top */
        for (const selector of ["#panes", "#timeline-rows"])
            asked((await seen(selector)) > 0.9, `${selector}: ${await seen(selector)} is seen`);
        asked((await metric(page)) === "marked", "the graph does not follow");
        const [graph, strips] = await page.$$eval("#paths, #timeline", (all) =>
            all.map((e) => e.getBoundingClientRect().toJSON()),
        );
        asked(strips.top - graph.bottom < 20 && strips.top > graph.top, "the strips are elsewhere");
    });
