// Uploads with progress, begun when files are chosen or dropped. Without this file the form is sent as
// it is, which does the same without showing how far it is.
"use strict";

for (const form of document.querySelectorAll("form.upload")) {
  const input = form.querySelector("input[type=file]");
  const place = form.querySelector(".drop");
  const list = form.querySelector(".uploads");

  for (const name of ["dragover", "dragleave", "drop"]) {
    place.addEventListener(name, (event) => {
      event.preventDefault();
      place.classList.toggle("over", name === "dragover");
      if (name !== "drop" || !event.dataTransfer.files.length) { return; }
      input.files = event.dataTransfer.files;
      upload();
    });
  }
  input.addEventListener("change", upload);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    upload();
  });

  async function upload() {
    const files = [...input.files];
    if (!files.length) { return; }
    list.replaceChildren();
    input.disabled = true;
    let refused = false;
    for (const file of files) {
      refused = !(await send(form, file, files.length === 1, line(list, file.name))) || refused;
    }
    input.disabled = false;
    input.value = "";
    // What was stored, and what was wrong with the content, is told by the page itself.
    if (!refused) { location.reload(); }
  }
}

// One line of the list: a name, a bar, and what became of it.
function line(list, name) {
  const item = document.createElement("li");
  const title = document.createElement("bdi");
  title.textContent = name;
  const bar = document.createElement("progress");
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute("aria-label", `Upload of ${name}`);
  const said = document.createElement("span");
  item.append(title, " ", bar, " ", said);
  list.append(item);
  return { bar, said };
}

// True once the server has taken the file in, or has said on the page why it did not.
function send(form, file, alone, { bar, said }) {
  const limit = Number(form.dataset.limit);
  if (file.size > limit) {
    bar.remove();
    said.textContent = `has more than ${Math.round(limit / 1e6)} MB. Pack it, or put it on the server.`;
    return Promise.resolve(false);
  }
  const data = new FormData(form);
  data.set("file", file);
  if (!alone) { data.set("name", ""); }
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
        : request.status ? `was refused (${request.status}). Load the page again.`
        : "did not arrive: the connection broke. Nothing of it was kept; send it again.";
      resolve(taken);
    });
    request.send(data);
  });
}
