// Copies the code that stands before the button; without a script or a clipboard one selects it.
(function () {
  "use strict";
  var button = document.querySelector(".code button");
  if (!navigator.clipboard) { return; }
  button.hidden = false;
  button.addEventListener("click", function () {
    var code = document.querySelector(".code code").textContent;
    navigator.clipboard.writeText(code).then(function () {
      button.textContent = button.dataset.copied;
    });
  });
}());
