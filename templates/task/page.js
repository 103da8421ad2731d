
// Without this script the page is a plain form with all queries below each other. With it there is
// an introduction, one query at a time with all its questions, and keys; answers are kept and sent
// once, whatever the connection does. The frame around may keep what {taskKeep} holds and give it
// back as {taskKept}, and remember who has read the introduction; Amazon's does not, there the
// browser keeps it.
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
  var isSole = form.matches(".sole");  // one choice does a query: choosing goes on
  var submit = form.querySelector("[type=submit]");
  var consent = part("consent");
  var passed = items.map(function () { return false; });
  var current = 0;      // a place, or their number for the review
  var isIntroducing = true;
  var isTouched = false;
  var byKey = false;    // the latest touch was a key: arrows only move the choice
  var state = "open";   // open; held: waits for the connection; sending

  var names = new Map();
  items.forEach(function (item) {
    questions(item).forEach(function (question) {
      var keys = question.dataset.keys || form.dataset.keys;  // a character for each option
      question.querySelectorAll("input").forEach(function (input, n) {
        var sign = document.createElement("kbd");
        names.set(input, input.parentNode.textContent);
        sign.setAttribute("aria-hidden", "true");
        sign.textContent = input.value === CANNOT_TELL ? "0" : (keys[n] || "").trim();
        input.parentNode.append(sign);
      });
    });
  });

  function questions(item) { return Array.from(item.querySelectorAll("fieldset")); }
  function fields() { return Array.from(form.querySelectorAll(".item input, textarea")); }
  function chosen(question) {
    return Array.from(question.querySelectorAll(":checked")).map(function (one) { return one.value; });
  }
  function isSeveral(question) { return question.querySelector("[type=checkbox]"); }
  function isAlone(input) { return input.value === CANNOT_TELL || input.matches("[data-alone]"); }
  function isSkipped(item) { return Boolean(item.querySelector(".skip :checked")); }
  function isShown(item, question) {
    if (!question.dataset.if) { return true; }
    var before = questions(item).find(function (one) { return one.dataset.question === question.dataset.if; });
    return isShown(item, before) && chosen(before).some(function (code) {
      return JSON.parse(question.dataset.codes).indexOf(code) >= 0;
    });
  }
  function missing(item) {
    return isSkipped(item) ? undefined : questions(item).find(function (question) {
      return isShown(item, question) && question.matches("[data-required]") && !chosen(question).length;
    });
  }
  function firstOpen(from) {
    for (var step = 0; step < items.length; step += 1) {
      var place = (from + step) % items.length;
      if (!passed[place] || missing(items[place])) { return place; }
    }
    return items.length;
  }
  function nameOf(item) {
    if (isSkipped(item)) { return texts.skipped; }
    return Array.from(item.querySelectorAll("fieldset:not([hidden]) :checked")).map(function (one) {
      return names.get(one);
    }).join("; ");
  }
  function text(name, place, chosen) {
    return texts[name].replace("{n}", place + 1).replace("{name}", chosen || "");
  }
  function say(message) { part("said").textContent = message; }
  function warn(message) { part("trouble").textContent = message; }
  function tell(message) { if (parent !== window) { parent.postMessage(message, "*"); } }
  function keyOf(field) { return field.name + "=" + (field.matches("textarea") ? "" : field.value); }
  function keep() {
    var kept = {};
    fields().forEach(function (field) {
      if (field.matches("textarea") ? field.value : field.checked) { kept[keyOf(field)] = field.value; }
    });
    try { history.replaceState({task: kept}, ""); } catch (refused) { /* kept elsewhere */ }
    tell({taskKeep: kept});
  }

  function show(place) {
    current = place;
    var isReview = place === items.length;
    items.forEach(function (item, index) { item.hidden = isIntroducing || index !== place; });
    part("intro").hidden = !isIntroducing;
    part("bar").hidden = isIntroducing;
    part("review").hidden = submit.hidden = isIntroducing || !isReview;
    part("keys").hidden = isIntroducing || isReview;
    part("previous").disabled = !place;
    form.querySelector("progress").value = passed.filter(Boolean).length;
    document.body.classList.toggle("introducing", isIntroducing);
    showNext();
    if (isReview) { list(); }
  }
  function showNext() {
    part("next").hidden = isIntroducing || current === items.length ||
      (isSole && Boolean(missing(items[current])));
  }
  // Nothing below the text of a query moves from one query to the next.
  function level() {
    form.style.removeProperty("--query");
    var heights = items.map(function (item) {
      var wasHidden = item.hidden;
      item.hidden = false;
      var height = item.querySelector("h2").offsetHeight;
      item.hidden = wasHidden;
      return height;
    });
    form.style.setProperty("--query", Math.min(Math.max.apply(null, heights), innerHeight / 3) + "px");
  }
  function focus() {
    if (isIntroducing) { part("start").focus(); return; }
    if (current === items.length) { (part("review").querySelector(".open") || submit).focus(); return; }
    var item = items[current];
    (item.querySelector("fieldset :checked") || item.querySelector("fieldset :is(input, textarea)")).focus();
  }
  function go(place) { show(place); focus(); scrollTo(0, 0); }
  function list() {
    var into = part("review").querySelector("ol");
    into.textContent = "";
    items.forEach(function (item, place) {
      var line = document.createElement("li"), shown = document.createElement("bdi");
      var isOpen = missing(item) || !(passed[place] || nameOf(item));
      var change = document.createElement("button");
      shown.textContent = item.dataset.name || item.querySelector(".query").textContent;
      change.type = "button";
      change.className = isOpen ? "open" : "";
      change.textContent = isOpen ? texts.answer : texts.change;
      change.setAttribute("aria-label", text(isOpen ? "answerLabel" : "changeLabel", place));
      change.addEventListener("click", function () { go(place); });
      line.append(shown, nameOf(item), change);
      into.append(line);
    });
  }
  function adapt(item) {
    item.classList.toggle("skipped", isSkipped(item));
    questions(item).forEach(function (question) {
      question.hidden = !isShown(item, question);
      if (question.matches(".missing") && chosen(question).length) {
        question.classList.remove("missing");
        say("");
      }
    });
  }
  function mark(question, message) {
    question.classList.add("missing");
    say(message);
    question.querySelector("input").focus();
  }

  function introduce() {
    isIntroducing = true;
    part("start").querySelector(".first").hidden = true;
    part("start").querySelector(".later").hidden = false;
    go(current);
  }
  function begin() {
    if (consent && !consent.checked) { say(texts.agreeFirst); consent.focus(); return; }
    isIntroducing = false;
    say("");
    tell({taskRead: introduction});
    try { localStorage.setItem("read:" + introduction, "1"); } catch (refused) { /* the frame's */ }
    go(current);
  }
  function skipIntroduction() {
    if (!isIntroducing) { return; }
    isIntroducing = false;
    if (consent) { consent.checked = true; }
    show(current);
  }
  function onward() {
    var open = missing(items[current]), name = nameOf(items[current]);
    if (open) { mark(open, texts.chooseFirst); return; }
    passed[current] = true;
    warn("");
    var next = firstOpen(current);
    say((name && text("answered", current, name)) + (next === items.length ? " " + texts.last : ""));
    go(next);
  }
  function back() { if (current) { say(""); go(current - 1); } }
  function goOn(value) { if (isSole && value !== CANNOT_TELL) { onward(); } }
  // The question that keys are for: the one with the focus, else the first without an answer.
  function active() {
    var item = items[current];
    var focused = document.activeElement && document.activeElement.closest(".item fieldset");
    if (focused && isSeveral(focused)) { return focused; }
    return questions(item).find(function (one) {
      return isShown(item, one) && one.querySelector("input") && !chosen(one).length;
    }) || focused || questions(item)[0];
  }
  function press(key) {
    var mark = Array.from(active().querySelectorAll("kbd")).find(function (one) { return one.textContent === key; });
    if (!mark) { return false; }
    var input = mark.parentNode.querySelector("input");
    input.click();
    input.focus();
    goOn(input.value);
    return true;
  }

  form.addEventListener("click", function (event) {
    if (event.target.matches("[type=radio]") && !byKey) { goOn(event.target.value); }
  });
  form.addEventListener("input", function (event) {
    var field = event.target, question = field.closest("fieldset"), item = field.closest(".item");
    isTouched = true;
    if (question && isSeveral(question) && field.checked) {
      question.querySelectorAll("input").forEach(function (one) {
        if (one !== field && (isAlone(field) || isAlone(one))) { one.checked = false; }
      });
    }
    if (item) { adapt(item); }
    showNext();
    keep();
  });
  part("previous").addEventListener("click", back);
  part("all").addEventListener("click", function () { say(""); go(items.length); });
  part("help").addEventListener("click", introduce);
  part("start").addEventListener("click", begin);
  part("next").addEventListener("click", onward);
  addEventListener("resize", level);
  addEventListener("pointerdown", function () { byKey = false; }, true);
  addEventListener("keydown", function (event) {
    byKey = true;
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) { return; }
    if (event.target.matches("textarea")) { return; }
    var isAsking = !isIntroducing && current < items.length;
    // Where digits are not where they are in English, the key's place counts.
    var place = !event.shiftKey && /^(?:Digit|Numpad)(\d)$/.exec(event.code);
    if (isAsking && (press(event.key.toLowerCase()) || (place && press(place[1])))) {
      // It is done.
    } else if (event.key === "Enter" && isIntroducing && !event.target.closest("button")) {
      begin();
    } else if (event.key === "Enter" && isAsking && !event.target.closest("button")) {
      onward();
    } else if (event.key === "?") {
      if (isIntroducing) { begin(); } else { introduce(); }
    } else if (!isIntroducing && /^(b|B|Backspace)$/.test(event.key)) {
      back();
    } else {
      return;
    }
    event.preventDefault();
  });

  // What is not shown is not sent, nor are empty texts.
  function isLeftOut(field) {
    var question = field.closest("fieldset");
    if (field.matches("textarea") && !field.value.trim()) { return true; }
    if (!question) { return false; }
    return question.hidden || isSkipped(field.closest(".item")) ||
      (field.matches(".comment textarea") && chosen(question).indexOf(CANNOT_TELL) < 0);
  }
  form.addEventListener("submit", function (event) {
    var open = items.findIndex(missing);
    if (state === "sending") {
      event.preventDefault();
    } else if (consent && !consent.checked) {
      event.preventDefault();
      introduce();
      say(texts.agreeFirst);
    } else if (open >= 0) {
      event.preventDefault();
      isIntroducing = false;
      go(open);
      mark(missing(items[open]), text("open", open));
    } else if (!navigator.onLine) {
      event.preventDefault();
      state = "held";
      warn(texts.offline);
    } else {
      state = "sending";
      warn("");
      say(texts.sending);
      fields().forEach(function (field) { field.disabled = isLeftOut(field); });
      tell({taskSending: true});
      // Should nothing come of it, the button works again; what comes twice counts once.
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

  function restore(kept) {
    if (isTouched || !kept || typeof kept !== "object") { return; }
    fields().forEach(function (field) {
      var value = kept[keyOf(field)], item = field.name && field.closest(".item");
      if (value === undefined) { return; }
      if (field.matches("textarea")) { field.value = value; } else { field.checked = true; }
      if (item) { isTouched = passed[items.indexOf(item)] = true; }
    });
    if (!isTouched) { return; }
    items.forEach(adapt);
    skipIntroduction();
    say(texts.restored);
    show(firstOpen(0));
  }
  function reveal() { document.body.classList.remove("waiting"); }
  addEventListener("message", function (event) {
    if (event.source !== parent || parent === window || !event.data) { return; }
    if (event.data.taskAsk) { tell({taskReady: introduction}); }
    if (event.data.taskKept) { restore(event.data.taskKept); }
    if (event.data.taskWasRead) { skipIntroduction(); }
    if (event.data.taskKnown) { reveal(); }
    if (event.data.taskKey) {  // pressed here, and given to the window around
      (document.activeElement || document.body).dispatchEvent(
        new KeyboardEvent("keydown", Object.assign({bubbles: true, cancelable: true}, event.data.taskKey)));
    }
    if (event.data.taskSend && !items.some(missing)) { form.requestSubmit(submit); }
  });

  form.noValidate = true;
  document.body.classList.add("steps");
  part("start").hidden = false;
  part("start").querySelector(".later").hidden = true;
  items.forEach(adapt);
  level();
  show(0);
  restore(history.state && history.state.task);
  try { if (localStorage.getItem("read:" + introduction)) { skipIntroduction(); } } catch (refused) { /* the frame's */ }
  if (parent !== window) {
    // A frame that remembers says so within moments; what is shown does not change afterwards.
    document.body.classList.add("waiting");
    setTimeout(reveal, 250);
  }
  tell({taskReady: introduction});
}());
