// One line at the foot of the window, read aloud by screen readers.
let timer = 0;

export function say(words) {
  const line = document.getElementById("status");
  if (!line) return;
  line.textContent = words;
  clearTimeout(timer);
  timer = setTimeout(() => { line.textContent = ""; }, 3000);
}
