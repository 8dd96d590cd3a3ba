/* drive-looks.mjs - how the page looks: one typeface, no empty space in the graph's card, tooltips
 * beside their frame, bars and edges that can be seen, legends as the charts are, and a hint where
 * a table is cut. drive.mjs loads it. */
import { asked, close, frames, pick, settle, test, text } from "./person.mjs";

/* The contrast of two colours (WCAG 2.1), for use in the page. */
const contrastOf = `(a, b) => {
    const c = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const light = (colour) => {
        c.clearRect(0, 0, 1, 1);
        c.fillStyle = colour;
        c.fillRect(0, 0, 1, 1);
        return [...c.getImageData(0, 0, 1, 1).data.slice(0, 3)]
            .map((v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
            .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
    };
    const [x, y] = [light(a), light(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}`;
const SCHEMES = ["light", "dark"];

await test("looks-typeface", "real", {}, async (page) => {
    const wrong = await page.evaluate(() => {
        const of = (e) => getComputedStyle(e).fontFamily,
            sans = of(document.body),
            mono = of(document.getElementById("command"));
        return [...document.querySelectorAll("body *")]
            .filter((e) => e.checkVisibility() && ![sans, mono].includes(of(e)))
            .map((e) => `${e.tagName}.${e.getAttribute("class")} has ${of(e)}`)
            .filter((w) => !/^(CODE|PRE)/.test(w));
    });
    asked(!wrong.length, wrong[0]);
});

/* The graph is as high as its frames: of each metric, zoomed, and after a higher one. */
for (const kind of ["real", "timed", "off-cpu"])
    await test(`looks-height-${kind}`, kind, {}, async (page) => {
        const same = async (when) => {
            const [height, rows] = await page.evaluate(() => {
                const all = [...document.querySelectorAll("#panes g.frame rect")].map((e) =>
                        e.getBoundingClientRect(),
                    ),
                    svg = document.querySelector("#panes svg").getBoundingClientRect();
                return [svg.height, Math.max(...all.map((r) => r.bottom)) - svg.top];
            });
            asked(close(height, rows, 3), `${when}: ${height} high, its frames ${rows}`);
        };
        for (const metric of ["span", "work", "span"]) {
            await pick(page, metric);
            await same(metric);
        }
        const box = (await frames(page)).find((f) => f.level === 2);
        await page.mouse.click(box.x + 5, box.y + 5);
        await settle(page);
        await same("zoomed");
    });

/* Enter in the search zooms to the widest frame and shows its figures: beside it, wherever the page
 * and the graph were scrolled to, and in a window that is too low for frame and figures. */
for (const height of [300, 420, 900])
    await test(`looks-tip-${height}`, "deep", { height }, async (page) => {
        const beside = async (when) => {
            await page.waitForSelector("#tip:not([hidden])");
            const [tip, frame, high] = await page.evaluate(() => [
                document.getElementById("tip").getBoundingClientRect().toJSON(),
                document.activeElement.querySelector("rect").getBoundingClientRect().toJSON(),
                innerHeight,
            ]);
            asked(frame.top >= 0 && frame.bottom <= high, `${when} is at ${frame.top}`);
            asked(
                tip.bottom <= frame.top || tip.top >= frame.bottom,
                `${when}: the tooltip, ${tip.top} to ${tip.bottom}, covers ${frame.top} to `
                    + `${frame.bottom}`,
            );
            return frame.top;
        };
        const names = (await frames(page)).map((f) => f.name);
        for (const name of [names[1], names[5], names.at(-1)]) {
            await page.evaluate(() => scrollTo(0, 0));
            await page.$eval("#search", (e) => (e.value = ""));
            await page.focus("#search");
            await page.keyboard.type(`"${name.replace(/^\u22ef /, "")}"`);
            await page.keyboard.press("Enter");
            await settle(page);
            const y = await beside(name);
            await page.evaluate((y) => scrollBy(0, y - innerHeight / 2), y);
            await page.keyboard.press("ArrowUp");
            await beside(`the caller of ${name}, in the middle`);
            await page.keyboard.press("Escape");
            await settle(page);
        }
    });

/* The bars of the tables and the edges of frames stand out from the card (WCAG 2.1, 1.4.11); a bar
 * is as long as its share. */
