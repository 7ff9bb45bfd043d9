// Curves of a training run: one chart for each panel, with a cursor and a zoom that all of them share. Replaces the pictures that
// the page came with. The numbers come from /training-data, grouped into columns.
/* global uPlot */

const COLUMNS = 400;
const MOST_APPENDED = 400;
const AROUND = 12;
const HEIGHT = 190;
const section = document.getElementById("curves");
const first = Number(section?.dataset.first);
const shown = { from: Number(section?.dataset.from), to: Number(section?.dataset.to) };
let last = Number(section?.dataset.last);
let follows = shown.to === last;
let appended = 0;
let panels = [];
let charts = [];
let request = 0;
let alarmAt = -1;
let timer = 0;

const byId = (id) => document.getElementById(id);
const number = (value) => (value == null ? "" : Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3))));

function medians(values) {
  return values.map((value, at) => {
    if (value == null) return null;
    const around = values.slice(Math.max(0, at - 2), at + 3).filter((one) => one != null).sort((a, b) => a - b);
    return around[Math.floor(around.length / 2)];
  });
}

// The curves of a panel on one list of steps, as uPlot wants them.
function aligned(panel, colours) {
  const curves = [...(panel.left || []).map((one) => [one, "y"]), ...(panel.right || []).map((one) => [one, "right"])];
  const steps = [...new Set(curves.flatMap(([one]) => one.steps || []))].sort((a, b) => a - b);
  const place = new Map(steps.map((step, at) => [step, at]));
  const spread = (curve, values) => {
    const row = new Array(steps.length).fill(null);
    (curve.steps || []).forEach((step, at) => { row[place.get(step)] = values[at] ?? null; });
    return row;
  };
  const data = [steps];
  const series = [{}];
  const bands = [];
  const legend = [];
  const withMedian = byId("median")?.checked;
  curves.forEach(([curve, scale], index) => {
    const colour = colours[index % colours.length];
    const base = { scale, spanGaps: true, points: { show: steps.length <= 60, size: 4, stroke: colour, fill: colour } };
    const values = spread(curve, curve.mean || []);
    if (curve.low?.length) {
      data.push(spread(curve, curve.high), spread(curve, curve.low));
      series.push({ scale, spanGaps: true, points: { show: false } }, { scale, spanGaps: true, points: { show: false } });
      bands.push({ series: [series.length - 2, series.length - 1], fill: `${colour}2e` });
    }
    data.push(values);
    series.push({ ...base, stroke: colour, width: withMedian ? 1 : 2, alpha: withMedian ? 0.45 : 1, dash: scale === "right" ? [6, 4] : undefined });
    legend.push({ label: curve.label || curve.name, colour, values, dashed: scale === "right" });
    if (withMedian) {
      data.push(medians(values));
      series.push({ ...base, points: { show: false }, stroke: colour, width: 2.5 });
    }
  });
  return { data, series, bands, legend };
}

function colours(element) {
  const style = getComputedStyle(element);
  const of = (name) => style.getPropertyValue(`--vg-${name}`).trim();
  return { series: [0, 1, 2, 3, 4, 5, 6, 7].map(of), text: of("text"), grid: of("grid"), alarm: of("unsafe") };
}

function drawMarks(plot, marks, colour) {
  const { ctx, bbox } = plot;
  ctx.save();
  for (const mark of marks || []) {
    const x = Math.round(plot.valToPos(mark.step, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    const size = 6 * devicePixelRatio;
    ctx.strokeStyle = colour.text;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top + size);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillStyle = colour.alarm;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top - size);
    ctx.lineTo(x + size, bbox.top + size * 0.8);
    ctx.lineTo(x - size, bbox.top + size * 0.8);
    ctx.closePath();
    ctx.fill();
    ctx.stroke();
  }
  ctx.restore();
}

