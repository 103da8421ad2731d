
// The page of a scheme: one query at a time with all its questions. What is said to the frame around
// is what page.js says: {taskKeep}, {taskKept}, {taskReady}, {taskSending}.
(function () {
  "use strict";
  var form = document.getElementById("mturk_form");
  var parameters = new URLSearchParams(location.search);
  var assignment = parameters.get("assignmentId");
  function part(id) { return document.getElementById(id); }
  if (assignment) { part("assignmentId").value = assignment; }
  if (parameters.get("turkSubmitTo")) {
    form.action = parameters.get("turkSubmitTo").replace(/\/+$/, "") + "/mturk/externalSubmit";
  }
  if (assignment === "ASSIGNMENT_ID_NOT_AVAILABLE") {
    Array.from(form.elements).forEach(function (field) { field.disabled = true; });
    part("review").hidden = true;
    part("preview-note").hidden = false;
    return;
  }
  var CANNOT_TELL = "?";
  var texts = JSON.parse(form.dataset.texts);
  var introduction = form.dataset.introduction;
  var items = Array.from(form.querySelectorAll(".item"));
  var submit = form.querySelector("[type=submit]");
  var consent = part("consent");
  var current = 0;
  var isIntroducing = true;
  var isTouched = false;
  var state = "open";   // open; held: waits for the connection; sending

  function questions(item) { return Array.from(item.querySelectorAll("fieldset")); }
  function fields() { return Array.from(form.querySelectorAll(".item input, .item textarea, #comment")); }
  function chosen(question) {
    return Array.from(question.querySelectorAll(":checked")).map(function (one) { return one.value; });
  }
  function isSkipped(item) { return Boolean(item.querySelector(".skip :checked")); }
  function isShown(item, question) {
    if (!question.dataset.if) { return true; }
    var before = questions(item).find(function (one) { return one.dataset.question === question.dataset.if; });
    return isShown(item, before) && chosen(before).some(function (code) {
      return JSON.parse(question.dataset.codes).indexOf(code) >= 0;
    });
  }
  function missing(item) {
    if (isSkipped(item)) { return undefined; }
    return questions(item).find(function (question) {
      return isShown(item, question) && question.dataset.required && !chosen(question).length;
    });
  }
  function adapt(item) {
    item.classList.toggle("skipped", isSkipped(item));
    questions(item).forEach(function (question) {
      question.hidden = !isShown(item, question);
      if (chosen(question).length) { question.classList.remove("missing"); }
    });
  }
  function tell(message) { if (parent !== window) { parent.postMessage(message, "*"); } }
  function say(message) { part("said").textContent = message; }
  function warn(message) { part("trouble").textContent = message; }
  function keep() {
    var kept = {};
    fields().forEach(function (field) {
      var isOn = field.matches("textarea") ? field.value : field.checked;
      if (isOn) { kept[field.name + "=" + (field.matches("textarea") ? "" : field.value)] = field.value; }
    });
    try { history.replaceState({task: kept}, ""); } catch (refused) { /* kept elsewhere */ }
    tell({taskKeep: kept});
  }
  function restore(kept) {
    if (isTouched || !kept || typeof kept !== "object" || !Object.keys(kept).length) { return; }
    fields().forEach(function (field) {
      var value = kept[field.name + "=" + (field.matches("textarea") ? "" : field.value)];
      if (value === undefined) { return; }
      if (field.matches("textarea")) { field.value = value; } else { field.checked = true; }
    });
    items.forEach(adapt);
    if (consent) { consent.checked = true; }
    isIntroducing = false;
    show(firstOpen(0));
  }
  function firstOpen(from) {
    for (var place = from; place < items.length; place += 1) { if (missing(items[place])) { return place; } }
    return items.length;
  }
  function show(place) {
    current = place;
    var isReview = place === items.length;
    items.forEach(function (item, index) { item.hidden = isIntroducing || index !== place; });
    part("intro").hidden = !isIntroducing;
    part("bar").hidden = isIntroducing;
    part("review").hidden = submit.hidden = isIntroducing || !isReview;
    part("next").hidden = part("keys").hidden = isIntroducing || isReview;
    part("previous").disabled = place === 0;
    form.querySelector("progress").value = items.filter(function (item) { return !missing(item); }).length;
    if (isReview) { list(); }
  }
  function go(place) {
    show(place);
    scrollTo(0, 0);
    if (isIntroducing) { part("start").focus(); return; }
    if (place === items.length) { submit.focus(); return; }
    (items[place].querySelector(":checked") || items[place].querySelector("input, textarea")).focus();
  }
  function list() {
    var into = part("review").querySelector("ol");
    into.textContent = "";
    items.forEach(function (item, place) {
      var line = document.createElement("li"), shown = document.createElement("bdi");
      var change = document.createElement("button");
      shown.textContent = item.querySelector(".query").textContent;
      var names = Array.from(item.querySelectorAll("fieldset:not([hidden]) :checked")).map(function (one) {
        return one.parentNode.querySelector("span").textContent;
      });
      change.type = "button";
      change.textContent = texts.change;
      change.setAttribute("aria-label", texts.change + ": " + shown.textContent);
      change.addEventListener("click", function () { go(place); });
      line.append(shown, isSkipped(item) ? texts.skipped : names.join("; "), change);
      into.append(line);
    });
  }
  function onward() {
    var open = missing(items[current]);
    if (open) {
      open.classList.add("missing");
      say(texts.incomplete);
      open.querySelector("input").focus();
      return;
    }
    say("");
    go(current + 1);
  }
  function introduce() { isIntroducing = true; go(current); }
  function begin() {
    if (consent && !consent.checked) { say(texts.agreeFirst); consent.focus(); return; }
    isIntroducing = false;
    say("");
    tell({taskRead: introduction});
    go(current);
  }
  // The question that keys are for: the one with the focus, else the first without an answer.
  function active() {
    var item = items[current];
    var focused = document.activeElement && document.activeElement.closest(".item fieldset");
    var open = questions(item).find(function (one) {
      return isShown(item, one) && !one.matches(".text") && !chosen(one).length;
    });
    if (focused && focused.matches(".multi") && !focused.matches(".text")) { return focused; }
    return open || focused || questions(item)[0];
  }
  function press(key) {
    var mark = Array.from(active().querySelectorAll("kbd")).find(function (one) { return one.dataset.key === key; });
    if (!mark) { return false; }
    var input = mark.parentNode.querySelector("input");
    input.click();
    input.focus();
    return true;
  }
  form.addEventListener("change", function (event) {
    isTouched = true;
    var question = event.target.closest("fieldset");
    if (question && question.matches(".multi") && event.target.checked) {
      question.querySelectorAll("input").forEach(function (one) {
        if (one !== event.target && (event.target.value === CANNOT_TELL || one.value === CANNOT_TELL)) { one.checked = false; }
      });
    }
    var item = event.target.closest(".item");
    if (item) { adapt(item); say(""); }
    keep();
  });
  part("previous").addEventListener("click", function () { if (current) { go(current - 1); } });
  part("help").addEventListener("click", introduce);
  part("start").addEventListener("click", begin);
  part("next").addEventListener("click", onward);
  addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) { return; }
    if (event.target.matches("textarea")) { return; }
    var isAsking = !isIntroducing && current < items.length;
    if (event.key === "Enter" && isIntroducing && !event.target.closest("button")) {
      begin();
    } else if (event.key === "Enter" && isAsking && !event.target.closest("button")) {
      onward();
    } else if (event.key === "?") {
      if (isIntroducing) { begin(); } else { introduce(); }
    } else if (!isIntroducing && /^(b|B|Backspace)$/.test(event.key)) {
      if (current) { go(current - 1); }
    } else if (!(isAsking && press(event.key.toLowerCase()))) {
      return;
    }
    event.preventDefault();
  });
  form.addEventListener("submit", function (event) {
    var open = firstOpen(0);
    if (state === "sending") {
      event.preventDefault();
    } else if (consent && !consent.checked) {
      event.preventDefault();
      introduce();
      say(texts.agreeFirst);
    } else if (open < items.length) {
      event.preventDefault();
      isIntroducing = false;
      go(open);
      onward();
    } else if (!navigator.onLine) {
      event.preventDefault();
      state = "held";
      warn(texts.offline);
    } else {
      state = "sending";
      warn("");
      say(texts.sending);
      // What is not shown is not sent, nor are empty texts.
      items.forEach(function (item) {
        questions(item).forEach(function (question) {
          if (isSkipped(item) || question.hidden) {
            question.querySelectorAll("input, textarea").forEach(function (one) { one.disabled = true; });
          }
        });
      });
      tell({taskSending: true});
      setTimeout(reopen, 30000);
    }
  });
  function reopen() {
    if (state !== "sending") { return; }
    state = "open";
    say("");
    fields().forEach(function (field) { field.disabled = false; });
  }
  function resume() { if (state === "held") { state = "open"; form.requestSubmit(submit); } }
  addEventListener("online", resume);
  addEventListener("pageshow", function (event) { if (event.persisted) { reopen(); resume(); } });
  addEventListener("message", function (event) {
    if (event.source !== parent || parent === window || !event.data) { return; }
    if (event.data.taskAsk) { tell({taskReady: introduction}); }
    if (event.data.taskKept) { restore(event.data.taskKept); }
    if (event.data.taskSend && firstOpen(0) === items.length) { form.requestSubmit(submit); }
  });
  form.noValidate = true;
  document.body.classList.add("steps");
  part("start").hidden = false;
  part("start").querySelector(".later").hidden = true;
  items.forEach(adapt);
  show(0);
  restore(history.state && history.state.task);
  tell({taskReady: introduction});
}());
