/* build.mjs PAGE_DIR - makes head.html and tail.html of prof view's page in PAGE_DIR, whose
 * node_modules it uses. Between the two goes a profile's JSON. The page's policy names its script
 * and its style by their hashes, so that nothing else can run in it, whatever a profile contains.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url)),
    out = resolve(process.argv[2]);
const esbuild = createRequire(join(out, "package.json"))("esbuild");

/* The libraries' styles are a layer: wherever the bundle has them, the page's own style wins. */
const layered = {
    name: "layered",
    setup: (build) =>
        build.onLoad({ filter: /node_modules.*\.css$/ }, ({ path }) => ({
            contents: `@layer libraries { ${readFileSync(path, "utf8")} }`,
            loader: "css",
        })),
};

const result = await esbuild.build({
    entryPoints: [join(here, "src/main.js")],
    nodePaths: [join(out, "node_modules")],
    bundle: true,
    write: false,
    outdir: out,
    plugins: [layered],
    format: "iife",
    target: ["es2022"],
    /* names stay, because d3-flame-graph finds a class by its name */
    minifyWhitespace: true,
    minifySyntax: true,
    charset: "ascii",
    legalComments: "none",
    logLevel: "warning",
});
const text = (suffix) => result.outputFiles.find((f) => f.path.endsWith(suffix)).text.trim();
const script = text(".js"),
    style = text(".css");
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
    throw new Error("the bundle would end its own element");

const hash = (s) => "'sha256-" + createHash("sha256").update(s).digest("base64") + "'";
const policy = [
    "default-src 'none'",
    "script-src " + hash(script),
    "style-src " + hash(style),
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
].join("; ");

/* The licences demand that their texts go with the code. */
const notices = [
    "d3-array",
    "d3-color",
    "d3-dispatch",
    "d3-ease",
    "d3-flame-graph",
    "d3-format",
    "d3-hierarchy",
    "d3-interpolate",
    "d3-scale",
    "d3-selection",
    "d3-time",
    "d3-time-format",
    "d3-timer",
    "d3-transition",
    "internmap",
    "uplot",
]
    .map((name) => {
        const dir = join(out, "node_modules", name),
            about = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
        return `${name} ${about.version}\n\n${readFileSync(join(dir, "LICENSE"), "utf8").trim()}`;
    })
    .join("\n\n----\n\n");
const escape = (s) =>
    s.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

const parts = { POLICY: escape(policy), STYLE: style, SCRIPT: script, NOTICES: escape(notices) };
const page = readFileSync(join(here, "index.html"), "utf8").replace(
    /\{\{([A-Z]+)\}\}/g,
    (all, name) => parts[name] ?? all,
);
const [head, tail] = page.split("{{PROFILE}}");
writeFileSync(join(out, "head.html"), head);
writeFileSync(join(out, "tail.html"), tail);
