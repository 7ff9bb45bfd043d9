// Keys. An element with data-key="c" is pressed by c, data-key="g r" by g and then r. Every key is also a visible link or
// button. Rows (data-row) are walked with j and k and opened with Enter or o. Keys do nothing in a field or with a modifier.
const WAIT_MS = 1200;
let before = "";
let timer = 0;

function words(element) {
  return element.dataset.says || element.getAttribute("aria-label") || element.textContent.trim();
}

function find(key) {
  return [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key || one.dataset.key.split(",").includes(key));
}

function press(element) {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) element.focus();
  else element.click();
}

function rows() {
  return [...document.querySelectorAll("[data-row]")].filter((row) => row.getClientRects().length);
}

function walk(by) {
  const all = rows();
  if (!all.length) return;
  const now = all.findIndex((row) => row.classList.contains("here"));
  const next = now < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(now + by, 0), all.length - 1);
  all[now]?.classList.remove("here");
  all[next].classList.add("here");
  all[next].scrollIntoView({ block: "nearest" });
  const target = all[next].matches("a,button,[tabindex]") ? all[next] : all[next].querySelector("a,button,[tabindex]");
  target?.focus({ preventScroll: true });
}

function open(inNewTab) {
  const row = document.querySelector("[data-row].here");
  const link = row && (row.matches("a") ? row : row.querySelector("a"));
  if (!link) return false;
  if (inNewTab) window.open(link.href, "_blank", "noopener");
  else link.click();
  return true;
}

function fold(isOpen) {
  for (const one of document.querySelectorAll("main details")) one.open = isOpen;
}

function showKeys() {
  let dialog = document.getElementById("keys");
  if (!dialog) {
    dialog = document.createElement("dialog");
    dialog.id = "keys";
    dialog.setAttribute("aria-label", "Keys");
    const heading = document.createElement("h2");
    heading.textContent = "Keys";
    const list = document.createElement("dl");
    const fixed = [["j", "Next row"], ["k", "Previous row"], ["Enter", "Open the row"], ["o", "Open the row in a new tab"],
      ["z", "Unfold all"], ["Z", "Fold all"], ["Esc", "Close"]];
    const ofPage = [...document.querySelectorAll("[data-key]")].map((one) => [one.dataset.key === "," ? "," : one.dataset.key.replaceAll(",", " or "), words(one)]);
    for (const [key, says] of [...ofPage, ...fixed]) {
      const term = document.createElement("dt");
      const kbd = document.createElement("kbd");
      kbd.textContent = key;
      term.append(kbd);
      const meaning = document.createElement("dd");
      meaning.textContent = says;
      list.append(term, meaning);
    }
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    close.addEventListener("click", () => dialog.close());
    dialog.append(heading, list, close);
    document.body.append(dialog);
  }
  dialog.showModal();
}

function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input,textarea,select"));
}

document.getElementById("show-keys")?.addEventListener("click", showKeys);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && isTyping(event.target)) return event.target.blur();
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const key = before ? `${before} ${event.key}` : event.key;
  before = "";
  clearTimeout(timer);
  const found = find(key);
  if (found) {
    event.preventDefault();
    return press(found);
  }
  if (key === "g") {
    before = "g";
    timer = setTimeout(() => { before = ""; }, WAIT_MS);
  } else if (key === "j") walk(1);
  else if (key === "k") walk(-1);
  else if (key === "o") open(true);
  else if (key === "z") fold(true);
  else if (key === "Z") fold(false);
  else if (key === "Enter" && event.target === document.body) { if (open(false)) event.preventDefault(); }
});
