
// Marks the words of each query in its passage, once somebody asks for it by button or key.
(function () {
  "use strict";
  var form = document.getElementById("mturk_form");
  var items = Array.from(form.querySelectorAll(".item"));
  var isMarked = false;
  // Words that would be marked everywhere, and say nothing.
  var COMMON = /^(an?|and|are|as|at|be|by|can|did|do|does|for|from|has|have|how|i|in|is|it|of|on|or|that|the|this|to|was|were|what|when|where|which|who|why|will|with)$/;

  function passageOf(item) { return item.querySelector(".passage p"); }
  function queryOf(item) { return item.querySelector(".query").textContent; }
  function addSign(key, into) {
    var sign = document.createElement("kbd");
    sign.setAttribute("aria-hidden", "true");
    sign.textContent = key;
    into.append(" ", sign);
  }
  function mark(item) {
    var into = passageOf(item);
    var wanted = (queryOf(item).toLowerCase().match(/[\p{L}\p{N}]+/gu) || []).filter(function (word) {
      return !COMMON.test(word);
    });
    var parts = into.textContent.split(/([\p{L}\p{N}]+)/u);
    into.textContent = "";
    parts.forEach(function (part, index) {
      var word = part.toLowerCase(), shown = part;
      // A word is marked with its endings, as fronts is for front.
      if (index % 2 && wanted.some(function (one) { return word.indexOf(one) === 0; })) {
        shown = document.createElement("mark");
        shown.textContent = part;
      }
      into.append(shown);
    });
  }
  function toggle() {
    isMarked = !isMarked;
    items.forEach(function (item) {
      var passage = passageOf(item);
      passage.textContent = passage.textContent;
      if (isMarked) { mark(item); }
      item.querySelector(".passage button").setAttribute("aria-pressed", isMarked);
    });
  }

  items.forEach(function (item) {
    var button = document.createElement("button"), fold = item.querySelector(".fold");
    item.dataset.name = queryOf(item) + ": " + passageOf(item).textContent;
    button.type = "button";
    button.textContent = JSON.parse(form.dataset.texts).mark;
    button.setAttribute("aria-pressed", false);
    button.addEventListener("click", toggle);
    item.querySelector(".passage").append(button);
    addSign("Q", button);
    if (fold) { addSign("W", fold); }
  });
  addEventListener("keydown", function (event) {
    var item = form.querySelector(".item:not([hidden])"), key = event.key.toLowerCase();
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.repeat) { return; }
    if (!item || event.target.matches("textarea")) { return; }
    if (key === "q") { toggle(); }
    if (key === "w" && item.querySelector(".fold")) { item.querySelector(".fold input").click(); }
  });
}());
