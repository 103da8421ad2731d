
// Without this script the page is a plain form with all queries below each other. With it there is
// an introduction, one query at a time, keys and Undo; answers are kept and sent once, whatever the
// connection does. The frame around may keep what {taskKeep} holds and give it back as {taskKept},
// and remember who has read the introduction; Amazon's does not, there the browser keeps it.
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

  var CANNOT_TELL = "u";
  var texts = JSON.parse(form.dataset.texts);
  var introduction = form.dataset.introduction;
  var queries = Array.from(form.querySelectorAll("fieldset"));
  var answers = queries.map(function () { return ""; });
  var comments = Array.from(form.querySelectorAll("textarea"));
  var submit = form.querySelector("[type=submit]");
  var consent = part("consent");
  var trail = [];       // what Undo takes back: [place, answer before]
  var current = 0;      // a place, or their number for the review
  var isIntroducing = true;
  var isNoted = false;  // this visit of the place is on the trail
  var byKey = false;    // the latest touch was a key: arrows only move the choice
  var state = "open";   // open; held: waits for the connection; sending

  function radios(place) { return Array.from(queries[place].querySelectorAll("[type=radio]")); }
  function nameOf(place) {
    var radio = radios(place).find(function (one) { return one.checked; });
    return radio ? radio.parentNode.textContent.trim() : "";
  }
  function set(place, value) {
    answers[place] = value;
    radios(place).forEach(function (radio) { radio.checked = radio.value === value; });
  }
  function unanswered(from) {
    for (var step = 0; step < queries.length; step += 1) {
      var place = (from + step) % queries.length;
      if (!answers[place]) { return place; }
    }
    return queries.length;
  }
  function text(name, place, chosen) {
    return texts[name].replace("{n}", place + 1).replace("{name}", chosen || "");
  }
  function say(message) { part("said").textContent = message; }
  function warn(message) { part("trouble").textContent = message; }
  function tell(message) { if (parent !== window) { parent.postMessage(message, "*"); } }
  function keep() {
    var kept = {answers: answers, comments: comments.map(function (one) { return one.value; })};
    try { history.replaceState({task: kept}, ""); } catch (refused) { /* kept elsewhere */ }
    tell({taskKeep: kept});
  }

  function show(place) {
    current = place;
    isNoted = false;
    var isReview = place === queries.length;
    queries.forEach(function (query, index) { query.hidden = isIntroducing || index !== place; });
    part("intro").hidden = !isIntroducing;
    part("bar").hidden = isIntroducing;
    part("review").hidden = submit.hidden = isIntroducing || !isReview;
    part("keys").hidden = isIntroducing || isReview;
    part("undo").disabled = !trail.length;
    form.querySelector("progress").value = answers.filter(Boolean).length;
    document.body.classList.toggle("introducing", isIntroducing);
    showNext();
    if (isReview) { list(); }
  }
  // Nothing below the text of a query moves from one query to the next.
  function level() {
    form.style.removeProperty("--legend");
    var heights = queries.map(function (query) {
      var wasHidden = query.hidden;
      query.hidden = false;
      var height = query.querySelector("legend").offsetHeight;
      query.hidden = wasHidden;
      return height;
    });
    form.style.setProperty("--legend", Math.min(Math.max.apply(null, heights), innerHeight / 3) + "px");
  }
  function showNext() {
    part("next").hidden = isIntroducing || current === queries.length || !answers[current];
  }
  function focus() {
    if (isIntroducing) { part("start").focus(); return; }
    if (current === queries.length) { submit.focus(); return; }
    var choices = radios(current);
    (choices.find(function (one) { return one.checked; }) || choices[0]).focus();
  }
  function go(place) { show(place); focus(); scrollTo(0, 0); }
  function list() {
    var items = part("review").querySelector("ol");
    items.textContent = "";
    queries.forEach(function (query, place) {
      var item = document.createElement("li"), shown = document.createElement("bdi");
      var change = document.createElement("button");
      shown.textContent = query.querySelector(".query").textContent;
      change.type = "button";
      change.textContent = texts.change;
      change.setAttribute("aria-label", text("changeLabel", place));
      change.addEventListener("click", function () { go(place); });
      item.append(shown, nameOf(place), change);
      items.append(item);
    });
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
  function note() {
    if (!isNoted) { trail.push([current, answers[current]]); }
    isNoted = true;
  }
  function onward() {
    if (!answers[current]) { say(texts.chooseFirst); return; }
    warn("");
    var next = unanswered(current);
    say(text("answered", current, nameOf(current)) +
      (next === queries.length ? " " + texts.last : ""));
    go(next);
  }
  function choose(value, isFinal) {
    note();
    set(current, value);
    keep();
    if (isFinal && value !== CANNOT_TELL) { onward(); } else { showNext(); }
  }
  function undo() {
    var last = trail.pop();
    if (!last) { return; }
    set(last[0], last[1]);
    keep();
    say(text("undone", last[0]));
    go(last[0]);
  }

  form.addEventListener("click", function (event) {
    if (event.target.matches("[type=radio]")) { choose(event.target.value, !byKey); }
  });
  form.addEventListener("input", function (event) {
    if (event.target.matches("textarea")) { keep(); }
  });
  part("undo").addEventListener("click", undo);
  part("help").addEventListener("click", introduce);
  part("start").addEventListener("click", begin);
  part("next").addEventListener("click", onward);
  addEventListener("resize", level);
  addEventListener("pointerdown", function () { byKey = false; }, true);
  addEventListener("keydown", function (event) {
    byKey = true;
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) { return; }
    if (event.target.matches("textarea")) { return; }
    var isChoosing = !isIntroducing && current < queries.length;
    // Where digits are not where they are in English, the key's place counts.
    var place = !event.shiftKey && /^(?:Digit|Numpad)([1-5])$/.exec(event.code);
    var digit = /^[1-5]$/.test(event.key) ? event.key : place && place[1];
    if (digit && isChoosing) {
      choose(radios(current)[digit - 1].value, true);
      focus();
    } else if (event.key === "Enter" && isIntroducing && !event.target.closest("button")) {
      begin();
    } else if (event.key === "Enter" && isChoosing && !event.target.closest("button")) {
      onward();
    } else if (event.key === "?") {
      if (isIntroducing) { begin(); } else { introduce(); }
    } else if (!isIntroducing && /^(u|U|Backspace)$/.test(event.key)) {
      undo();
    } else {
      return;
    }
    event.preventDefault();
  });

  function sendComments(areSent) {
    comments.forEach(function (one) { one.disabled = areSent && !one.value.trim(); });
  }
  form.addEventListener("submit", function (event) {
    var open = unanswered(0);
    if (state === "sending") {
      event.preventDefault();
    } else if (consent && !consent.checked) {
      event.preventDefault();
      introduce();
      say(texts.agreeFirst);
    } else if (open < queries.length) {
      event.preventDefault();
      isIntroducing = false;
      say(text("open", open));
      go(open);
    } else if (!navigator.onLine) {
      event.preventDefault();
      state = "held";
      warn(texts.offline);
    } else {
      state = "sending";
      warn("");
      say(texts.sending);
      sendComments(true);
      tell({taskSending: true});
      // Should nothing come of it, the button works again; what comes twice counts once.
      setTimeout(reopen, 30000);
    }
  });
  function reopen() { if (state === "sending") { state = "open"; say(""); sendComments(false); } }
  function resume() { if (state === "held") { state = "open"; form.requestSubmit(submit); } }
  addEventListener("online", resume);
  addEventListener("pageshow", function (event) { if (event.persisted) { reopen(); resume(); } });

  function restore(kept) {
    if (trail.length || !kept || !Array.isArray(kept.answers)) { return; }
    queries.forEach(function (query, place) {
      var isKnown = radios(place).some(function (one) { return one.value === kept.answers[place]; });
      if (isKnown) { set(place, kept.answers[place]); trail.push([place, ""]); }
    });
    comments.forEach(function (one, index) { one.value = (kept.comments || [])[index] || one.value; });
    if (!trail.length) { return; }
    skipIntroduction();
    say(texts.restored);
    show(unanswered(0));
  }
  function reveal() { document.body.classList.remove("waiting"); }
  addEventListener("message", function (event) {
    if (event.source !== parent || parent === window || !event.data) { return; }
    if (event.data.taskAsk) { tell({taskReady: introduction}); }
    if (event.data.taskKept) { restore(event.data.taskKept); }
    if (event.data.taskWasRead) { skipIntroduction(); }
    if (event.data.taskKnown) { reveal(); }
    if (event.data.taskSend && unanswered(0) === queries.length) { form.requestSubmit(submit); }
  });

  form.noValidate = true;
  document.body.classList.add("steps");
  part("start").hidden = false;
  part("start").querySelector(".later").hidden = true;
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
