/* drive-first.mjs - the first screen: the answer in words beside the critical path, what the
 * colours of the frames mean, and the legend of the speedup plot. drive.mjs loads it. */
import {
    asked,
    frames,
    metricsOf,
    pick,
    report,
    settle,
    shown,
    test,
    text,
} from "./person.mjs";

/* ---- the card ---- */

const box = (page, selector) =>
    page.$eval(selector, (e) => {
        const { x, y, right, bottom } = e.getBoundingClientRect();
        return { x, y, right, bottom };
    });

const SCREEN = { width: 1440, height: 900 };
for (const kind of ["real", "changed", "loop", "waits"])
    await test(`first-${kind}`, kind, SCREEN, async (page) => {
        const card = await box(page, "#limits"),
            graph = await box(page, "#panes svg"),
            root = (await frames(page)).find((f) => f.level === 1);
        asked(root.share === 100, "the critical path is not drawn at once");
        asked(graph.x > card.right && graph.y < 400, "the graph is not beside the card");
        asked((await box(page, "#legend")).bottom <= 900, "one has to scroll to the legend");
        for (const below of ["#ledger", "#speedup"])
            asked(
                !(await shown(page, below)) || (await box(page, below)).y >= graph.bottom,
                `${below} is not below the graph`,
            );
        asked((await text(page, "#headline")).length > 8, "there is no headline");
        const few = await page.$$eval("#limits-words p:not(.warning)", (all) => all.length);
        asked(few > 0 && few < 3, `the card begins with ${few} sentences`);
    });

/* What to change is what the report in the terminal says. */
for (const kind of ["real", "loop", "serial"])
    await test(`actions-${kind}`, kind, SCREEN, async (page) => {
        const [wanted, got] = await page.evaluate(() => [
            JSON.parse(document.getElementById("profile").textContent).words.actions,
            [...document.querySelectorAll("#actions p")].map((e) => e.textContent),
        ]);
        asked(JSON.stringify(wanted) === JSON.stringify(got), `${got.length} of ${wanted.length}`);
        if (kind !== "loop")
            asked((wanted.length > 0) === (kind === "real"), `${wanted.length} actions`);
    });

/* No sentence is lost, and none is there twice. */
for (const kind of ["real", "merged", "serial", "noisy", "loop", "ready", "whatif"])
    await test(`sentences-${kind}`, kind, {}, async (page) => {
        if (await shown(page, "#limits-more")) await page.click("#limits-more summary");
        const [wanted, got] = await page.evaluate(() => [
            JSON.parse(document.getElementById("profile").textContent).words.limits,
            [...document.querySelectorAll("#limits-words p, #limits-rest p")]
                .filter((e) => e.checkVisibility())
                .map((e) => e.textContent),
        ]);
        asked(
            JSON.stringify(wanted.map((w) => w.replace(/^! /, "")).sort())
                === JSON.stringify(got.sort()),
            `${got.length} of ${wanted.length} sentences are shown`,
        );
    });

await test("about-serial", "serial", SCREEN, async (page) => {
    const said = await text(page, "#limits");
    asked(/No tasks were seen/.test(await text(page, "#headline")), said);
    asked(/% of the critical path: serial/.test(await text(page, "#about")), said);
});

await test("about", "changed", SCREEN, async (page) => {
    const said = await text(page, "#about button"),
        name = await text(page, "#about strong");
    asked(said === `check_sums${said.replace(/^check_sums/, "")}`, `it is about ${said}`);
    asked(/changed\.c:\d+$/.test(said), `no file and line: ${said}`);
    await page.click("#about button");
    await settle(page);
    asked(
        (await frames(page)).some((f) => f.match && f.name.startsWith(name)),
        "the graph does not mark it",
    );
    asked((await text(page, "#selected-title")).includes(name), "it is not selected");
    asked(/main.* › check_sums$/.test(await text(page, ".path")), await text(page, ".path"));
    asked(await page.$("#source .here .code"), "its source is not shown");
    const [graph, source] = [await box(page, "#panes svg"), await box(page, "#selected")];
    asked(graph.y >= 0 && source.y < 900, "graph and source are not on one screen");
});

await test("about-long-name", "names", SCREEN, async (page) => {
    const [about, figures] = [await box(page, "#about"), await box(page, "#figures")];
    asked(about.bottom - about.y < 300 && figures.y < 900, "a long name fills the card");
});

