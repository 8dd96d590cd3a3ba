/* person.mjs - what a person does with a page of prof view, and sees there. It takes the arguments
 * of drive.mjs. `test` is a case: it opens DIRECTORY/KIND.html, takes steps, and prints a PASS or
 * FAIL line. PROF_CASES=REGEXP: only the cases with such names; PROF_CASES_NOT: those without.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, executablePath, directory] = process.argv.slice(2);
const puppeteer = (
    await import(
        pathToFileURL(createRequire(join(modules, "package.json")).resolve("puppeteer-core"))
    )
).default;
const PATIENCE = 120_000,
    pictures = process.env.PROF_SCREENSHOTS;
let failures = 0;

const browser = await puppeteer.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    timeout: PATIENCE,
    protocolTimeout: PATIENCE,
});

/* Runs in the page: collects in window.wrong each text that is a value of the script and not one of
 * the profile, as soon as it is in the page, so also what a tooltip shows for a moment. Source, the
 * command and template arguments may have such words. */
function watchWords() {
    window.wrong = [];
    const is = /^\s*(false|true|null|undefined|NaN|Infinity|\[object .*)\s*$/,
        has = /(^|[\s(+−-])(false|null|undefined|NaN|Infinity)(?![\w<])/;
    const look = (text) => {
        const words = text.data;
        if (text.parentElement?.closest("script, style, pre, .code, #command")) return;
        if (is.test(words) || (has.test(words) && !words.includes("<")))
            window.wrong.push(words.trim().slice(0, 80));
    };
    const all = (node) => {
        if (node.nodeType === Node.TEXT_NODE) return look(node);
        const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) look(walker.currentNode);
    };
    new MutationObserver((changes) => {
        for (const c of changes)
            if (c.type === "characterData") look(c.target);
            else c.addedNodes.forEach(all);
    }).observe(document, { subtree: true, childList: true, characterData: true });
}

/* ---- a page, and what a person does there ---- */

export async function open(
    kind,
    { width = 1280, height = 900, touch = false, scheme = "light", hash = "" } = {},
) {
    const page = await browser.newPage(),
        said = [],
        url = pathToFileURL(join(directory, `${kind}.html`)).href;
    page.setDefaultTimeout(PATIENCE);
    page.on("console", (m) => said.push(`console: ${m.text()}`));
    page.on("pageerror", (e) => said.push(`error: ${e.message}`));
    page.on("dialog", (d) => {
        said.push(`dialog: ${d.message()}`);
        d.dismiss();
    });
    page.on(
        "request",
        (r) =>
            r.url().split("#")[0] === url ||
            r.url().startsWith("data:") ||
            said.push(`request: ${r.url()}`),
    );
    await page.setViewport({ width, height, hasTouch: touch, isMobile: touch });
    await page.emulateMediaFeatures([
        { name: "prefers-color-scheme", value: scheme },
        { name: "prefers-reduced-motion", value: "reduce" },
    ]);
    await page.evaluateOnNewDocument(() => {
        /* what is painted is in no element */
        window.painted = [];
        const paint = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (words, ...where) {
            window.painted.push(words);
            return paint.call(this, words, ...where);
        };
    });
    await page.evaluateOnNewDocument(watchWords);
    await page.goto(url + hash, { waitUntil: "load", timeout: PATIENCE });
    await page.waitForSelector("html[data-ready]");
    /* where something is drawn, it has been painted */
    const painted = await page.evaluate(
        () =>
            new Promise((done) =>
                requestAnimationFrame(() => setTimeout(() => done(performance.now()))),
            ),
    );
    return { page, said, kind, painted };
}

/* d3 moves what it has drawn before in the frames after */
export const settle = (page) =>
    page.waitForFunction(
        () => ![...document.querySelectorAll("g.frame, g.frame *")].some((e) => e.__transition),
    );

/* The frames of pane K: name, left, width, level, what is read out, classes. */
export const frames = (page, k = 0) =>
    page.evaluate(
        (k) =>
            [...document.querySelectorAll("#panes .pane")[k].querySelectorAll("g.frame")].map(
                (g) => {
                    const r = g.querySelector("rect").getBoundingClientRect();
                    return {
                        said: g.getAttribute("aria-label"),
                        name: g.getAttribute("aria-label").replace(/, [^,]*$/, ""),
                        level: Number(g.getAttribute("aria-level")),
                        share: Number(/([\d.]+) % of/.exec(g.getAttribute("aria-label"))[1]),
                        x: r.x,
                        y: r.y,
                        width: r.width,
                        height: r.height,
                        faded: g.classList.contains("fade"),
                        match: g.classList.contains("match"),
                        dim: g.classList.contains("dim"),
                        focused: g === document.activeElement,
                        twin: g.classList.contains("twin"),
                    };
                },
            ),
        k,
    );
export const text = (page, selector) => page.$eval(selector, (e) => e.textContent);
export const shown = (page, selector) => page.$eval(selector, (e) => e.checkVisibility());
export async function pick(page, name) {
    await page.$eval(`#metrics input[value=${name}]`, (e) => e.click());
    await settle(page);
}
export async function clickFrame(page, wanted, k = 0) {
    await page.$eval("#panes", (e) => e.scrollIntoView());
    const f = (await frames(page, k)).find(wanted);
    if (!f) throw new Error("no such frame");
    await page.mouse.click(f.x + f.width / 2, f.y + f.height / 2);
    await settle(page);
    return f;
}
/* Points at the first frames, zooms to the last of them, and goes back. */
export async function touchFrames(page) {
    await page.evaluate(() => {
        const all = [...document.querySelectorAll("#panes g.frame")].slice(0, 6);
        for (const g of all)
            g.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: 9 }));
        all.at(-1)?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        document.getElementById("zoom-out").click();
    });
    await settle(page);
}
export async function type(page, words) {
    await page.focus("#search");
    await page.$eval("#search", (e) => e.select());
    const before = await page.$eval("#found", (e) => (e.hidden ? "" : e.textContent));
    await page.keyboard.type(words);
    await page.waitForFunction(
        (before) =>
            !document.getElementById("found").hidden &&
            document.getElementById("found").textContent !== before,
        {},
        before,
    );
    await settle(page);
}
export const picture = (page, name) =>
    pictures && page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
