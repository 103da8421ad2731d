// Comforts only. The first picture of a page waits for this file, so that nothing moves afterwards.
"use strict";

// Moments in the reader's time zone. Intl would take 20 to 40 ms to begin, and the page waits.
function inZone(at, withYear = true) {
  const [, month, day, year] = at.toDateString().split(" ");
  return `${+day} ${month}${withYear ? ` ${year}` : ""}, ${at.toTimeString().slice(0, 5)}`;
}

// The zone of now, as in UTC+5:30.
function zoneName() {
  const minutes = -new Date().getTimezoneOffset(), size = Math.abs(minutes);
  const rest = size % 60 ? `:${size % 60}` : "";
  return minutes ? `UTC${minutes > 0 ? "+" : "−"}${Math.floor(size / 60)}${rest}` : "UTC";
}

function localise(root) {
  const times = root.querySelectorAll("time[datetime]");
  for (const time of times) { time.textContent = inZone(new Date(time.dateTime)); }
  if (times.length) { document.querySelector(".zone").textContent = `Times are in ${zoneName()}.`; }
  for (const label of root.querySelectorAll(".chart text[data-moment]")) {
    label.textContent = inZone(new Date(label.dataset.moment), false);
    const chart = label.closest(".chart");
    for (const axis of chart.querySelectorAll("text.axis")) { axis.textContent = axis.textContent.replace("(UTC)", `(${zoneName()})`); }
    for (const mark of chart.querySelectorAll("[aria-label*=' UTC']")) {
      const said = mark.getAttribute("aria-label").replace(/(\d+ \w+ \d+), (\d\d:\d\d) UTC/g, (_, day, time) => inZone(new Date(`${day} ${time} UTC`)));
      mark.setAttribute("aria-label", said);
      mark.querySelector("title").textContent = said;
    }
  }
}

// A button that copies the code beside it.
for (const place of document.querySelectorAll(".copy")) {
  place.insertAdjacentHTML("beforeend", '<button type="button">Copy</button>');
  const button = place.lastChild;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(place.querySelector("pre").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}

// On a phone a table becomes a card for each row. Roles stay, which the display would take away.
function asCards(root) {
  for (const table of root.querySelectorAll(".table-frame > table:not(.heat, .paper, .as-cards, .as-table)")) {
    const heads = [...table.querySelectorAll("thead th")];
    const isPlain = table.tHead?.rows.length === 1 && heads.length > 2 && !table.querySelector("[colspan], [rowspan]");
    if (!isPlain) { continue; }
    table.classList.add("as-cards");
    table.role = "table";
    for (const part of [table.tHead, ...table.tBodies]) { part.role = "rowgroup"; }
    heads.forEach((head) => { head.role = "columnheader"; });
    for (const row of table.rows) {
      row.role = "row";
      if (row.parentElement === table.tHead) { continue; }
      [...row.cells].forEach((cell, place) => {
        cell.role = cell.tagName === "TH" ? "rowheader" : "cell";
        cell.dataset.label = heads[place]?.textContent.trim() ?? "";
      });
    }
  }
}

// Both again for what a page loads later.
function finish(root) { localise(root); asCards(root); }
finish(document);
document.addEventListener("htmx:load", (event) => finish(event.target));

// A page that comes anew would close the menu or the dialog that somebody has open, and lose what
// they typed: it comes later. A part that leads elsewhere, as to the sign-in, is not part.
function isChanged(field) {
  if (field.type === "hidden") { return false; }
  if (field.type === "checkbox" || field.type === "radio") { return field.checked !== field.defaultChecked; }
  if (field.type !== "select-one") { return field.value !== field.defaultValue; }
  const chosen = [...field.options].findIndex((option) => option.defaultSelected);
  return field.selectedIndex !== Math.max(chosen, 0);
}
function isInUse() {
  const fields = document.querySelectorAll("main input, main select, main textarea");
  return document.querySelector(":popover-open, dialog[open]") || [...fields].some(isChanged);
}
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const { xhr, requestConfig } = event.detail;
  const isRefresh = xhr.getResponseHeader("HX-Refresh") === "true";
  const isElsewhere = new URL(xhr.responseURL).pathname !== new URL(requestConfig.path, location).pathname;
  if (isElsewhere || (isRefresh && isInUse())) { event.preventDefault(); }
});

// What cannot be undone and asks for nothing else is asked about once, in a dialog of the browser.
const asking = document.createElement("dialog");
asking.className = "asking";
asking.setAttribute("aria-labelledby", "asked");
asking.innerHTML = '<form method="dialog"><p id="asked"></p><div class="buttons"><button value="yes" class="main"></button><button value="" autofocus>Keep it</button></div></form>';
document.addEventListener("submit", (event) => {
  const form = event.target, button = event.submitter;
  if (!form.dataset.confirm || form.dataset.agreed) { return; }
  event.preventDefault();
  if (!asking.isConnected) { document.body.append(asking); }
  asking.returnValue = "";
  asking.querySelector("p").textContent = form.dataset.confirm;
  asking.querySelector("button").textContent = button?.textContent ?? "Go on";
  asking.addEventListener("close", () => {
    if (asking.returnValue !== "yes") { return; }
    form.dataset.agreed = "yes";
    form.requestSubmit(button);
  }, { once: true });
  asking.showModal();
});

// What was done is said in a corner until somebody has read it.
for (const toast of document.querySelectorAll(".toast")) {
  toast.insertAdjacentHTML("beforeend", '<button type="button" aria-label="Close">×</button>');
  // The address leads further down: the page is not shown from its beginning.
  toast.classList.toggle("in-sight", Boolean(location.hash));
  toast.lastChild.addEventListener("click", () => toast.remove());
}
