// The overview of a run: every cell as a small square. Few tasks: a row of cells each, in columns of at most 250 tasks. Many tasks: one
// square each, shaded by the share that passed. A click opens the 200 tasks around it.
const canvas = document.querySelector("canvas[data-cells]");
const MANY = 5000;
const MOST_DOWN = 250;

function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return { 0: of("--line"), 1: of("--good"), 2: of("--bad-mark"), 3: of("--orange"), 4: "#f0e442", 5: of("--grey"), paper: of("--paper"), line: of("--ink") };
}

function shares(cells, attempts, tasks) {
  return Array.from({ length: tasks }, (_, task) => {
    let passed = 0;
    let scored = 0;
    for (let at = task * attempts; at < (task + 1) * attempts; at += 1) {
      const kind = cells[at] & 0x7f;
      if (kind && kind !== 5) { scored += 1; passed += kind === 1 ? 1 : 0; }
    }
    return scored ? passed / scored : -1;
  });
}

function draw(bytes) {
  const attempts = new DataView(bytes).getUint32(0, true);
  const cells = new Uint8Array(bytes, 4);
  const tasks = attempts ? cells.length / attempts : 0;
  if (!tasks) return;
  const paint = colours();
  const isMany = tasks > MANY;
  const side = isMany ? 3 : tasks * attempts > 2000 ? 5 : 11;
  const gap = isMany ? 0 : 1;
  const wide = isMany ? side : attempts * (side + gap) + 8;
  const most = Math.min(MOST_DOWN, Math.max(25, Math.ceil(Math.sqrt(tasks * attempts))));
  const across = isMany ? Math.max(1, Math.floor(Math.min(1200, canvas.parentElement.clientWidth) / side)) : Math.ceil(tasks / most);
  const down = isMany ? Math.ceil(tasks / across) : Math.min(tasks, most);
  canvas.width = across * wide;
  canvas.height = down * (side + gap);
  const context = canvas.getContext("2d");
  const at = (task) => (isMany ? [(task % across) * side, Math.floor(task / across) * side] : [Math.floor(task / down) * wide, (task % down) * (side + gap)]);
  const passed = isMany ? shares(cells, attempts, tasks) : [];
  for (let task = 0; task < tasks; task += 1) {
    const [x, y] = at(task);
    if (isMany) {
      context.fillStyle = passed[task] < 0 ? paint[5] : paint[2];
      context.globalAlpha = 1;
      context.fillRect(x, y, side, side);
      context.globalAlpha = Math.max(0, passed[task]);
      context.fillStyle = paint[1];
      context.fillRect(x, y, side, side);
    } else {
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        context.fillStyle = paint[cells[task * attempts + attempt] & 0x7f];
        context.fillRect(x + attempt * (side + gap), y, side, side);
      }
    }
    context.globalAlpha = 1;
    if (cells[task * attempts] & 0x80 && !isMany) {
      context.fillStyle = paint.line;
      context.fillRect(x + attempts * (side + gap), y, 3, 1);
    }
  }
  canvas.addEventListener("click", (event) => {
    const box = canvas.getBoundingClientRect();
    const x = (event.clientX - box.left) * (canvas.width / box.width);
    const y = (event.clientY - box.top) * (canvas.height / box.height);
    const task = isMany ? Math.floor(y / side) * across + Math.floor(x / side) : Math.floor(x / wide) * down + Math.floor(y / (side + gap));
    if (task >= tasks) return;
    location.href = `${canvas.dataset.grid}?page=${Math.floor(task / Number(canvas.dataset.perPage)) + 1}`;
  });
}

if (canvas) {
  const answer = await fetch(canvas.dataset.cells);
  if (answer.ok) draw(await answer.arrayBuffer());
}
