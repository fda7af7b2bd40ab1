// The page begins here.
import "uplot/dist/uPlot.min.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/charts.css";
import "./styles/live.css";
import "./styles/runs.css";
import "./styles/papers.css";
import { render } from "preact";
import { App } from "./shell/app";
import { followLinks } from "./shell/route";

const root = document.getElementById("page");
if (root) {
  root.replaceChildren();
  followLinks(root);
  render(<App />, root);
}
