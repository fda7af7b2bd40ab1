// The picture of the observatory in README and book.
import { join } from "node:path";
import { launch, serve } from "./tests/start.mjs";

const VIEW = "/live/linear-attention?with=gd&ladder=open&at=1130";
const file = join(import.meta.dirname, "../../../docs/book/src/pictures/observatory.png");

const { home, stop } = await serve("no-such-folder");
const browser = await launch();
try {
  const view = await browser.newPage({ viewport: { width: 1440, height: 860 }, colorScheme: "light" });
  await view.goto(home + VIEW);
  await view.waitForTimeout(4000);
  await view.screenshot({ path: file });
} finally {
  await browser.close();
  stop();
}
