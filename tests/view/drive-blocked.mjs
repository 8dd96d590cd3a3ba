/* drive-blocked.mjs - where strands were off the CPU: a metric like the others, if the profile has
 * off-CPU samples; and the card of a program that waits for a lock. drive.mjs loads it. */
import {
    asked,
    clickFrame,
    close,
    contrast,
    frames,
    metricsOf,
    open,
    pick,
    report,
    settle,
    test,
    text,
} from "./person.mjs";

const share = (part, all) => (100 * part) / all;

/* Every function's frames together, by their labels: the share of the whole. */
const byName = async (page) => {
    const sums = {};
    for (const f of await frames(page)) {
        const name = f.said.replace(/, [\d.]+ % of .*$/, "");
        sums[name] = (sums[name] ?? 0) + f.share;
    }
    return sums;
};

await test("blocked", "off-cpu", {}, async (page) => {
    const { paths } = report("off-cpu"),
        whole = paths[0].all.blocked_ns;
    await pick(page, "blocked");
    asked((await text(page, "#panes h3")) === "Blocked", await text(page, "#panes h3"));
    const drawn = await byName(page),
        wanted = {};
    for (const p of paths)
        wanted[p.function] = (wanted[p.function] ?? 0) + share(p.all.blocked_ns, whole);
    for (const [name, part] of Object.entries(wanted).filter(([, part]) => part > 1))
        asked(close(drawn[name] ?? 0, part, 0.2), `${name}: ${drawn[name]} instead of ${part}`);
    /* bottom-up, each function with what is its own */
    await page.click("#bottom-up");
    await settle(page);
    const own = {};
    for (const p of paths)
        own[p.function] = (own[p.function] ?? 0) + share(p.self.blocked_ns, whole);
    for (const f of (await frames(page)).filter((f) => f.level === 2)) {
        const name = f.said.replace(/, [\d.]+ % of .*$/, "");
        asked(close(f.share, own[name], 0.2), `bottom-up ${name}: ${f.share}, not ${own[name]}`);
    }
});

/* The tooltip and what is selected have it, as time; so has the table of functions. */
await test("blocked-figures", "off-cpu", {}, async (page) => {
    const { paths } = report("off-cpu");
    await clickFrame(page, (f) => f.level === 1);
    const row = await page.$$eval("#selected-body .costs tr", (all) =>
        all.map((r) => [...r.cells].map((c) => c.textContent)).find((r) => r[0] === "Blocked"),
    );
    asked(row?.[1] === "100.0 %", `of all: ${row}`);
    asked(row[2] === `${(paths[0].all.blocked_ns / 1e6).toFixed(0)} ms`, `of all: ${row}`);
    const titles = await page.$$eval("#functions-table thead th", (all) =>
        all.map((e) => e.textContent),
    );
    asked(titles.includes("% blocked"), `the table of functions has ${titles}`);
});

/* Its place is in the address; keys choose it, and move in its graph. */
await test("blocked-link", "off-cpu", {}, async (page) => {
    await page.focus("#metrics input[value=overhead]");
    await page.keyboard.press("ArrowRight");
    await settle(page);
    asked((await text(page, "#panes h3")) === "Blocked", "a key does not choose it");
    await page.waitForFunction(() => location.hash === "#show=blocked");
    const other = await open("off-cpu", { hash: "#show=blocked" }),
        of = async (p) => (await frames(p)).map((f) => f.said).join();
    asked((await of(other.page)) === (await of(page)), "a link shows something else");
    await other.page.close();
    await page.$eval("#panes g.frame[tabindex='0']", (e) => e.focus());
    await page.keyboard.press("ArrowDown");
    asked((await frames(page)).find((f) => f.focused)?.level === 2, "keys do not move in it");
});

for (const scheme of ["light", "dark"])
    await test(`blocked-${scheme}`, "off-cpu", { scheme, width: 390 }, async (page) => {
        await pick(page, "blocked");
        for (const colours of ["parallelism", "function"]) {
            await page.select("#colours", colours);
            const [ratio, words] = await contrast(page);
            asked(ratio >= 4.5, `contrast ${ratio.toFixed(2)} of "${words}", ${colours}`);
        }
    });

/* A profile without off-CPU samples has no such metric, and a link to it shows the span. */
await test("blocked-none", "paths", {}, async (page) => {
    asked(!(await metricsOf(page)).includes("blocked"), "there is a metric without samples");
    await page.evaluate(() => (location.hash = "#show=blocked"));
    await settle(page);
    asked((await text(page, "#panes h3")) === "Span", await text(page, "#panes h3"));
});

/* With another profile: what changed. Nothing says that there are no samples. */
await test("blocked-changed", "locked-changed", {}, async (page) => {
    asked(!/There are no samples/.test(await text(page, "#notes")), await text(page, "#notes"));
    await pick(page, "blocked");
    const root = (await frames(page)).find((f) => f.level === 1);
    asked(/off the CPU, \u2212.*s \(was .*s\)$/.test(root.said), root.said);
});

/* What libc calls in itself is part of the function that the program called. */
await test("blocked-system", "locked", {}, async (page) => {
    await pick(page, "blocked");
    const all = await frames(page),
        update = all.find((f) => f.name.startsWith("update")),
        below = all.filter((f) => f.level > update.level);
    asked(below.length && below.every((f) => f.level === update.level + 1), "libc is unfolded");
});

/* The card names the program's code that takes the lock, not the system's. */
await test("finding-lock", "locked", { width: 1440, height: 900 }, async (page) => {
    const at = '[data-cause="contention"] .place',
        said = await text(page, at);
    asked(/^update \(locked\.c:\d+\)$/.test(said), `it is about ${said}`);
    const card = await text(page, "#limits");
    asked(!/lll|futex|pthread_mutex/.test(card), card);
    await page.click(at);
    await settle(page);
    asked((await text(page, "#selected-title")) === "update", "it is not selected");
});
