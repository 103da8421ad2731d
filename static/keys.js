// Keys of long lists and of forms of one question: comforts only.
"use strict";

// The keys of answers choose in a form of one question, and go on to its text. Where digits are not
// where they are in English, the key's place counts.
for (const form of document.querySelectorAll("form[data-keys]")) {
  const choices = [...form.querySelectorAll("[data-key]")];
  const choiceOf = (key) => key && choices.find((one) => one.dataset.key === key);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) { return; }
    if (event.target.matches("input:not([type=radio], [type=checkbox]), select, textarea")) { return; }
    const place = !event.shiftKey && /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
    const choice = choiceOf(event.key.toLowerCase()) || choiceOf(place);
    if (!choice) { return; }
    event.preventDefault();
    choice.click();
    if (choice.type === "radio") { form.querySelector("input[name=reason]").focus(); }
  });
}

// Keys for long lists: j and k go from row to row, Enter follows the row's link, x chooses the row. Tab does so without this file.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || !["j", "k", "x"].includes(event.key)) { return; }
  if (event.target.closest("input, select, textarea, [contenteditable]")) { return; }
  const links = [...document.querySelectorAll("table[data-keys] tbody th a")];
  if (event.key === "x") { document.activeElement.closest("tr")?.querySelector("input[type=checkbox]")?.click(); return; }
  const here = links.indexOf(document.activeElement);
  const next = links[here < 0 ? 0 : here + (event.key === "j" ? 1 : -1)];
  if (!next) { return; }
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: "nearest" });
});
