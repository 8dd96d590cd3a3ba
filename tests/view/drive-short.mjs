/* drive-short.mjs - names as short as the terminal's, and call paths that begin at the program's
 * own code: short.sh makes the pages. drive.mjs loads it. */
import { asked, clickFrame, frames, pick, report, settle, shown, test, text } from "./person.mjs";

const WHOLE = /^inner::store<std::(map|vector)<std::/,
    SHORT = "inner::store<..>::sum";

/* Text that people see, and what is read out; not what a pointer shows of a name. */
const seen = async (page) =>
    [
        ...(await frames(page)).map((f) => f.said),
        ...(await page.$$eval("main *", (all) =>
            all
                .filter((e) => !e.children.length && !e.closest("#source, .whole, [hidden]"))
                .map((e) => e.textContent),
        )),
    ].filter((words) => /std::|basic_string|allocator/.test(words));

await test("templates", "templates", {}, async (page) => {
    await pick(page, "work");
    const wrong = await seen(page);
    asked(!wrong.length, `at first: ${wrong[0]}`);
    asked((await frames(page)).some((f) => f.name === SHORT), "no frame is called so");
    const f = await clickFrame(page, (f) => f.name === SHORT);
    asked((await text(page, "#selected-title")) === SHORT, await text(page, "#selected-title"));
    asked(WHOLE.test(await text(page, "#selected-body .whole")), "the whole name is not there");
    await page.mouse.move(f.x + 20, f.y + 5);
    await page.waitForSelector("#tip:not([hidden])");
    asked((await text(page, "#tip .name")) === SHORT, await text(page, "#tip .name"));
    asked(WHOLE.test(await text(page, "#tip .whole")), "the tooltip lacks the whole name");
    asked(!(await seen(page)).length, `selected: ${(await seen(page))[0]}`);
    const names = await page.$$eval("#functions-table .pick", (all) =>
        all.filter((e) => e.textContent.startsWith("inner")).map((e) => e.closest("td").title),
    );
    asked(names.length === 2 && names.every((n) => n.length > 100), `whole names: ${names}`);
});

/* Two functions have one short name: a row marks its own one. */
await test("templates-row", "templates", {}, async (page) => {
    await pick(page, "work");
    await page.$$eval("#functions-table .pick", (all) =>
        all.find((e) => e.textContent.startsWith("inner")).click(),
    );
    await settle(page);
    asked((await text(page, "#found")).startsWith("1 function in"), await text(page, "#found"));
    asked((await frames(page)).filter((f) => f.match).length === 1, "another frame is marked");
    asked(await shown(page, "#selected-body .whole"), "the whole name is not there");
});

/* Where the program computes. One sample, less than 1 % here, may also strike what the libraries
 * do before that, as to make a thread: such a path is as it is. */
const computing = async (page) =>
    (await frames(page)).filter((f) => !f.name.startsWith("[") && f.share >= 5);

await test("entry", "entry", {}, async (page) => {
    await pick(page, "work");
    const all = await computing(page);
    asked(
        all.every((f) => ["(program)", "main", "in_thread", "spin"].includes(f.name)),
        all.map((f) => f.name).join(),
    );
    asked(all.some((f) => f.name === "in_thread" && f.level === 3), "the thread's function");
});

/* Without symbols, too, the first function is main. */
await test("entry-stripped", "stripped", {}, async (page) => {
    await pick(page, "work");
    const second = (await computing(page)).filter((f) => f.level === 2);
    asked(
        second.length === 1 && second[0].name === report("stripped").main,
        `${second.map((f) => f.name)} is not ${report("stripped").main}`,
    );
});
