
// Amazon shows this page in a frame whose address says who works on what; without the script the
// page is a plain form. Within the form, 1 to 4 choose and ? opens the categories.
(function () {
  var form = document.getElementById("mturk_form");
  var asked = new URLSearchParams(location.search);
  var assignment = asked.get("assignmentId");
  if (assignment) { document.getElementById("assignmentId").value = assignment; }
  if (asked.get("turkSubmitTo")) {
    form.action = asked.get("turkSubmitTo").replace(/\/+$/, "") + "/mturk/externalSubmit";
  }
  if (assignment === "ASSIGNMENT_ID_NOT_AVAILABLE") {
    Array.from(form.elements).forEach(function (field) { field.disabled = true; });
    document.getElementById("preview-note").hidden = false;
  }
  form.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey) { return; }
    var query = event.target.closest("fieldset");
    var choice = query && query.querySelectorAll("input")[Number(event.key) - 1];
    if (choice) { choice.focus(); choice.click(); }
    if (event.key === "?") {
      var help = document.querySelector("details");
      help.open = !help.open;
    }
  });
}());
