// Saves a picture as a file that stands alone: light, with the looks that the style sheet gives it,
// and with its legend. It leads nowhere; each mark still says its value when it is pointed at.
const SVG = "http://www.w3.org/2000/svg", DRAWN = "path, text, line, polyline, rect, circle";
const LOOKS = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];
const KEPT = ["d", "x", "y", "dy", "x1", "x2", "y1", "y2", "points", "transform", "viewBox", "width", "height", ...LOOKS];
const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

function made(name, attributes, words = "") {
  const one = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) { one.setAttribute(key, value); }
  one.textContent = words;
  return one;
}

// Programs other than browsers do not read mixed colours.
function plain(look) {
  if (!look.startsWith("color(")) { return look; }
  brush.fillStyle = look;
  brush.fillRect(0, 0, 1, 1);
  return `rgb(${brush.getImageData(0, 0, 1, 1).data.slice(0, 3).join(", ")})`;
}

function withLegend(picture, legend) {
  const below = picture.viewBox.baseVal.height, line = 18;
  legend.forEach((item, place) => {
    const row = made("g", { class: item.className, transform: `translate(20 ${below + line * (place + 0.5)})` });
    row.append(...item.querySelector("svg").cloneNode(true).children);
    row.append(made("text", { x: 22, y: 4, class: "name" }, item.textContent.trim()));
    picture.append(row);
  });
}

// On a page, words may reach beyond the picture; a file would cut them off.
function fit(picture) {
  const { width, height } = picture.viewBox.baseVal, box = picture.getBBox(), edge = 4;
  const left = Math.min(0, box.x - edge), top = Math.min(0, box.y - edge);
  const size = [Math.max(width, box.x + box.width + edge) - left, Math.max(height, box.y + box.height + edge) - top];
  picture.setAttribute("viewBox", [left, top, ...size].join(" "));
  ["width", "height"].forEach((name, place) => picture.setAttribute(name, size[place]));
  return { x: left, y: top };
}

function standingAlone(picture) {
  const corner = fit(picture);
  for (const one of picture.querySelectorAll(DRAWN)) {
    const looks = getComputedStyle(one);
    for (const look of LOOKS) { one.setAttribute(look, plain(looks.getPropertyValue(look))); }
  }
  for (const one of picture.querySelectorAll("a, .value")) {
    const group = made("g", {});
    group.append(made("title", {}, one.getAttribute("aria-label")), ...one.querySelectorAll(DRAWN));
    one.replaceWith(group);
  }
  picture.prepend(made("title", {}, picture.getAttribute("aria-label")), made("rect", { ...corner, width: "100%", height: "100%", fill: "#fff" }));
  for (const one of [picture, ...picture.querySelectorAll("*")]) {
    for (const { name } of [...one.attributes]) { if (!KEPT.includes(name)) { one.removeAttribute(name); } }
  }
  return new XMLSerializer().serializeToString(picture);
}

export function save(figure) {
  const shown = figure.querySelector("svg.chart"), picture = shown.cloneNode(true), frame = document.createElement("div");
  withLegend(picture, [...figure.querySelectorAll(".legend li")]);
  // It has its looks where it is drawn: behind the page, in the light scheme.
  Object.assign(frame.style, { colorScheme: "light", position: "fixed", visibility: "hidden" });
  frame.ariaHidden = "true";
  frame.append(picture);
  document.body.append(frame);
  const link = document.createElement("a"), name = shown.getAttribute("aria-label");
  link.href = URL.createObjectURL(new Blob([standingAlone(picture)], { type: "image/svg+xml" }));
  frame.remove();
  link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").toLowerCase()}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
