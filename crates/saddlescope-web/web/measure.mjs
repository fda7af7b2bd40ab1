// How fast the observatory is: first paint, slider to new curve, and many who drag at once. Prints a table.
import { launch, serve } from "./tests/start.mjs";

const SLIDERS = [
  ["linear-attention", "scale, slider", "flow"],
  ["linear-attention", "scale, slider", "reduced"],
  ["associative-recall", "gain, slider", "flow"],
  ["ngram-to-induction", "alpha_star, slider", "flow"],
  ["ngram-to-induction", "alpha_star, slider", "reduced"],
  ["scan-and-snap", "eta_z, slider", "flow"],
  ["sparse-markov", "ratio, slider", "flow"],
];
const MOVES = 40;

const { home, stop } = await serve("no-such-folder");
const browser = await launch();
const sorted = (list) => [...list].sort((a, b) => a - b);
const at = (list, part) => sorted(list)[Math.min(list.length - 1, Math.floor(part * list.length))];
const ms = (x) => `${x.toFixed(1)} ms`;

async function page(path) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const view = await context.newPage();
  await view.goto(home + path);
  await view.waitForFunction(() => document.querySelector(".uplot"), undefined, { timeout: 60_000 });
  await view.waitForTimeout(800);
  return view;
}

try {
  const paints = [];
  for (let visit = 0; visit < 7; visit++) {
    const view = await page("/");
    paints.push(await view.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
    await view.context().close();
  }
  console.log(`first paint: best ${ms(Math.min(...paints))}, median ${ms(at(paints, 0.5))}`);

  for (const [system, slider, kind] of SLIDERS) {
    const view = await page(`/live/${system}?with=${kind === "flow" ? "" : `&dynamics.kind=${kind}`}`);
    const handle = view.getByRole("slider", { name: slider, exact: true });
    await handle.focus();
    for (let move = 0; move < MOVES; move++) {
      await view.keyboard.press(move < MOVES / 2 ? "ArrowRight" : "ArrowLeft");
      await view.waitForTimeout(150);
    }
    const all = (await view.evaluate(() => window.saddlescope.timings)).slice(-MOVES);
    const [screen, computed] = ["milliseconds", "computed"].map((name) => all.map((one) => one[name]));
    console.log(`${system} (${kind}): slider to curve median ${ms(at(screen, 0.5))}, 95 % ${ms(at(screen, 0.95))}; of it computed ${ms(at(computed, 0.5))} (${all.length} moves)`);
    await view.context().close();
  }

  for (const clients of [1, 4, 16, 64]) {
    const [until, waits, abouts] = [Date.now() + 3000, [], []];
    const drag = async (client) => {
      for (let move = 0; Date.now() < until; move++) {
        const body = JSON.stringify({ system: "linear-attention", set: { "start.scale": String(0.02 + 0.0001 * ((move * 7 + client) % 300)) } });
        const began = performance.now();
        const answer = await fetch(`${home}/api/live`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
        await answer.arrayBuffer();
        waits.push(performance.now() - began);
      }
    };
    const look = async () => {
      while (Date.now() < until) {
        const began = performance.now();
        await (await fetch(`${home}/api/about`)).text();
        abouts.push(performance.now() - began);
        await new Promise((then) => setTimeout(then, 20));
      }
    };
    await Promise.all([look(), ...Array.from({ length: clients }, (_, client) => drag(client))]);
    console.log(`${clients} dragging: ${(waits.length / 3).toFixed(0)} curves/s, each after median ${ms(at(waits, 0.5))}; the rest of the page answers after median ${ms(at(abouts, 0.5))}, 95 % ${ms(at(abouts, 0.95))}`);
  }
} finally {
  await browser.close();
  stop();
}
