/* shoot.mjs MODULES BROWSER PAGE WHAT PICTURE - a picture of a page of prof view. WHAT: "page", its
 * first screen, or "span", the flame graph of the span. make.sh starts it. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, executablePath, file, what, picture] = process.argv.slice(2);
const puppeteer = (
    await import(
        pathToFileURL(createRequire(join(modules, "package.json")).resolve("puppeteer-core"))
    )
).default;
const browser = await puppeteer.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    timeout: 120_000,
    protocolTimeout: 120_000,
});
const page = await browser.newPage();
await page.setViewport({ width: 1440, height: 900 });
await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: "light" },
    { name: "prefers-reduced-motion", value: "reduce" },
]);
await page.goto(pathToFileURL(file).href, { waitUntil: "load", timeout: 120_000 });
await page.waitForSelector("html[data-ready]");
await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
if (what === "page") {
    await page.screenshot({ path: picture });
} else {
    /* narrower, the graph is no higher than its frames */
    await page.setViewport({ width: 1000, height: 860 });
    await page.$eval("#metrics input[value=span]", (e) => e.click());
    await page.waitForFunction(
        () => ![...document.querySelectorAll("g.frame, g.frame *")].some((e) => e.__transition),
    );
    await (await page.$("#paths")).screenshot({ path: picture });
}
await browser.close();
