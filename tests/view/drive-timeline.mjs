/* drive-timeline.mjs - what the threads did: gen_profile's timeline. drive.mjs loads it. */
import { asked, close, test, text } from "./person.mjs";

/* The table's times in ms, by kind. */
const sums = (page) =>
    page.$$eval("#timeline-table tr", (all) =>
        Object.fromEntries(
            all.map((r) => {
                const [v, unit] = r.cells[3].textContent.split(" ");
                return [r.dataset.kind, v * { ns: 1e-6, µs: 1e-3, ms: 1, s: 1e3 }[unit]];
            }),
        ),
    );
const same = (have, want, when) => {
    for (const kind of ["work", "overhead", "between", "asleep", "blocked", "own"])
        asked(
            close(have[kind], want[kind] ?? 0, 0.6),
            `${when}: ${kind} is ${have[kind]} ms for ${want[kind] ?? 0}`,
        );
};
const WHOLE = { work: 224, overhead: 40, between: 60, asleep: 140, blocked: 70, own: 68 };

await test("timeline", "timeline", {}, async (page) => {
    same(await sums(page), WHOLE, "the whole run");
    asked(
        (await text(page, "#timeline-hint")).endsWith("have no strip: 1,234 samples."),
        `samples without a strip: ${await text(page, "#timeline-hint")}`,
    );
    await page.$eval("#timeline", (e) => e.scrollIntoView());
    const box = await (await page.$("#timeline-canvas")).boundingBox(),
        x = (bin) => box.x + ((bin + 0.5) * box.width) / 8;
    /* the first strip, the main thread's: one thing after the other */
    await page.mouse.move(x(3), box.y + 8);
    asked(
        /^225 ms to 300 ms, app 4242: blocked or preempted inside strands 70.0 ms$/.test(
            await text(page, "#timeline-said"),
        ),
        `hovering says ${await text(page, "#timeline-said")}`,
    );
    await page.mouse.move(x(7), box.y + 8);
    asked(
        (await text(page, "#timeline-said")).endsWith("app 4242: not sampled"),
        "a bin without samples is not named so",
    );
    await page.mouse.move(x(2), box.y + 8);
    await page.mouse.down();
    await page.mouse.move(x(4), box.y + 30, { steps: 4 });
    await page.mouse.up();
    same(
        await sums(page),
        { work: 44, overhead: 40, asleep: 70, blocked: 70 },
        "bins 2 to 4",
    );
    asked(
        (await text(page, "#timeline-of")).startsWith("From 150 ms to 375 ms"),
        `the range is ${await text(page, "#timeline-of")}`,
    );
    await page.click("#timeline-clear");
    same(await sums(page), WHOLE, "unmarked");
});

