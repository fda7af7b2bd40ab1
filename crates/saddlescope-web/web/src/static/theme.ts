// Sets the chosen theme before the first paint; without a choice the machine's own preference holds.
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen;
} catch {
  // Storage may be forbidden; then the machine's preference holds.
}
