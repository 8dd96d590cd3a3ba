/* drive-first.mjs - the first screen: the findings beside the critical path, what the
 * colours of the frames mean, and the legend of the speedup plot. drive.mjs loads it. */
import {
    apart,
    asked,
    close,
    contrast,
    derived,
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
    });

/* What the card shows of each finding. */
const shownFindings = (page) =>
    page.$$eval("#findings > li, #findings-rest > li", (all) =>
        all
            .filter((e) => e.checkVisibility())
            .map((e) => {
                const bar = e.querySelector(".gain-bar"),
                    css = (key) => parseFloat(bar.style.getPropertyValue(`--${key}`));
                return {
                    id: e.dataset.cause,
                    gain: e.querySelector(".gain strong").textContent,
                    interval: e.querySelector(".gain .hint").textContent,
                    bar: [css("gain"), css("low"), css("high")],
                    place: e.querySelector(".place")?.textContent,
                };
            }),
    );

/* Are the findings WANTED of `prof report --json` those of the page, three of them at first? */
async function sameFindings(page, wanted) {
    const first = await shownFindings(page);
    asked(first.length === Math.min(3, wanted.length), `at first there are ${first.length}`);
    asked((await shown(page, "#headline")) === !wanted.length, "a headline and findings");
    asked((await shown(page, "#findings-more")) === wanted.length > 3, "the rest is not folded");
    if (wanted.length > 3) await page.click("#findings-more summary");
    const got = await shownFindings(page);
    asked(
        got.map((f) => f.id).join() === wanted.map((f) => f.id).join(),
        `${got.map((f) => f.id)}, not ${wanted.map((f) => f.id)}`,
    );
    for (const [i, f] of wanted.entries()) {
        const shares = [f.gain_ns, f.gain_low_ns, f.gain_high_ns].map(
                (ns) => (100 * f.share * ns) / f.gain_ns,
            ),
            [gain, low, high] = `${got[i].gain} ${got[i].interval}`.match(/\d+/g).map(Number);
        for (const [k, value] of [gain, low, high].entries())
            asked(close(value, shares[k], 0.51), `${f.id} shows ${value} for ${shares[k]}`);
        for (const [k, value] of got[i].bar.entries())
            asked(close(value, Math.min(100, shares[k]), 0.01), `${f.id} has a bar of ${value}`);
        asked(
            f.place.function ? got[i].place?.includes(String(f.place.line ?? "")) : !got[i].place,
            `${f.id} is at ${got[i].place}`,
        );
    }
}
for (const [kind, json] of [["paths"], ["waits"], ["scaled"], ["changed", "after"]])
    await test(`findings-${kind}`, kind, SCREEN, async (page) =>
        sameFindings(page, report(json ?? kind).findings),
    );
/* oneTBB's code is folded otherwise in the JSON, so that its overhead may differ a little. */
await test("findings-real", "real", SCREEN, async (page) =>
    sameFindings(
        page,
        await page.evaluate(
            () => JSON.parse(document.getElementById("profile").textContent).findings,
        ),
    ),
);

/* Five findings, one of them of no place, and one whose gain is more than the elapsed time. */
const FIVE = [
    ["quota", 120, 110, 130],
    ["contention", 40, 31, 49],
    ["short_regions", 25.4, 25.2, 25.6],
    ["io", 10, 0.2, 19.8],
    ["serial", 6, 5, 7],
].map(([id, gain, low, high]) => ({
    id,
    gain: `${gain.toFixed(0)} % (${low.toFixed(0)} to ${high.toFixed(0)})`,
    share: gain / 100,
    gain_ns: gain * 1e6,
    gain_low_ns: low * 1e6,
    gain_high_ns: high * 1e6,
    place: { function: id === "quota" ? null : "app", file: null, line: null },
    label: id === "quota" ? null : "app <b>+0x1",
    text: id === "quota" ? "A quota." : `What app <b>+0x1 has, ${id}: a sentence of some length.`,
    remedy: "Do something else.",
    functions: id === "quota" ? [] : [0],
    site: -1,
}));
derived("paths", "five", (profile) => (profile.findings = FIVE));
for (const scheme of ["light", "dark"])
    for (const width of [320, 390, 768, 1440])
        await test(`findings-${scheme}-${width}`, "five", { scheme, width }, async (page) => {
            await sameFindings(page, FIVE);
            const cut = await page.$$eval("#limits *", (all) =>
                all.filter((e) => e.getBoundingClientRect().right > innerWidth).length,
            );
            asked(!cut, `${cut} parts of the card are beyond the window`);
            const low = await page.$$eval(".place", (all) =>
                all.filter((e) => e.getBoundingClientRect().height < 24).length,
            );
            asked(!low, "a place is too small for a finger");
            const [ratio, words] = await contrast(page);
            asked(ratio >= 4.5, `contrast ${ratio.toFixed(2)} of "${words}"`);
            const colours = await page.$eval(".gain-bar", (e) => [
                getComputedStyle(e).backgroundImage.match(/rgb\([^)]*\)/)[0],
                getComputedStyle(e, "::after").borderLeftColor,
                getComputedStyle(e.closest("section")).backgroundColor,
            ]);
            for (const colour of colours.slice(0, 2))
                asked(apart(colour, colours[2]) >= 3, `a bar of ${colour} on ${colours[2]}`);
        });

