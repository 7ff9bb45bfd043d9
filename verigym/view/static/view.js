// Loaded by every page. Each module does one thing and changes only text and attributes.
import "./keys.js";
import "./copy.js";
import "./theme.js";
import "./live.js";
