// Whether the built page is that of its sources: builds it elsewhere and compares every byte.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const built = join(import.meta.dirname, "../dist");
const anew = mkdtempSync(join(tmpdir(), "saddlescope-dist-"));
try {
  execFileSync(process.execPath, [join(import.meta.dirname, "build.mjs")], { env: { ...process.env, OUT: anew }, stdio: "inherit" });
  const names = [...new Set([...readdirSync(built), ...readdirSync(anew)])].sort();
  const other = names.filter((name) => {
    try {
      return !readFileSync(join(built, name)).equals(readFileSync(join(anew, name)));
    } catch {
      return true;
    }
  });
  if (other.length > 0) {
    console.error(`other than its sources say: dist/${other.join(", dist/")}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(anew, { recursive: true, force: true });
}
