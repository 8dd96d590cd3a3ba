/* drive.mjs MODULES BROWSER DIRECTORY - uses pages of prof view as a person does: DIRECTORY holds
 * KIND.html, and KIND.json of `prof report --json --paths` to compare with. One PASS or FAIL line a
 * case. PROF_SCREENSHOTS=DIR keeps pictures.
 *
 * RULE: nothing here asserts a time; what is waited for is waited for long. Every page, whatever is
 * done to it, must say nothing on the console, throw nothing, ask for nothing but itself, and never
 * be wider than its window.
 */
import { end } from "./person.mjs";

/* one after the other: they share a browser */
await import("./drive-run.mjs");
await import("./drive-first.mjs");
await import("./drive-names.mjs");
await import("./drive-short.mjs");
await import("./drive-blocked.mjs");
await import("./drive-link.mjs");
await import("./drive-kinds.mjs");
await import("./drive-timeline.mjs");
await import("./drive-marked.mjs");
await import("./drive-looks.mjs");
process.exit((await end()) ? 1 : 0);