export const asked = (condition, words) => {
    if (!condition) throw new Error(words);
};
export const close = (a, b, most) => Math.abs(a - b) <= most;

const { PROF_CASES, PROF_CASES_NOT } = process.env;
const only = PROF_CASES && new RegExp(PROF_CASES);
const not = PROF_CASES_NOT && new RegExp(PROF_CASES_NOT);

export async function test(name, kind, options, steps) {
    let detail = "",
        o;
    if ((only && !only.test(name)) || (not && not.test(name))) return;
    try {
        o = await open(kind, options);
        await steps(o.page, o);
        const [inside, window] = await o.page.evaluate(() => [
            document.documentElement.scrollWidth,
            document.documentElement.clientWidth,
        ]);
        asked(inside <= window, `the page is ${inside} wide, its window ${window}`);
        const [painted, wrong] = await o.page.evaluate(() => [window.painted, window.wrong]);
        asked(!wrong.length, `the page shows "${wrong[0]}"`);
        asked(
            !painted.some((w) => /NaN|undefined|Infinity|null|false/.test(w)),
            painted.find((w) => /NaN|undefined|Infinity|null|false/.test(w)),
        );
    } catch (e) {
        detail = e.message.split("\n")[0];
    }
    if (o?.said.length) detail += ` ${o.said[0]}`;
    if (o) await picture(o.page, name);
    console.log(detail ? `FAIL view/drive-${name}: ${detail}` : `PASS view/drive-${name}`);
    failures += detail ? 1 : 0;
    await o?.page.close();
}

/* Makes the page NAME of KIND's, whose profile CHANGE(profile) changes. */
export function derived(kind, name, change) {
    const page = readFileSync(join(directory, `${kind}.html`), "utf8"),
        [, before, json, after] = /^(.*id="profile">)(.*?)(<\/script>.*)$/s.exec(page),
        profile = JSON.parse(json);
    change(profile);
    const text = JSON.stringify(profile).replace(/</g, "\\u003c");
    writeFileSync(join(directory, `${name}.html`), before + text + after);
}

/* KIND.json, to compare with */
export const report = (kind) => JSON.parse(readFileSync(join(directory, `${kind}.json`)));
/* The metrics that the page has now: `blocked` is one if the profile has off-CPU samples. */
export const metricsOf = (page) =>
    page.$$eval("#metrics label:not([hidden]) input", (all) =>
        all.map((e) => e.value).filter((v) => v !== "beside"),
    );

/* Contrast of two colours, each "rgb(r, g, b)" (WCAG 2.1, 1.4.11). */
export function apart(a, b) {
    const light = (colour) =>
            colour
                .match(/[\d.]+/g)
                .map((v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
                .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0),
        [p, q] = [light(a), light(b)];
    return (Math.max(p, q) + 0.05) / (Math.min(p, q) + 0.05);
}

/* Contrast of text with what is behind it (WCAG 2.1, 1.4.3), of everything that is shown. */
export const contrast = (page) =>
    page.evaluate(() => {
        const c = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
        const rgb = (colour) => {
            c.clearRect(0, 0, 1, 1);
            c.fillStyle = colour;
            c.fillRect(0, 0, 1, 1);
            return [...c.getImageData(0, 0, 1, 1).data];
        };
        const light = ([r, g, b]) =>
            [r, g, b]
                .map((v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
                .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
        let worst = [21, ""];
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let n; (n = walker.nextNode());) {
            const e = n.parentElement;
            if (
                !n.data.trim() ||
                !e.checkVisibility() ||
                e.closest("svg, script, style, .hidden, :disabled")
            )
                continue;
            let behind = e;
            while (behind && rgb(getComputedStyle(behind).backgroundColor)[3] < 255)
                behind = behind.parentElement;
            const a = light(rgb(getComputedStyle(e).color)),
                b = light(
                    rgb(getComputedStyle(behind ?? document.documentElement).backgroundColor),
                );
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (ratio < worst[0]) worst = [ratio, n.data.trim().slice(0, 40)];
        }
        for (const g of document.querySelectorAll("g.frame")) {
            const label = g.querySelector(".d3-flame-graph-label"),
                rect = g.querySelector("rect");
            if (!label || rect.getBoundingClientRect().width < 30) continue;
            const a = light(rgb(getComputedStyle(label).color)),
                b = light(rgb(getComputedStyle(rect).fill)),
                ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (ratio < worst[0]) worst = [ratio, label.textContent];
        }
        return worst;
    });
export const background = (page) =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

/* Closes the browser; the number of cases that failed. */
export async function end() {
    await browser.close();
    return failures;
}
