// Loaded by every page. Each module does one thing and changes only text and attributes.
import "./keys.js";
import "./copy.js";
import "./theme.js";
import "./live.js";

// In a narrow window the navigation is a line that scrolls.
document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
