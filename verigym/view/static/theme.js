// Light and dark. A cookie keeps the choice, so the server sends the next page in it.
const dark = matchMedia("(prefers-color-scheme: dark)");

document.getElementById("theme")?.addEventListener("click", () => {
  const root = document.documentElement;
  const now = root.dataset.theme || (dark.matches ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
  document.cookie = `theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=lax`;
});
