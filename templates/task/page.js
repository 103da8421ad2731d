
// Without this script the page is a plain form with all queries below each other. With it there is
// one query at a time, keys and Undo; answers are kept and sent once, whatever the connection does.
// The frame around may keep what {taskKeep} tells it and give it back as {taskKept}; Amazon's does
// not, there history.state keeps it until the frame is gone.
(function () {
  "use strict";
  var form = document.getElementById("mturk_form");
  var asked = new URLSearchParams(location.search);
  var assignment = asked.get("assignmentId");
  function part(id) { return document.getElementById(id); }
  if (assignment) { part("assignmentId").value = assignment; }
  if (asked.get("turkSubmitTo")) {
    form.action = asked.get("turkSubmitTo").replace(/\/+$/, "") + "/mturk/externalSubmit";
  }
  if (assignment === "ASSIGNMENT_ID_NOT_AVAILABLE") {
    Array.from(form.elements).forEach(function (field) { field.disabled = true; });
    part("preview-note").hidden = false;
    return;
  }

  var queries = Array.from(form.querySelectorAll("fieldset"));
  var answers = queries.map(function () { return ""; });
  var submit = form.querySelector("[type=submit]");
  var help = document.querySelector("details");
  var trail = [];       // what Undo takes back: [place, answer before]
  var current = 0;      // a place, or their number for the review
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
  function say(text) { part("said").textContent = text; }
  function warn(text) { part("trouble").textContent = text; }
  function tell(message) { if (parent !== window) { parent.postMessage(message, "*"); } }
  function keep() {
    var kept = {answers: answers};
    try { history.replaceState({task: kept}, ""); } catch (refused) { /* kept elsewhere */ }
    tell({taskKeep: kept});
  }

  function show(place) {
    current = place;
    isNoted = false;
    var isReview = place === queries.length;
    queries.forEach(function (query, index) { query.hidden = index !== place; });
    part("review").hidden = submit.hidden = !isReview;
    part("keys").hidden = isReview;
    part("undo").disabled = !trail.length;
    var number = answers.filter(Boolean).length;
    form.querySelector("progress").value = number;
    part("intro").hidden = number > 0;
    document.body.classList.toggle("going", number > 0);
    if (isReview) { list(); }
  }
  function focus() {
    if (current === queries.length) { submit.focus(); return; }
    var choices = radios(current);
    (choices.find(function (one) { return one.checked; }) || choices[0]).focus();
  }
  function go(place) { show(place); focus(); }
  function list() {
    var items = part("review").querySelector("ol");
    items.textContent = "";
    queries.forEach(function (query, place) {
      var item = document.createElement("li"), text = document.createElement("bdi");
      var change = document.createElement("button");
      text.textContent = query.querySelector(".query").textContent;
      change.type = "button";
      change.textContent = "Change";
      change.setAttribute("aria-label", "Change the answer to query " + (place + 1));
      change.addEventListener("click", function () { go(place); });
      item.append(text, nameOf(place), change);
      items.append(item);
    });
  }

  function note() {
    if (!isNoted) { trail.push([current, answers[current]]); }
    isNoted = true;
  }
  function onward() {
    if (!answers[current]) { say("Choose one of the four categories first."); return; }
    warn("");
    var next = unanswered(current);
    say("Query " + (current + 1) + ": " + nameOf(current) + "." +
      (next === queries.length ? " That was the last: look them over and submit." : ""));
    go(next);
  }
  function choose(value, isFinal) {
    note();
    set(current, value);
    keep();
    if (isFinal) { onward(); }
  }
  function undo() {
    var last = trail.pop();
    if (!last) { return; }
    set(last[0], last[1]);
    keep();
    say("Undone. Query " + (last[0] + 1) + " again.");
    go(last[0]);
  }

  form.addEventListener("click", function (event) {
    if (event.target.matches("[type=radio]")) { choose(event.target.value, !byKey); }
  });
  part("undo").addEventListener("click", undo);
  addEventListener("pointerdown", function () { byKey = false; }, true);
  addEventListener("keydown", function (event) {
    byKey = true;
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) { return; }
    var isChoosing = current < queries.length;
    // Where digits are not where they are in English, the key's place counts.
    var place = !event.shiftKey && /^(?:Digit|Numpad)([1-4])$/.exec(event.code);
    var digit = /^[1-4]$/.test(event.key) ? event.key : place && place[1];
    if (digit && isChoosing) {
      choose(radios(current)[digit - 1].value, true);
    } else if (event.key === "Enter" && isChoosing && !event.target.closest("button, summary")) {
      onward();
    } else if (event.key === "u" || event.key === "U" || event.key === "Backspace") {
      undo();
    } else if (event.key === "?") {
      help.open = !help.open;
    } else {
      return;
    }
    event.preventDefault();
  });

  form.addEventListener("submit", function (event) {
    var open = unanswered(0);
    if (state === "sending") {
      event.preventDefault();
    } else if (open < queries.length) {
      event.preventDefault();
      say("Query " + (open + 1) + " has no answer yet.");
      go(open);
    } else if (!navigator.onLine) {
      event.preventDefault();
      state = "held";
      warn("There is no connection. Your answers are kept, and sent as soon as it is back. " +
        "Leave this page open.");
    } else {
      state = "sending";
      warn("");
      say("Sending your answers.");
      tell({taskSending: true});
      // Should nothing come of it, the button works again; what comes twice counts once.
      setTimeout(reopen, 30000);
    }
  });
  function reopen() { if (state === "sending") { state = "open"; say(""); } }
  function resume() { if (state === "held") { state = "open"; form.requestSubmit(submit); } }
  addEventListener("online", resume);
  addEventListener("pageshow", function (event) { if (event.persisted) { reopen(); resume(); } });

  function restore(kept) {
    if (trail.length || !kept || !Array.isArray(kept.answers)) { return; }
    queries.forEach(function (query, place) {
      var isKnown = radios(place).some(function (one) { return one.value === kept.answers[place]; });
      if (isKnown) { set(place, kept.answers[place]); trail.push([place, ""]); }
    });
    if (trail.length) { say("Your answers from before are here again."); }
    show(unanswered(0));
  }
  addEventListener("message", function (event) {
    if (event.source !== parent || parent === window || !event.data) { return; }
    if (event.data.taskAsk) { tell({taskReady: true}); }
    if (event.data.taskKept) { restore(event.data.taskKept); }
    if (event.data.taskSend && unanswered(0) === queries.length) { form.requestSubmit(submit); }
  });

  form.noValidate = true;
  document.body.classList.add("steps");
  part("bar").hidden = false;
  show(0);
  restore(history.state && history.state.task);
  tell({taskReady: true});
}());
