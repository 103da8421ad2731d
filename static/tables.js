// Long lists: the columns that somebody wants to see, kept in this browser, and one box for all rows.
"use strict";

function checkbox(label, change) {
  const box = document.createElement("input");
  box.type = "checkbox";
  box.ariaLabel = label;
  box.addEventListener("change", change);
  return box;
}

// The first column stays: it says what a row is.
function chooseColumns(root) {
  const table = root.querySelector("table[data-columns]"), tools = root.querySelector(".table-tools");
  if (!table || !tools || tools.querySelector(".columns-menu")) { return; }
  const key = `columns of ${table.dataset.columns}`, button = document.createElement("button");
  const names = [...table.tHead.rows[0].cells].map((head) => head.textContent.replace(/[↑↓]/g, "").trim());
  let gone = [];
  try { gone = JSON.parse(localStorage.getItem(key)) ?? []; } catch { /* all are shown */ }
  const show = () => names.forEach((name, place) => {
    for (const row of table.rows) { row.cells[place].hidden = gone.includes(name); }
  });
  const menu = document.createElement("div");
  menu.className = "menu columns-menu";
  menu.popover = "auto";
  for (const name of names.slice(1)) {
    const label = document.createElement("label"), box = checkbox(name, () => {
      gone = gone.filter((one) => one !== name).concat(box.checked ? [] : name);
      try { localStorage.setItem(key, JSON.stringify(gone)); } catch { /* until the next page */ }
      show();
    });
    box.checked = !gone.includes(name);
    label.className = "check";
    label.append(box, name);
    menu.append(label);
  }
  button.type = "button";
  button.textContent = "Columns";
  button.popoverTargetElement = menu;
  tools.append(button, menu);
  show();
}
chooseColumns(document);
document.addEventListener("htmx:load", (event) => chooseColumns(event.target));

function chooseAll() {
  for (const form of document.querySelectorAll("form.chosen")) {
    const boxes = [...form.elements].filter((one) => one.type === "checkbox");
    const head = boxes[0]?.closest("table").tHead.rows[0].lastElementChild;
    if (!head || head.querySelector("input")) { continue; }
    head.append(" ", checkbox("Choose all", ({ target }) => {
      for (const box of boxes) { box.checked = target.checked; }
    }));
  }
}
chooseAll();
document.addEventListener("htmx:load", chooseAll);
