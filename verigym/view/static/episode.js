// The page of an episode: folds all reasoning, and walks the marks.
import { say } from "./say.js";

for (const button of document.querySelectorAll("[data-fold]")) {
  button.addEventListener("click", () => {
    const all = [...document.querySelectorAll(`details.${button.dataset.fold}`)];
    const isOpen = all.some((one) => !one.open);
    for (const one of all) one.open = isOpen;
    if (!all.length) say("This conversation has no reasoning");
  });
}

let at = -1;

function step(by) {
  const marks = [...document.querySelectorAll("[data-mark]")];
  if (!marks.length) return say("This conversation has no marks");
  at = (at + by + marks.length) % marks.length;
  marks[at].focus({ preventScroll: true });
  marks[at].scrollIntoView({ block: "center" });
}

for (const button of document.querySelectorAll("[data-mark-step]")) {
  button.addEventListener("click", () => step(Number(button.dataset.markStep)));
}
