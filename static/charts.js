// Pictures whose marks say their values when pointed at or reached by keys.
"use strict";

const note = document.createElement("div");
note.className = "chart-note";
note.role = "tooltip";
note.hidden = true;
note.ariaHidden = "true";
document.body.append(note);

const MARKS = "svg.chart :is(a, .value)";

function tell(mark) {
  const place = mark.getBoundingClientRect();
  note.textContent = mark.getAttribute("aria-label");
  note.hidden = false;
  const half = note.offsetWidth / 2, edge = document.documentElement.clientWidth - half - 4;
  note.style.left = `${Math.max(half + 4, Math.min(edge, place.x + place.width / 2)) + scrollX}px`;
  const above = place.y - note.offsetHeight - 8;
  note.style.top = `${(above > 0 ? above : place.bottom + 8) + scrollY}px`;
}

for (const kind of ["pointerover", "focusin"]) {
  document.addEventListener(kind, (event) => {
    const mark = event.target.closest(MARKS);
    if (mark) { tell(mark); } else { note.hidden = true; }
  });
}
document.addEventListener("focusout", () => { note.hidden = true; });

// A picture is one stop of the tab key; arrows go to the nearest mark their way.
const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const centre = (mark) => {
  const { x, y, width, height } = mark.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
};

function nearest(from, marks, [right, down]) {
  const [x, y] = centre(from);
  let best, least = Infinity;
  for (const mark of marks) {
    const [dx, dy] = [centre(mark)[0] - x, centre(mark)[1] - y];
    const along = dx * right + dy * down, aside = Math.abs(dx * down) + Math.abs(dy * right);
    if (mark !== from && along > 0.5 && along + 3 * aside < least) {
      [best, least] = [mark, along + 3 * aside];
    }
  }
  return best;
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { note.hidden = true; }
  const mark = event.target.closest(MARKS), way = WAYS[event.key];
  if (!mark || !way) { return; }
  event.preventDefault();
  const next = nearest(mark, mark.closest("svg").querySelectorAll("a, .value"), way);
  if (!next) { return; }
  mark.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});

function prepare(root) {
  for (const chart of root.querySelectorAll("svg.chart")) {
    chart.querySelectorAll("a, .value").forEach((mark, number) => {
      mark.tabIndex = number ? -1 : 0;
      // The browser's own would lie over the note.
      mark.querySelector("title")?.remove();
    });
  }
}
prepare(document);
document.addEventListener("htmx:load", (event) => prepare(event.target));

// What saves a picture is loaded on demand.
document.addEventListener("click", async ({ target }) => {
  const { save } = target.dataset;
  if (save) { (await import(save)).save(target.closest("figure")); }
});

// What somebody unfolded stays open when a page shows another choice.
let unfolded = [];
document.addEventListener("htmx:beforeSwap", () => {
  unfolded = [...document.querySelectorAll("details[open] > [id]")].map((part) => part.id);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const id of unfolded) { document.getElementById(id)?.closest("details")?.setAttribute("open", ""); }
});
