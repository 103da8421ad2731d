// Comforts only: every page works without this file.
"use strict";

// Moments in the reader's time zone; without this they are in UTC, and say so.
const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
function localise(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    time.textContent = moments.format(new Date(time.dateTime));
  }
}
localise(document);
document.addEventListener("htmx:load", (event) => localise(event.target));

// A button that copies the code beside it.
for (const place of document.querySelectorAll(".copy")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(place.querySelector("pre").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  place.append(button);
}

// Number keys choose in a form of one question, and go on to its text.
for (const form of document.querySelectorAll("form[data-keys]")) {
  const choices = form.querySelectorAll("input[type=radio]");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) { return; }
    if (event.target.matches("input:not([type=radio]), select, textarea")) { return; }
    const choice = choices[Number(event.key) - 1];
    if (!choice) { return; }
    event.preventDefault();
    choice.click();
    form.querySelector("input[name=reason]").focus();
  });
}
