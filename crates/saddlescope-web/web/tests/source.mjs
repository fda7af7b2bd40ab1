// A module of the page's sources, ready to be tested without a browser.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

export async function source(path) {
  const folder = mkdtempSync(join(tmpdir(), "saddlescope-source-"));
  try {
    const outfile = join(folder, "module.mjs");
    await build({
      entryPoints: [join(import.meta.dirname, "../src", path)],
      bundle: true,
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      outfile,
      logLevel: "warning",
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
