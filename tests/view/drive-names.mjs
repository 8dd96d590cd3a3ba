/* drive-names.mjs - what code is called whose compiled name is in no source: by the program's
 * function and a line; and the C++ library's functions are part of who called them. drive.mjs loads
 * it. */
import { asked, clickFrame, frames, metricsOf, pick, settle, test, text, type } from "./person.mjs";

const REGION = /^fill, parallel region at regions\.cpp:\d+$/;

/* All that is read out or to be seen and no source, but not what a pointer shows of a table's
 * name. */
const seen = async (page) =>
    [
        ...(await frames(page)).map((f) => f.said),
        ...(await page.$$eval("main *", (all) =>
            all
                .filter((e) => !e.children.length && !e.closest("#source"))
                .map((e) => e.textContent),
        )),
        await page.$eval("#search", (e) => e.value),
    ].filter((words) => /_omp_fn|_Z\d*L?\d|\bstd::|__gnu_cxx/.test(words));

await test("regions", "regions", {}, async (page) => {
    for (const metric of await metricsOf(page)) {
        await pick(page, metric);
        const wrong = await seen(page);
        asked(!wrong.length, `${metric}: ${wrong[0]}`);
    }
    await pick(page, "work");
    const all = await frames(page);
    asked(all.some((f) => REGION.test(f.name.replace(/, [\d.]+ % of .*/, ""))), all[3]?.name);
    await clickFrame(page, (f) => /parallel region/.test(f.name));
    asked(REGION.test(await text(page, "#selected-title")), await text(page, "#selected-title"));
    const path = await text(page, ".path");
    asked(/ › fill › fill, parallel/.test(path), path);
});

/* Lines are the program's: those of the C++ library and of libc are their caller's. */
await test("regions-lines", "regions", {}, async (page) => {
    const lines = await page.$$eval("#lines-table tbody .pick", (all) =>
        all.map((e) => e.textContent),
    );
    asked(lines.length && lines.every((l) => l.startsWith("regions.cpp:")), lines.join());
});

/* Its row, the search and a whole name in quotes find the region by its words. */
await test("regions-found", "regions", {}, async (page) => {
    await type(page, "parallel REGION at");
    asked((await text(page, "#found")).startsWith("1 function in"), await text(page, "#found"));
    const hits = async () =>
        (await frames(page)).filter((f) => f.match).map((f) => f.name.split(", ")[1]);
    asked((await hits())[0]?.startsWith("parallel region"), `found: ${await hits()}`);
    await page.keyboard.press("Escape");
    await page.$$eval("#functions-table .pick", (all) =>
        all.find((e) => /parallel region/.test(e.textContent)).click(),
    );
    await settle(page);
    asked((await hits())[0]?.startsWith("parallel region"), `its row marks: ${await hits()}`);
    const wrong = await seen(page);
    asked(!wrong.length, wrong[0]);
    await page.click("#bottom-up");
    await settle(page);
    asked((await hits()).length, "bottom-up it has another name");
});

await test("all-frames", "all-frames", {}, async (page) => {
    await pick(page, "work");
    const all = await frames(page);
    asked(all.some((f) => f.name.startsWith("std::")), "the C++ library's functions are not there");
});
