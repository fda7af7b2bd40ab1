// Builds the page into ../dist, with fixed names and the same bytes for the same sources.
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dist = process.env.OUT ?? join(here, "..", "dist");

/** KaTeX offers each font in three formats; every browser that runs this page reads the first. No formula is set in these styles. */
const fewerFonts = {
  name: "fewer-fonts",
  setup(build) {
    build.onLoad({ filter: /katex\.css$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8"))
        .replace(/,\s*url\([^)]*\.(?:woff|ttf)\) format\("[^"]*"\)/g, "")
        .replace(/@font-face\s*{[^}]*KaTeX_(?:Fraktur|SansSerif|Typewriter)[^}]*}/g, ""),
      loader: "css",
    }));
  },
};

const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  target: ["es2022", "chrome110", "firefox115", "safari16"],
  loader: { ".woff2": "dataurl" },
  external: ["/assets/*"],
  logLevel: "warning",
};

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await esbuild.build({ ...common, format: "esm", entryPoints: { app: "src/main.tsx" }, outdir: dist });
await esbuild.build({
  ...common,
  format: "esm",
  entryPoints: { mathematics: "src/mathematics.ts" },
  outdir: dist,
  plugins: [fewerFonts],
});
await esbuild.build({ ...common, format: "iife", entryPoints: { theme: "src/static/theme.ts" }, outdir: dist });
const shell = await esbuild.transform(await readFile(join(here, "src/static/shell.css"), "utf8"), {
  loader: "css",
  minify: true,
});
const page = await readFile(join(here, "src/static/index.html"), "utf8");
await writeFile(join(dist, "index.html"), page.replace("/* shell.css */", shell.code.trim()));
await copyFile(join(here, "node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"), join(dist, "text.woff2"));
