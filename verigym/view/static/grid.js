// The grid of a run. Arrow keys walk the cells, f goes to the next failed cell, F to the next task with mixed results.
const table = document.querySelector("[data-grid]");

function place(cell) {
  const row = cell.closest("tr");
  return [row, [...row.querySelectorAll("a.cell")].indexOf(cell)];
}

function rows() {
  return [...table.querySelectorAll("tr")].filter((row) => row.querySelector("a.cell"));
}

function step(cell, key) {
  const [row, column] = place(cell);
  const all = rows();
  const cells = [...row.querySelectorAll("a.cell")];
  if (key === "ArrowLeft") return cells[column - 1];
  if (key === "ArrowRight") return cells[column + 1];
  const next = all[all.indexOf(row) + (key === "ArrowDown" ? 1 : -1)];
  if (!next) return null;
  const others = [...next.querySelectorAll("a.cell")];
  return others[Math.min(column, others.length - 1)];
}

function go(cell) {
  cell?.focus({ preventScroll: true });
  cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function isMixed(row) {
  const kinds = [...row.querySelectorAll("a.cell")].map((cell) => cell.dataset.kind === "passed");
  return kinds.includes(true) && kinds.includes(false);
}

function nextOf(kind) {
  const all = [...table.querySelectorAll("a.cell")];
  const from = all.indexOf(document.activeElement) + 1;
  const fits = (cell) => (kind === "failed"
    ? ["failed", "partial", "unsafe"].includes(cell.dataset.kind)
    : isMixed(cell.closest("tr")) && cell.closest("tr").querySelector("a.cell") === cell);
  return all.slice(from).find(fits) || all.find(fits);
}

if (table) {
  table.addEventListener("keydown", (event) => {
    if (!event.key.startsWith("Arrow") || !event.target.matches("a.cell")) return;
    const next = step(event.target, event.key);
    if (next) { event.preventDefault(); go(next); }
  });
  for (const button of document.querySelectorAll("[data-grid-next]")) {
    button.addEventListener("click", () => go(nextOf(button.dataset.gridNext)));
  }
}