await test("timeline-keys", "timeline", {}, async (page) => {
    await page.focus("#timeline-canvas");
    for (const key of ["Home", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
    await page.keyboard.down("Shift");
    for (const key of ["ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
    await page.keyboard.up("Shift");
    same(await sums(page), { work: 44, overhead: 40, asleep: 70, blocked: 70 }, "by keys");
    await page.keyboard.press("Escape");
    same(await sums(page), WHOLE, "after Escape");
});

/* Light and dark, and on narrow screens: strips have the colours of their legend. */
for (const scheme of ["light", "dark"])
    for (const width of [1440, 768, 390])
        await test(`timeline-${scheme}-${width}`, "timeline", { scheme, width }, async (page) => {
            await page.$eval("#timeline", (e) => e.scrollIntoView());
            const wrong = await page.evaluate(() => {
                const canvas = document.getElementById("timeline-canvas"),
                    /* near the bottom of the first strip; the browser warns of many readings */
                    dense = canvas.height / canvas.clientHeight,
                    y = (canvas.clientHeight / 3 - 6) * dense,
                    line = canvas
                        .getContext("2d")
                        .getImageData(0, y, canvas.width, 1).data,
                    of = (bin) => {
                        const x = 4 * Math.floor(((bin + 0.5) * canvas.width) / 8);
                        return [...line.slice(x, x + 3)];
                    },
                    swatch = (kind) =>
                        getComputedStyle(
                            document.querySelector(`#timeline-table [data-kind=${kind}] span`),
                        )
                            .backgroundColor.match(/\d+/g)
                            .map(Number),
                    kinds = ["work", "work", "work", "blocked", "asleep", "between"];
                return kinds.flatMap((kind, bin) =>
                    `${of(bin)}` === `${swatch(kind)}`
                        ? []
                        : [`bin ${bin} is ${of(bin)}, ${kind} is ${swatch(kind)}`],
                );
            });
            asked(!wrong.length, wrong.join("; "));
        });

/* ---- how many tasks were ready ---- */
await test("tasks-ready", "tasks-ready", {}, async (page) => {
    const said = () => text(page, "#timeline-said"),
        below = () => text(page, "#timeline-ready");
    asked(
        (await below()).startsWith("Tasks ready: 311 on average, at most 1,234. A task is")
            && (await below()).includes("Not among them: ")
            && (await below()).includes("(1 in all)"),
        `the whole run: ${await below()}`,
    );
    const names = await page.$$eval("#timeline-names span", (all) =>
        all.map((e) => e.textContent),
    );
    asked(`${names.slice(0, 3)}` === "tasks ready,0 to 1,234,app 4242", `names: ${names}`);
    await page.$eval("#timeline", (e) => e.scrollIntoView());
    const box = await (await page.$("#timeline-canvas")).boundingBox(),
        x = (bin) => box.x + ((bin + 0.5) * box.width) / 8;
    await page.mouse.move(x(1), box.y + 8);
    asked(
        (await said()).endsWith("; tasks ready: 800 on average, at most 1,234"),
        `hovering says ${await said()}`,
    );
    await page.mouse.move(x(3), box.y + 8);
    asked((await said()).endsWith("; tasks ready: 0.25 on average, at most 1"), await said());
    await page.mouse.move(x(5), box.y + 8);
    asked(!(await said()).includes("tasks ready"), `where nobody counted: ${await said()}`);
    /* the first strip is below the chart */
    await page.mouse.move(x(3), box.y + 38 + 8);
    asked((await said()).startsWith("225 ms to 300 ms, app 4242: blocked"), await said());
    await page.mouse.move(x(2), box.y + 8);
    await page.mouse.down();
    await page.mouse.move(x(4), box.y + 8, { steps: 4 });
    await page.mouse.up();
    same(
        await sums(page),
        { work: 44, overhead: 40, asleep: 70, blocked: 70 },
        "bins 2 to 4, marked in the chart",
    );
    asked(
        (await below()).startsWith("Tasks ready: 178 on average, at most 500."),
        `bins 2 to 4: ${await below()}`,
    );
});

await test("tasks-ready-unknown", "tasks-ready-unknown", {}, async (page) => {
    asked(
        (await text(page, "#timeline-ready")).startsWith("How many tasks were ready is not known"),
        await text(page, "#timeline-ready"),
    );
    asked(
        !(await text(page, "#timeline-names")).includes("tasks ready"),
        "there is a chart without figures",
    );
});

/* The chart: full height where most are ready, a base where none is, nothing where nobody counted,
 * in light and dark, and it does not hide the strips. */
for (const scheme of ["light", "dark"])
    for (const width of [1440, 390])
        await test(`tasks-${scheme}-${width}`, "tasks-ready", { scheme, width }, async (page) => {
            await page.$eval("#timeline", (e) => e.scrollIntoView());
            const wrong = await page.evaluate(() => {
                const canvas = document.getElementById("timeline-canvas"),
                    dense = canvas.height / canvas.clientHeight,
                    all = canvas
                        .getContext("2d")
                        .getImageData(0, 0, canvas.width, canvas.height).data,
                    probe = document.body.appendChild(document.createElement("i"));
                probe.style.color = "var(--ready)";
                const ready = `${getComputedStyle(probe).color.match(/\d+/g)}`,
                    is = (bin, y) => {
                        const x = Math.floor(((bin + 0.5) * canvas.width) / 8),
                            at = 4 * (Math.floor(y * dense) * canvas.width + x);
                        return `${all.slice(at, at + 3)}` === ready;
                    },
                    /* bin, px from the top, drawn there? The mean is 800 and 400 of 1,234 */
                    want = [
                        [0, 34.5, true], [0, 32, false], [5, 34.5, false],
                        [1, 1.5, true], [1, 5, false], [1, 14, true], [1, 32, true],
                        [2, 20, false], [2, 26, true], [6, 34.5, true], [7, 34.5, false],
                    ];
                probe.remove();
                return want.flatMap(([bin, y, drawn]) =>
                    is(bin, y) === drawn ? [] : [`bin ${bin} at ${y} px: ${!drawn}`],
                );
            });
            asked(!wrong.length, wrong.join("; "));
        });

/* ---- strips ---- */

const axis = (page) =>
    page.$$eval(".strip-axis span", (all) =>
        all.slice(0, 3).map((e) => e.textContent).join(),
    );
const isDisabled = (page, id) => page.$eval(`#timeline-${id}`, (e) => e.disabled);

/* Few threads have high strips, with their names beside them. */
await test("timeline-high", "timeline", {}, async (page) => {
    const [names, canvas] = await page.evaluate(() => [
        [...document.querySelectorAll("#timeline-names span")].map((e) => e.clientHeight),
        document.getElementById("timeline-canvas").clientHeight,
    ]);
    asked(names.length === 3 && names.every((h) => h >= 36), `names: ${names}`);
    asked(canvas >= 3 * 36, `the strips are ${canvas} high`);
});

/* To what is marked, by buttons, keys and the wheel; what is said and marked then is right. */
await test("timeline-zoom", "timeline", {}, async (page) => {
    asked((await axis(page)) === "0,300 ms,600 ms", `at first ${await axis(page)}`);
    asked(await isDisabled(page, "out"), "there is something to zoom out to");
    await page.$eval("#timeline", (e) => e.scrollIntoView());
    const place = async () => (await page.$("#timeline-canvas")).boundingBox(),
        at = async (part, y = 8) => {
            const box = await place();
            await page.mouse.move(box.x + part * box.width, box.y + y);
        };
    await at(2.5 / 8);
    await page.mouse.down();
    await at(5.5 / 8);
    await page.mouse.up();
    await page.click("#timeline-in");
    asked((await axis(page)) === "150 ms,300 ms,450 ms", `zoomed: ${await axis(page)}`);
    const marked = await page.$eval("#timeline-mark", (e) => e.style.width);
    asked(marked === "100%", `the mark is ${marked} wide`);
    await at(1.5 / 4);
    asked(
        (await text(page, "#timeline-said")).startsWith("225 ms to 300 ms, app 4242: blocked"),
        await text(page, "#timeline-said"),
    );
    /* the colour of the bin that is there now */
    const [is, wanted] = await page.evaluate(() => {
        const canvas = document.getElementById("timeline-canvas"),
            x = Math.floor((1.5 / 4) * canvas.width);
        return [
            `${[...canvas.getContext("2d").getImageData(x, 30, 1, 1).data.slice(0, 3)]}`,
            `${getComputedStyle(document.querySelector("#timeline-table [data-kind=blocked] span"))
                .backgroundColor.match(/\d+/g)}`,
        ];
    });
    asked(is === wanted, `${is} is drawn for ${wanted}`);
    await page.waitForFunction(() => /time=2-5/.test(location.hash));
    await page.click("#timeline-out");
    asked((await axis(page)) === "0,300 ms,600 ms", `zoomed out: ${await axis(page)}`);
    asked(await isDisabled(page, "out"), "zoomed out");
    /* by keys: the cursor stays in what is shown */
    await page.click("#timeline-clear");
    await page.focus("#timeline-canvas");
    await page.keyboard.press("Home");
    await page.keyboard.press("+");
    asked((await axis(page)) === "0,150 ms,300 ms", `by key: ${await axis(page)}`);
    await page.keyboard.press("End");
    asked((await axis(page)) === "300 ms,450 ms,600 ms", `at the end: ${await axis(page)}`);
    asked(
        (await text(page, "#timeline-said")).startsWith("525 ms to 600 ms, all threads"),
        await text(page, "#timeline-said"),
    );
    await page.keyboard.press("-");
    asked(await isDisabled(page, "out"), "zoomed out by key");
    /* the wheel alone scrolls the page */
    await at(0.9);
    await page.mouse.wheel({ deltaY: 5 });
    asked((await axis(page)) === "0,300 ms,600 ms", "the wheel zooms");
    await page.keyboard.down("Control");
    await at(0.9);
    for (let k = 0; k < 4; k++) await page.mouse.wheel({ deltaY: -100 });
    await page.keyboard.up("Control");
    await page.waitForFunction(
        () => document.getElementById("timeline-first").textContent === "300 ms",
    );
    await page.click("#timeline-clear");
    asked((await axis(page)) === "0,300 ms,600 ms", "the whole run");
});

await test("timeline-zoom-link", "timeline", { hash: "#time=4-7" }, async (page) => {
    asked((await axis(page)) === "300 ms,450 ms,600 ms", await axis(page));
    for (const bad of ["5-3", "0-99", "x", ""]) {
        await page.evaluate((bad) => (location.hash = `#time=${bad}`), bad);
        await page.waitForFunction(
            () => document.getElementById("timeline-first").textContent === "0",
        );
    }
});
