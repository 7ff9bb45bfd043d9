// Live updates. A page with data-live listens to /events?of=CHANNEL. A message is JSON:
//   set    {ELEMENT: TEXT}    the text of an element, or the value of a progress bar
//   states {ELEMENT: STATE}   running, finished or interrupted
//   cells  {ELEMENT: KIND}    the outcome of a cell of a grid
//   note   TEXT               said once, and read aloud
//   stale  TEXT               something new that this page cannot show in place: it offers to load again
// Other modules read the rest by the event "verigym-live". Only text and attributes change. A hidden tab stops listening, because
// a browser has six connections to one server.
import { say } from "./say.js";

const AGAIN_MS = 20000;
const channel = document.body.dataset.live;
let source = null;
let timer = 0;

function setText(id, text) {
  const element = document.getElementById(id);
  if (!element) return;
  if (element instanceof HTMLProgressElement) element.value = Number(text);
  else if (element.textContent !== text) element.textContent = text;
}

function setState(id, state) {
  const element = document.getElementById(id);
  if (!element || element.textContent === state) return;
  element.className = `state ${state}`;
  element.textContent = state;
}

function setCell(id, kind) {
  const cell = document.getElementById(id);
  if (!cell || cell.dataset.kind === kind) return;
  const sign = document.querySelector(`[data-sign="${CSS.escape(kind)}"]`);
  if (sign) cell.replaceChildren(...[...sign.childNodes].map((node) => node.cloneNode(true)));
  cell.dataset.kind = kind;
}

function offer(words) {
  let bar = document.getElementById("stale");
  if (!bar) {
    bar = document.createElement("p");
    bar.id = "stale";
    const text = document.createElement("span");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "Load again";
    button.addEventListener("click", () => location.reload());
    bar.append(text, button);
    document.getElementById("main").prepend(bar);
  }
  bar.firstChild.textContent = words;
}

function receive(event) {
  const message = JSON.parse(event.data);
  for (const [id, text] of Object.entries(message.set || {})) setText(id, text);
  for (const [id, state] of Object.entries(message.states || {})) setState(id, state);
  for (const [id, kind] of Object.entries(message.cells || {})) setCell(id, kind);
  if (message.note) say(message.note);
  if (message.stale) offer(message.stale);
  document.dispatchEvent(new CustomEvent("verigym-live", { detail: message }));
}

function listen() {
  if (source || document.hidden) return;
  clearTimeout(timer);
  source = new EventSource(`/events?of=${encodeURIComponent(channel)}`);
  source.onmessage = receive;
  source.onopen = () => { document.body.dataset.connected = "yes"; };
  source.onerror = () => {
    document.body.dataset.connected = "no";
    if (source?.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    stop();
    timer = setTimeout(listen, AGAIN_MS);
  };
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
