// Buttons that copy a text: data-copy holds it.
import { say } from "./say.js";

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied");
  } catch {
    say("The browser did not allow copying. Select the text instead");
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copy(button.dataset.copy);
  if (event.target.closest("#copy-link")) copy(location.href);
});