function swatch(entry) {
  const { namespaceURI } = document.querySelector("svg"); // the one of the brand
  const svg = document.createElementNS(namespaceURI, "svg");
  svg.setAttribute("width", "16");
  svg.setAttribute("height", "8");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(namespaceURI, "path");
  line.setAttribute("d", "M0 4H16");
  line.setAttribute("stroke", entry.colour);
  line.setAttribute("stroke-width", "3");
  if (entry.dashed) line.setAttribute("stroke-dasharray", "5 3");
  svg.append(line);
  return svg;
}

function makeLegend(entries) {
  const list = document.createElement("ul");
  list.className = "legend";
  for (const entry of entries) {
    const item = document.createElement("li");
    entry.value = document.createElement("b");
    item.append(swatch(entry), entry.label, " ", entry.value);
    list.append(item);
  }
  return list;
}

// The value at the cursor, or the last one. A curve that is measured at some steps only shows its last value before the cursor.
function showValues(entries, index) {
  for (const entry of entries) {
    let at = index ?? entry.values.length - 1;
    while (at >= 0 && entry.values[at] == null) at -= 1;
    entry.value.textContent = at < 0 ? "" : number(entry.values[at]);
  }
}

function makeChart(panel, figure) {
  const box = figure.querySelector(".plot");
  const words = box.querySelector("svg title")?.textContent || box.querySelector(".canvas")?.getAttribute("aria-label") || panel.title;
  const holder = document.createElement("div");
  holder.className = "vg canvas";
  holder.setAttribute("role", "img");
  holder.setAttribute("aria-label", words);
  box.replaceChildren(holder);
  const colour = colours(holder);
  const { data, series, bands, legend } = aligned(panel, colour.series);
  const axis = { stroke: colour.text, grid: { stroke: colour.grid, width: 1 }, ticks: { stroke: colour.grid, width: 1 }, font: "11px system-ui" };
  const sides = (scale) => ({ ...axis, scale, size: 52, values: (_, ticks) => ticks.map(number) });
  const axes = [{ ...axis, size: 30, space: 60, values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? tick.toLocaleString("en") : "")) }];
  if (panel.left?.length) axes.push(sides("y"));
  if (panel.right?.length) axes.push({ ...sides("right"), side: 1, grid: { show: !panel.left?.length } });
  const plot = new uPlot({
    width: Math.max(200, box.clientWidth), height: HEIGHT, legend: { show: false }, series, bands, axes, padding: [12, 8, 0, 0],
    scales: { x: { time: false, range: () => (shown.from < shown.to ? [shown.from, shown.to] : [shown.from - 1, shown.to + 1]) } },
    cursor: { sync: { key: "training", scales: ["x", null] }, drag: { x: true, y: false, setScale: false } },
    hooks: {
      draw: [(one) => drawMarks(one, panel.marks, colour)],
      setCursor: [(one) => showValues(legend, one.cursor.idx)],
      setSelect: [(one) => {
        if (one.select.width < 4) return;
        const [from, to] = [one.select.left, one.select.left + one.select.width].map((at) => Math.round(one.posToVal(at, "x")));
        one.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        zoom(from, to);
      }],
    },
  }, data, holder);
  box.append(makeLegend(legend));
  showValues(legend, null);
  watchPress(plot);
  return plot;
}

// A press on a step opens its groups. A drag is a zoom.
function watchPress(plot) {
  if (!section.dataset.steps) return;
  let down = null;
  plot.over.addEventListener("mousedown", (event) => { down = event.clientX; });
  plot.over.addEventListener("click", (event) => {
    if (down === null || Math.abs(event.clientX - down) > 3 || plot.cursor.idx == null) return;
    location.href = `${section.dataset.steps}?step=${plot.data[0][plot.cursor.idx]}#step`;
  });
}

function draw() {
  for (const chart of charts) chart.destroy();
  charts = [];
  for (const panel of panels) {
    const figure = section.querySelector(`[data-panel="${CSS.escape(panel.id)}"]`);
    if (figure) charts.push(makeChart(panel, figure));
  }
}

async function load() {
  const mine = ++request;
  const join = section.dataset.source.includes("?") ? "&" : "?";
  const answer = await fetch(`${section.dataset.source}${join}format=json&columns=${COLUMNS}&from=${shown.from}&to=${shown.to}`);
  if (!answer.ok || mine !== request) return;
  const data = await answer.json();
  if (mine !== request) return;
  ({ panels } = data);
  last = Math.max(last, data.last);
  if (follows) shown.to = last;
  appended = 0;
  draw();
}