/* The largest finding of a function is its verdict, whatever is below it. */
await test("findings-verdict", "five", SCREEN, async (page) => {
    const cells = await page.$$eval("#functions-table td.words", (all) =>
        all.filter((e) => e.textContent).map((e) => [e.textContent, e.title]),
    );
    asked(cells.length === 1 && cells[0][0] === "contention", `verdicts: ${cells}`);
    asked(cells[0][1] === FIVE[1].text, `the title is ${cells[0][1]}`);
    await page.click("#functions-table tbody tr:has(td.words:not(:empty)) .pick");
    asked(/^contention 40 %/.test(await text(page, "#selected .verdict")), "it is not selected");
});

/* By the keyboard alone: the place of a finding selects its function, in the address, too. */
await test("findings-keyboard", "five", SCREEN, async (page) => {
    await page.focus("#findings .place");
    await page.keyboard.press("Enter");
    await settle(page);
    asked((await shown(page, "#selected")), "it is not selected");
    await page.waitForFunction(() => location.hash.includes("selected=findings%3A1"));
    await page.focus("#findings-more summary");
    await page.keyboard.press("Enter");
    asked((await shownFindings(page)).length === 5, "the key does not show the rest");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    asked(/^serial 6 %/.test(await text(page, "#selected .verdict")), "it is not selected");
});
const hash = "#selected=findings%3A4";
await test("findings-link", "five", { ...SCREEN, hash }, async (page) =>
    asked(/^serial 6 %/.test(await text(page, "#selected .verdict")), "it is not selected"),
);

/* Without a finding, why there is none. */
for (const [kind, known] of [["noisy", true], ["loop", false], ["serial", false], ["empty", false]])
    await test(`findings-none-${kind}`, kind, SCREEN, async (page) => {
        await sameFindings(page, []);
        const said = await text(page, "#headline");
        asked(/\b5 %/.test(said) === known, said);
    });

/* A real program with its source, whose findings depend on what else ran: one in their place. */
const LINE = 27;
derived("changed", "placed", (profile) => {
    const { names, functions } = profile.columns,
        row = functions.function.findIndex((name) => names[name] === "check_sums");
    profile.findings = [
        {
            ...FIVE[1],
            label: `check_sums (changed.c:${LINE})`,
            place: { function: "check_sums", file: names[functions.file[row]], line: LINE },
            functions: [row],
        },
    ];
});
await test("place", "placed", SCREEN, async (page) => {
    await page.click(".place");
    await settle(page);
    asked(
        (await frames(page)).some((f) => f.match && f.name.startsWith("check_sums")),
        "the graph does not mark it",
    );
    asked((await text(page, "#selected-title")).includes("check_sums"), "it is not selected");
    asked(/main.* › check_sums$/.test(await text(page, ".path")), await text(page, ".path"));
    asked(
        (await text(page, "#source .here th")) === String(LINE),
        "the line of its source is not shown",
    );
    const [graph, source] = [await box(page, "#panes svg"), await box(page, "#selected")];
    asked(graph.y >= 0 && source.y < 900, "graph and source are not on one screen");
});

/* The functions' verdicts are those of the JSON. */
await test("verdicts", "paths", SCREEN, async (page) => {
    const wanted = report("paths").functions.map((f) => f.verdict).filter((v) => v),
        got = await page.$$eval("#functions-table td.words", (all) =>
            all.map((e) => e.textContent).filter((v) => v),
        );
    asked(got.length && got.sort().join() === wanted.sort().join(), `${got}, not ${wanted}`);
});

/* Nobody has to scroll sideways for a verdict. */
for (const width of [390, 800, 1440])
    await test(`verdicts-${width}`, "five", { width, height: 900 }, async (page) => {
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

/* Every word that the first card's figures and findings use is among them. */
for (const kind of ["real", "five", "loop", "noisy", "off-cpu", "ranks"])
    await test(`first-terms-${kind}`, kind, SCREEN, async (page) => {
        const [terms, used] = await page.evaluate(() => [
            [...document.querySelectorAll("#terms dt")].map((e) => e.textContent.toLowerCase()),
            [
                ...document.querySelectorAll("#figures dt, #figures .hint, #findings .cause"),
            ].map((e) => e.textContent.toLowerCase()),
        ]);
        for (const word of [
            "work", "span", "parallelism", "exact", "as executed", "lower bound", "estimated",
            "loops divided", "outlier", "burdened", "idle", "task", "steal", "worker slot",
            "cause", "gain", "verdict",
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
