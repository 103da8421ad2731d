// The editor of a scheme: its buttons change the form without loading the page. The server says how.
"use strict";

const form = document.getElementById("scheme-form");
const happened = document.getElementById("happened");
let waiting = Promise.resolve();
let typedMeanwhile = new Map();
let isUnsaved = Boolean(form.elements.checked);

async function change(act, more = []) {
  typedMeanwhile = new Map();
  const data = new URLSearchParams([...new FormData(form), ...more, ["act", act]]);
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

function press(act, more) { waiting = waiting.then(() => change(act, more)); }

// The question to which an option's label belongs.
function questionOf(field) { return /^id_(q\d+)-o\d+-label$/.exec(field.id)?.[1]; }

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
  const question = event.key === "Enter" && !event.isComposing && questionOf(event.target);
  if (!question) { return; }
  event.preventDefault();
  press(`${question}:add`);
});
// Each line that is pasted into an option becomes one.
form.addEventListener("paste", (event) => {
  const question = questionOf(event.target);
  const lines = event.clipboardData.getData("text").split("\n").map((line) => line.trim()).filter(Boolean);
  if (!question || lines.length < 2) { return; }
  event.preventDefault();
  event.target.value = lines.shift();
  const labels = form.querySelectorAll(`[id^="id_${question}-o"][id$="-label"]`);
  const first = 1 + Math.max(...[...labels].map((label) => Number(label.name.split(/\D+/)[2])));
  press(`${question}:paste`, lines.map((line, n) => [`${question}-o${first + n}-label`, line]));
});
window.addEventListener("beforeunload", (event) => { if (isUnsaved) { event.preventDefault(); } });