function zoom(from, to) {
  const wide = Math.max(2, Math.round(to - from));
  shown.from = Math.min(Math.max(first, Math.round(from)), Math.max(first, last - wide));
  shown.to = Math.min(last, shown.from + wide);
  follows = shown.to === last;
  const isAll = shown.from === first && follows;
  byId("curves-range").textContent = `Steps ${shown.from.toLocaleString("en")} to ${shown.to.toLocaleString("en")}` + (isAll ? "" : ` of ${last.toLocaleString("en")}`);
  byId("all-steps")?.remove();
  const address = new URL(location.href);
  for (const [name, value] of [["from", shown.from], ["to", shown.to]]) {
    if (isAll) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  history.replaceState(null, "", address);
  return load();
}

function scale(by) {
  const middle = (shown.from + shown.to) / 2;
  const half = ((shown.to - shown.from) / 2) * by;
  return zoom(middle - half, middle + half);
}

function showAlarm(link) {
  const step = Number(link.dataset.alarm);
  byId("curves").scrollIntoView({ block: "start" });
  return zoom(step - AROUND, step + AROUND);
}

// New steps while the run is being made. Older ones are replaced if a resumed run repeats them.
function append({ step, metrics }) {
  const values = { ...metrics };
  if (metrics.seen && metrics.seconds) values.tokens_per_s = metrics.seen / metrics.seconds;
  const known = new Set();
  for (const curve of panels.flatMap((panel) => [...(panel.left || []), ...(panel.right || [])])) {
    known.add(curve.name);
    if (curve.run || !(curve.name in values)) continue;
    const at = curve.steps.indexOf(step);
    const where = at < 0 ? curve.steps.length : at;
    if (at < 0 && curve.steps.length && curve.steps[where - 1] > step) continue;
    curve.steps[where] = step;
    for (const name of ["mean", "low", "high"]) if (curve[name]?.length) curve[name][where] = values[curve.name];
    if (!curve.mean?.length) curve.mean = [values[curve.name]];
  }
  appended += 1;
  const isNew = Object.keys(metrics).some((name) => !known.has(name) && !["seen", "tokens", "cost"].includes(name));
  return appended > MOST_APPENDED || (isNew && appended === 1);
}

function receive(event) {
  const message = event.detail;
  let again = Boolean(message.behind || message.alarm) || Number(message.last) > last;
  if (message.metrics) again = append(message) || again;
  const newest = Math.max(last, Number(message.step) || 0, Number(message.last) || 0);
  if (follows) shown.to = newest;
  if (!again && !message.metrics) return;
  last = newest;
  clearTimeout(timer);
  timer = setTimeout(() => {
    byId("curves-range").textContent = `Steps ${shown.from.toLocaleString("en")} to ${shown.to.toLocaleString("en")}`;
    if (again) load();
    else draw();
  }, 250);
}

function start() {
  byId("curves-tools").hidden = false;
  byId("all-steps")?.remove();
  byId("zoom-in").addEventListener("click", () => scale(0.5));
  byId("zoom-out").addEventListener("click", () => scale(2));
  byId("zoom-all").addEventListener("click", () => zoom(first, last));
  byId("median").addEventListener("change", draw);
  const links = [...document.querySelectorAll("[data-alarm]")];
  for (const link of links) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      showAlarm(link);
    });
  }
  byId("next-alarm")?.addEventListener("click", () => {
    alarmAt = (alarmAt + 1) % links.length;
    showAlarm(links[alarmAt]);
  });
  document.addEventListener("verigym-live", receive);
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let width = section.clientWidth;
  new ResizeObserver(() => {
    if (section.clientWidth === width) return;
    width = section.clientWidth;
    clearTimeout(timer);
    timer = setTimeout(draw, 150);
  }).observe(section);
  load();
}

if (section && typeof uPlot !== "undefined") start();