for (const scheme of SCHEMES)
    await test(`looks-bars-${scheme}`, "timed", { scheme }, async (page) => {
        const wrong = await page.evaluate(`(() => {
            const contrast = ${contrastOf},
                card = getComputedStyle(document.getElementById("functions")).backgroundColor,
                all = [...document.querySelectorAll("#functions-table td.share")].filter(
                    (e) => e.textContent,
                );
            return [
                ...(all.length ? [] : ["there are no bars"]),
                ...all.flatMap((e) => {
                    const bar = getComputedStyle(e, "::after"),
                        colours = bar.backgroundImage.match(/rgba?\\([^)]*\\)/g) ?? [],
                        part = /([\\d.]+)%/.exec(bar.backgroundImage)?.[1];
                    return [
                        ...(colours[0] && contrast(colours[0], card) >= 3
                            ? []
                            : ["the contrast of " + colours[0] + " is too low"]),
                        ...(Math.abs(part - e.textContent) < 0.06
                            ? []
                            : ["a bar of " + part + " for " + e.textContent]),
                    ];
                }),
                ...[...document.querySelectorAll("#panes g.frame:not(.thin) rect")].flatMap((e) =>
                    ${scheme === "light" ? "" : "true ||"}
                    contrast(getComputedStyle(e).stroke, card) >= 3
                        ? []
                        : ["the contrast of a frame's edge is too low"],
                ),
            ];
        })()`);
        asked(!wrong.length, wrong[0]);
    });

/* A frame that is narrower than its edge is seen by its own colour. */
await test("looks-narrow", "large", {}, async (page) => {
    const [narrow, edged] = await page.evaluate(() => {
        const all = [...document.querySelectorAll("#panes g.frame rect")].filter(
            (e) => e.getAttribute("width") < 3,
        );
        return [all.length, all.filter((e) => getComputedStyle(e).stroke !== "none").length];
    });
    asked(narrow > 0 && !edged, `${edged} of ${narrow} narrow frames have an edge`);
});

/* A legend shows each series as the chart does: a line with its dashes, a dot, or both. */
for (const scheme of SCHEMES)
    await test(`looks-legend-${scheme}`, "whatif", { scheme }, async (page) => {
        const all = await page.$$eval("#plot .u-series, #factored-plot .u-series", (rows) =>
            rows.map((row) => {
                const line = row.querySelector(".u-marker line"),
                    dot = row.querySelector(".u-marker circle"),
                    box = getComputedStyle(row.querySelector(".u-marker"));
                return {
                    name: row.querySelector(".u-label").textContent,
                    line: line && ["stroke", "stroke-dasharray"].map((a) => line.getAttribute(a)),
                    dot: dot && dot.getAttribute("fill"),
                    square:
                        box.borderTopWidth !== "0px" || !/, 0\)/.test(box.backgroundColor),
                };
            }),
        );
        const of = (name) => all.find((s) => s.name === name),
            looks = all.filter((s) => s.line || s.dot).map((s) => JSON.stringify([s.line, s.dot]));
        asked(!all.some((s) => s.square), `a square: ${all.find((s) => s.square)?.name}`);
        asked(of("this run").dot === "#f2b134" && !of("this run").line, "this run is a yellow dot");
        asked(of("prof bench").dot && of("prof bench").line, "prof bench is a line with dots");
        asked(of("linear").line[1] === "2 4", `linear has ${of("linear").line}`);
        const plot = all.slice(0, all.findIndex((s) => s.name === "workers")),
            seen = plot.filter((s) => s.line || s.dot).map((s) => JSON.stringify([s.line, s.dot]));
        asked(seen.length > 3 && new Set(seen).size === seen.length, `two look alike: ${seen}`);
        asked(looks.length === all.length - 2, "a series has nothing");
    });

/* Where a table is wider than the screen, its edge fades until the reader has scrolled there. */
for (const scheme of SCHEMES)
    await test(`looks-cut-${scheme}`, "real", { width: 390, touch: true, scheme }, async (page) => {
        const at = "#functions-table .scroll",
            mask = () => page.$eval(at, (e) => getComputedStyle(e).maskImage);
        asked(
            await page.$eval(at, (e) => e.scrollWidth > e.clientWidth + 40),
            "the table is not cut",
        );
        asked((await mask()).startsWith("linear-gradient"), `its edge has ${await mask()}`);
        await page.$eval(at, (e) => (e.scrollLeft = e.scrollWidth));
        await page.waitForFunction(
            (at) => getComputedStyle(document.querySelector(at)).maskImage === "none",
            {},
            at,
        );
        const wrong = await page.$$eval(".scroll", (all) =>
            all.filter(
                (e) =>
                    e.checkVisibility()
                    && e.scrollLeft + e.clientWidth < e.scrollWidth - 1
                    && getComputedStyle(e).maskImage === "none",
            ).length,
        );
        asked(!wrong, `${wrong} boxes are cut without a hint`);
    });
await test("looks-whole", "real", { width: 1440 }, async (page) => {
    const faded = await page.$$eval(".scroll", (all) =>
        all.filter((e) => getComputedStyle(e).maskImage !== "none").length,
    );
    asked(!faded, `${faded} tables fade that are not cut`);
    asked(await text(page, "#limits"), "no page");
});
