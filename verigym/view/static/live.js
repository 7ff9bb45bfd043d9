// Live updates. A page with data-live listens to /events?of=CHANNEL. A message is JSON: {"set": {ID: TEXT}, "note": TEXT, ...}.
// Elements are found by id, and only their text, value or attributes change. A hidden tab stops listening, because a browser
// has six connections to one server.
import { say } from "./say.js";

const channel = document.body.dataset.live;
let source = null;

function receive(event) {
  const message = JSON.parse(event.data);
  for (const [id, text] of Object.entries(message.set || {})) {
    const element = document.getElementById(id);
    if (!element) continue;
    if (element instanceof HTMLProgressElement) element.value = Number(text);
    else if (element.textContent !== text) element.textContent = text;
  }
  for (const [id, kind] of Object.entries(message.cells || {})) {
    const cell = document.getElementById(id);
    if (cell) cell.dataset.kind = kind;
  }
  if (message.note) say(message.note);
  document.dispatchEvent(new CustomEvent("verigym-live", { detail: message }));
}

function listen() {
  if (source || document.hidden) return;
  source = new EventSource(`/events?of=${encodeURIComponent(channel)}`);
  source.onmessage = receive;
  source.onopen = () => { document.body.dataset.connected = "yes"; };
  source.onerror = () => { document.body.dataset.connected = "no"; };
}

function stop() {
  source?.close();
  source = null;
}

if (channel) {
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : listen()));
  addEventListener("pagehide", stop);
  addEventListener("pageshow", listen);
  listen();
}
