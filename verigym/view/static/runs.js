// The list of runs: x chooses the row that j and k walk, first as A, then as B. The form works without this.
import { say } from "./say.js";

let side = "a";

document.getElementById("pick-row")?.addEventListener("click", () => {
  const row = document.querySelector("tr.here");
  const radio = row?.querySelector(`input[name="${side}"]`);
  if (!radio) return say(row ? "Only evaluations and rollouts can be compared" : "Walk to a row with j and k first");
  radio.checked = true;
  say(side === "a" ? "Chosen as A. Choose B with x" : "Chosen as B. Compare with c");
  side = side === "a" ? "b" : "a";
});
