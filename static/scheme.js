// The editor of a scheme: its buttons change the form without loading the page. The server says how.
"use strict";

const form = document.getElementById("scheme-form");
const happened = document.getElementById("happened");
let waiting = Promise.resolve();
let typedMeanwhile = new Map();
let isUnsaved = Boolean(form.elements.checked);

async function change(act) {
  typedMeanwhile = new Map();
  const data = new URLSearchParams(new FormData(form));
  data.set("act", act);
  const answer = await fetch(form.action, { method: "POST", body: data }).catch(() => null);
  const page = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
  const after = page && page.getElementById("editor");
  if (!after) {
    happened.textContent = "The server did not answer. What you typed is still here: try again, or sign in again in another tab.";
    return;
  }
  for (const details of document.querySelectorAll("#editor details[open]")) {
    after.querySelector(`#${details.id}`)?.setAttribute("open", "");
  }
  const next = after.querySelector("[autofocus]");
  const focus = next?.id || document.activeElement.id;
  next?.removeAttribute("autofocus"); // is for pages that are loaded
  document.getElementById("editor").replaceWith(after);
  for (const [id, { value, checked }] of typedMeanwhile) {
    const field = document.getElementById(id);
    if (field) { Object.assign(field, field.type === "checkbox" ? { checked } : { value }); }
  }
  document.getElementById(focus)?.focus();
  happened.textContent = page.getElementById("happened").textContent;
  isUnsaved = true;
}

function press(act) { waiting = waiting.then(() => change(act)); }

form.addEventListener("submit", (event) => {
  if (event.submitter?.name === "act") {
    event.preventDefault();
    press(event.submitter.value);
  } else if (event.submitter?.name === "save") { isUnsaved = false; }
});
form.addEventListener("change", (event) => {
  if ("refresh" in event.target.dataset) { press(":"); }
});
form.addEventListener("input", ({ target }) => {
  isUnsaved = true;
  typedMeanwhile.set(target.id, target);
});
// Enter in an option goes on to a new one.
form.addEventListener("keydown", (event) => {
  const option = event.key === "Enter" && !event.isComposing && /^id_(q\d+)-o\d+-label$/.exec(event.target.id);
  if (!option) { return; }
  event.preventDefault();
  press(`${option[1]}:add`);
});
window.addEventListener("beforeunload", (event) => { if (isUnsaved) { event.preventDefault(); } });
