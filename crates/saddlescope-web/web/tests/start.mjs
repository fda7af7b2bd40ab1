// The program as a server, and a browser.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const program = process.env.SADDLESCOPE ?? join(import.meta.dirname, "../../../../target/release/saddlescope");

/** Flags without which Chromium asks its maker's servers, or needs a display. */
const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS, timeout: 300_000 });
}

/** A server over the folder `runs`: where it is, and how to stop it. */
export async function serve(runs) {
  const words = ["serve", "--no-open", "--port", "0", "--runs", runs];
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const said of child.stdout) {
    const found = /http:\/\/\S+/.exec(String(said));
    if (found) return { home: found[0].replace(/\/$/, ""), stop: () => child.kill("SIGINT") };
  }
  throw new Error("the server said nothing");
}
