// Uploads in two steps: files are recognized and shown for changes, then sent with progress.
// Without this script the form is sent as it is.
"use strict";

for (const form of document.querySelectorAll("form.upload")) {
  const input = form.querySelector("input[type=file]");
  const place = form.querySelector(".drop");
  const list = form.querySelector(".uploads");
  let chosen = [];
  input.required = false; // what is dropped is in no field

  for (const name of ["dragover", "dragleave", "drop"]) {
    place.addEventListener(name, (event) => {
      event.preventDefault();
      place.classList.toggle("over", name === "dragover");
      if (name !== "drop") { return; }
      const dropped = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
      Promise.all(dropped.filter(Boolean).map(filesOf)).then((found) => look(found.flat()));
    });
  }
  input.addEventListener("change", () => look([...input.files]));
  list.addEventListener("change", (event) => {
    const row = event.target.closest("tr");
    if (event.target.name === "kind") { row.querySelector("[name=name]").hidden = event.target.value !== "run"; }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    store();
  });

  look([...input.files]); // somebody chose before this script was there

  // Files chosen later come below.
  async function look(files) {
    if (!files.length) { return; }
    const before = [...list.querySelectorAll("tbody tr")];
    if (!before.length) { chosen = []; list.textContent = "The files are being looked at …"; }
    const data = new FormData(form);
    data.delete("file");
    for (const file of files) { data.append("file", headOf(file, form.dataset), file.name); }
    const answer = await fetch(form.dataset.look, { method: "POST", body: data }).catch(() => null);
    input.value = "";
    if (answer?.ok) {
      list.innerHTML = await answer.text();
      list.querySelector("tbody").prepend(...before);
      chosen.push(...files);
      const button = list.querySelector("button");
      if (before.length) { button.textContent = `Store ${chosen.length} files`; }
    } else {
      list.textContent = answer ? `The files were refused (${answer.status}). Load the page again.` : NOT_ARRIVED;
    }
  }

  async function store() {
    const rows = [...list.querySelectorAll("tbody tr")];
    const button = list.querySelector("button");
    if (!rows.length || button.disabled) { return; }
    button.disabled = input.disabled = true;
    let refused = false, leftOut = 0;
    for (const [number, row] of rows.entries()) {
      if (row.dataset.stored) { continue; } // before another file was refused
      if (!row.querySelector("[name=kind]").value) {
        row.querySelector(".state").textContent = "left out, not stored";
        leftOut += 1;
        continue;
      }
      const taken = await send(form, chosen[number], row);
      if (taken) { row.dataset.stored = "yes"; } else { refused = true; }
    }
    button.disabled = input.disabled = false;
    input.value = "";
    // The page tells what was stored and what was wrong, but knows nothing of what was left out.
    if (refused) { return; }
    if (!leftOut) { location.reload(); return; }
    const stored = rows.length - leftOut;
    button.parentElement.innerHTML = `<p role="status">${stored} stored, ${leftOut} left out.</p> <a class="button main" href="">Show the study's files</a>`;
  }
}

const NOT_ARRIVED = "did not arrive: the connection broke. Nothing of it was kept; send it again.";

// The beginning of a file, and the end of a zip, which lists its files.
function headOf(file, { beginning, end }) {
  const head = file.slice(0, Number(beginning));
  if (head.size === file.size || !file.name.toLowerCase().endsWith(".zip")) { return head; }
  return new Blob([head, file.slice(Math.max(head.size, file.size - Number(end)))]);
}

// The files that are not hidden, those in folders too.
async function filesOf(entry) {
  if (entry.name.startsWith(".")) { return []; }
  if (entry instanceof File) { return [entry]; }
  if (entry.isFile) { return [await new Promise((resolve, reject) => entry.file(resolve, reject))]; }
  const reader = entry.createReader();
  const found = [];
  for (;;) { // a reader gives a hundred at a time
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) { return (await Promise.all(found.map(filesOf))).flat(); }
    found.push(...some);
  }
}

// True once the server has taken the file in, or has said on the page why it did not.
function send(form, file, row) {
  const limit = Number(form.dataset.limit);
  const state = row.querySelector(".state");
  if (file.size > limit) {
    state.textContent = `has more than ${Math.round(limit / 1e6)} MB. Pack it, or put it on the server.`;
    return Promise.resolve(false);
  }
  const bar = document.createElement("progress");
  bar.setAttribute("aria-label", `Upload of ${file.name}`);
  bar.value = 0;
  const said = document.createElement("span");
  state.replaceChildren(bar, " ", said);
  const data = new FormData();
  data.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
  for (const name of ["kind", "name"]) { data.set(name, row.querySelector(`[name=${name}]:not([hidden])`)?.value ?? ""); }
  data.set("file", file);
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("X-One-File", "1");
    request.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable) { return; }
      bar.value = event.loaded / event.total;
      said.textContent = event.loaded < event.total ? `${Math.round(100 * bar.value)} %` : "is being checked";
    });
    request.addEventListener("loadend", () => {
      const taken = request.status === 204;
      said.textContent = taken ? "is through"
        : request.status ? `was refused (${request.status}). Load the page again.` : NOT_ARRIVED;
      resolve(taken);
    });
    request.send(data);
  });
}