/* Nobody has to scroll sideways for a verdict. */
for (const width of [390, 800, 1440])
    await test(`verdicts-${width}`, "real", { width, height: 900 }, async (page) => {
        const all = await page.$$eval(
            "#functions-table .under, #functions-table td.words",
            (cells) =>
                cells
                    .filter((e) => e.textContent && e.checkVisibility())
                    .map((e) => e.getBoundingClientRect().right - innerWidth),
        );
        asked(all.length && Math.max(...all) <= 0, `the verdicts end at ${all} of the window`);
    });

/* ---- colours ---- */

const swatches = (page) =>
    page.$$eval("#legend i", (all) =>
        all.map((e) => ({
            words: e.parentElement.textContent,
            colour: getComputedStyle(e).backgroundColor,
        })),
    );
const fills = (page, k = 0) =>
    page.evaluate(
        (k) =>
            [...document.querySelectorAll("#panes .pane")[k].querySelectorAll("g.frame")].map(
                (g) => ({
                    name: g.getAttribute("aria-label").replace(/, [^,]*$/, ""),
                    colour: getComputedStyle(g.querySelector("rect")).fill,
                    opacity: getComputedStyle(g.querySelector("rect")).fillOpacity,
                }),
            ),
        k,
    );

/* What a path's colour must say, by the figures of prof report. */
function meaning(costs, workers) {
    const parallelism = costs.work_ns / costs.span_ns;
    return !costs.span_ns
        ? "not on the critical path"
        : parallelism < 1.05
          ? "1: serial"
          : parallelism < workers
            ? `below ${workers}`
            : parallelism < 10 * workers
              ? `below ${10 * workers}`
              : `${10 * workers} or more`;
}

for (const scheme of ["light", "dark"])
    await test(`parallelism-${scheme}`, "real", { scheme, ...SCREEN }, async (page) => {
        const { paths, program } = report("real"),
            legend = await swatches(page),
            once = paths.filter(
                (p) =>
                    !p.function.startsWith("[")
                    && paths.filter((q) => q.function === p.function).length === 1,
            );
        const seen = new Set();
        await pick(page, "beside");
        for (const k of [0, 1])
            for (const { name, colour, opacity } of await fills(page, k)) {
                asked(opacity === "1", `${name} has another colour than the legend`);
                const path = once.find((p) => p.function === name);
                if (!path) continue;
                const words = meaning(path.all, program.workers),
                    is = legend.find((l) => l.colour === colour)?.words;
                asked(is === words, `${name} should be "${words}" and is "${is}"`);
                seen.add(words);
            }
        asked(seen.size > 1, `only ${[...seen]} were compared`);
    });

await test("foreign", "off-cpu", {}, async (page) => {
    const grey = (await swatches(page)).at(-1).colour;
    let found = 0;
    for (const metric of await metricsOf(page)) {
        await pick(page, metric);
        for (const { name, colour } of await fills(page)) {
            asked(name.startsWith("[") === (colour === grey), `${name} is ${colour}`);
            found += colour === grey;
        }
    }
    asked(found, "no frame is foreign");
});

await test("physical", "physical", {}, async (page) => {
    const grey = (await swatches(page)).at(-1).colour,
        all = await fills(page),
        runtime = all.filter((f) => /^tbb::/.test(f.name));
    asked(runtime.length, "there are no frames of the runtime");
    asked(runtime.every((f) => f.colour === grey), "a frame of the runtime is not grey");
    asked(all.find((f) => f.name === "main").colour !== grey, "main is the runtime's");
});

/* Linear sRGB as those see it who lack a kind of cone (Machado, Oliveira and Fernandes 2009). */
const EYES = {
    all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    protanopia: [0.152, 1.053, -0.205, 0.115, 0.786, 0.099, -0.004, -0.048, 1.052],
    deuteranopia: [0.367, 0.861, -0.228, 0.28, 0.673, 0.047, -0.012, 0.043, 0.969],
    tritanopia: [1.256, -0.077, -0.179, -0.078, 0.931, 0.148, 0.005, 0.691, 0.304],
};

