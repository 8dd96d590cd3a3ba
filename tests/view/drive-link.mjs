/* drive-link.mjs - links to a state of the page: what is chosen is in the address and comes back,
 * and addresses that somebody made up do nothing. drive.mjs loads it. */
import { asked, clickFrame, frames, open, pick, settle, shown, test, text } from "./person.mjs";

/* All that a link keeps, as it is seen. */
const seen = async (page) => ({
    titles: await page.$$eval("#panes .pane h3", (all) => all.map((e) => e.textContent).join()),
    frames: (await frames(page)).map((f) => `${f.said}${f.match}${f.dim}${f.faded}`).join("\n"),
    bottomUp: await page.$eval("#bottom-up", (e) => e.checked),
    colours: await page.$eval("#colours", (e) => e.value),
    search: await page.$eval("#search", (e) => e.value),
    metric: await page.$eval("#metrics input:checked", (e) => e.value),
    selected: (await shown(page, "#selected")) && (await text(page, "#selected")),
});

async function hashOf(page) {
    let last,
        now = await page.evaluate(() => location.hash);
    /* it is written a moment after the last change */
    do {
        last = now;
        await new Promise((done) => setTimeout(done, 1000));
        now = await page.evaluate(() => location.hash);
    } while (now !== last);
    return now;
}

const STATES = {
    zoom: (page) => clickFrame(page, (f) => f.level === 3 && f.width > 30),
    row: (page) => page.$eval("#functions-table tbody tr:nth-child(2) .pick", (e) => e.click()),
    line: (page) => page.$eval("#lines-table tbody .pick", (e) => e.click()),
    search: async (page) => {
        await page.focus("#search");
        await page.keyboard.type("pqsort");
        await page.keyboard.press("Enter");
    },
    beside: async (page) => {
        await pick(page, "beside");
        await page.select("#left", "1");
        await page.select("#colours", "function");
    },
    "bottom-up": async (page) => {
        await pick(page, "work");
        await page.click("#bottom-up");
        await settle(page);
        await clickFrame(page, (f) => f.level === 2 && f.width > 20);
    },
};
for (const [name, steps] of Object.entries(STATES))
    await test(`link-${name}`, "real", {}, async (page) => {
        const first = await seen(page);
        asked(!(await page.evaluate(() => location.hash)), "the address has something at first");
        await steps(page);
        await settle(page);
        const wanted = await seen(page),
            hash = await hashOf(page);
        asked(JSON.stringify(wanted) !== JSON.stringify(first), "nothing was chosen");
        const other = await open("real", { hash }),
            got = await seen(other.page);
        for (const key in wanted)
            asked(got[key] === wanted[key], `${key} of ${hash} is ${`${got[key]}`.slice(0, 80)}`);
        asked(!other.said.length, other.said[0]);
        /* and back, in the same window */
        await other.page.evaluate(() => (location.hash = ""));
        await settle(other.page);
        const back = await seen(other.page);
        for (const key in first)
            asked(back[key] === first[key], `without ${hash} ${key} is ${back[key]}`);
        await other.page.close();
    });

const MADE_UP = [
    "#show=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
    "#show=__proto__&left=constructor&right=toString&colours=__proto__",
    "#zoom=d99999999999&selected=frame:d99999",
    "#zoom=u0.99999.1&selected=frame:u99999.1",
    "#zoom=d-1&selected=functions:-1",
    "#selected=constructor:0&zoom=d1e1",
    "#selected=functions:999999&up=2",
    "#selected=%00&zoom=%ff%fe&show=%",
    `#${"a".repeat(100_000)}`,
    `#zoom=u${"0.".repeat(30_000)}0&up=0`,
    "#javascript:alert(1)",
];
for (const kind of ["real", "names", "empty"])
    await test(`made-up-${kind}`, kind, {}, async (page) => {
        const drawn = kind !== "empty",
            state = async () =>
                drawn ? JSON.stringify(await seen(page)) : text(page, "main"),
            first = await state();
        for (const hash of MADE_UP) {
            await page.evaluate((h) => (location.hash = h), hash);
            await settle(page);
            asked((await state()) === first, `${hash.slice(0, 60)} does something`);
        }
        if (!drawn) return;
        /* a search is for a text, whatever is in it */
        await page.evaluate(() => (location.hash = "search=%3Cimg src=x onerror=alert(1)%3E"));
        await settle(page);
        asked(
            (await page.$eval("#search", (e) => e.value)) === "<img src=x onerror=alert(1)>",
            "the search is not the text of the address",
        );
        asked(!(await page.$("main img")), "a search becomes markup");
    });