/* COLOUR, "rgb(r, g, b)", as EYE sees it, in CIE Lab. */
function lab(colour, eye) {
    const rgb = colour.match(/[\d.]+/g).map((v) => ((v /= 255) <= 0.04045
        ? v / 12.92
        : ((v + 0.055) / 1.055) ** 2.4));
    const [r, g, b] = [0, 3, 6].map((i) =>
        Math.min(1, Math.max(0, rgb.reduce((s, v, k) => s + v * eye[i + k], 0))),
    );
    const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116),
        x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505),
        y = f(0.2126 * r + 0.7152 * g + 0.0722 * b),
        z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

for (const scheme of ["light", "dark"])
    await test(`colour-blind-${scheme}`, "real", { scheme }, async (page) => {
        const all = await swatches(page);
        asked(all.length === 6, `${all.length} classes`);
        for (const [name, eye] of Object.entries(EYES))
            for (const [i, a] of all.entries())
                for (const b of all.slice(i + 1)) {
                    const p = lab(a.colour, eye),
                        q = lab(b.colour, eye),
                        apart = Math.hypot(...p.map((v, k) => v - q[k]));
                    asked(
                        apart > 10,
                        `${name}: "${a.words}" and "${b.words}" are ${apart.toFixed(1)} apart`,
                    );
                }
    });

/* ---- the speedup plot ---- */

for (const kind of ["real", "loop", "whatif", "noisy"])
    await test(`legend-${kind}`, kind, {}, async (page) => {
        const legends = () =>
            page.$$eval(".u-legend", (all) => all.map((e) => e.innerText).join(" "));
        const workers = await page.evaluate(
            () => JSON.parse(document.getElementById("profile").textContent).program.workers,
        );
        const first = await legends();
        asked(!/--/.test(first), `before a pointer is there: ${first}`);
        asked(new RegExp(`processors\\W*${workers}\\D`).test(first), `at first: ${first}`);
        await page.$eval("#plot", (e) => e.scrollIntoView());
        const plot = await page.$eval("#plot .u-over", (e) => {
            const r = e.getBoundingClientRect();
            return [r.x, r.y, r.width, r.height];
        });
        await page.mouse.move(plot[0] + plot[2] - 3, plot[1] + plot[3] / 2);
        asked((await legends()) !== first, "a pointer over the plot changes nothing");
        await page.mouse.move(plot[0] + plot[2] / 2, plot[1] - 40);
        await page.waitForFunction(
            (was) =>
                [...document.querySelectorAll(".u-legend")].map((e) => e.innerText).join(" ")
                === was,
            { timeout: 20_000 },
            first,
        );
    });

/* ---- the words ---- */

await test("first-terms", "real", SCREEN, async (page) => {
    const words = "#terms dl";
    asked(!(await shown(page, words)), "the words are there before anybody asks");
    await page.keyboard.press("?");
    asked(await shown(page, words), "the key does not show the words");
    const [picture, list] = [await box(page, "#terms svg"), await box(page, words)];
    asked(picture.right <= list.x, "the picture is not beside the words");
    await page.keyboard.press("?");
    asked(!(await shown(page, words)), "the key does not hide them again");
    await page.focus("#search");
    await page.keyboard.type("?");
    asked(!(await shown(page, words)), "a search for ? shows the words");
});

/* Every word that the first card's figures use is among them. */
for (const kind of ["real", "loop", "noisy", "off-cpu", "ranks"])
    await test(`first-terms-${kind}`, kind, SCREEN, async (page) => {
        const [terms, used] = await page.evaluate(() => [
            [...document.querySelectorAll("#terms dt")].map((e) => e.textContent.toLowerCase()),
            [...document.querySelectorAll("#figures dt, #figures .hint")].map((e) =>
                e.textContent.toLowerCase(),
            ),
        ]);
        for (const word of [
            "work", "span", "parallelism", "exact", "as executed", "lower bound", "estimated",
            "loops divided", "outlier", "burdened", "idle", "task", "steal", "worker slot",
        ])
            asked(terms.some((t) => t.startsWith(word)), `"${word}" is not explained`);
        const plain = used.flatMap((u) => [
            u.replace(/ \(.*/, "").replace(/^no (outlier)s$/, "$1").replace(/s? parallelism$/, ""),
            ...(/^t∞, (.*)/.exec(u) ?? []).slice(1),
        ]);
        for (const words of plain.filter((u) => !/[₁∞]|^(of|with|para|at|\d)|stolen/.test(u)))
            asked(
                terms.some((t) => t.startsWith(words) || words.startsWith(t)),
                `"${words}" is not explained`,
            );
    });
