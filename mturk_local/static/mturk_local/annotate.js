// Comfort only, the site works without: the frame grows with its task, the window goes on by itself
// when the answer is stored, and what the page of a task wants kept is kept in this browser and
// sent again after a lost connection. Messages count only if they come from the frame shown here;
// docs/mturk-local.md lists them.
(function () {
  "use strict";
  var PREFIX = "task:";     // of the keys in this browser's storage
  var READ = "read:";       // of those of introductions that a worker has read
  var LIFE_SIGN = 1000;     // milliseconds in which a page that is there answers
  var STAY = 30000;         // milliseconds; without a call for two minutes the task is free again
  var frame = document.querySelector(".frame iframe");
  if (!frame) { return; }
  var key = frame.dataset.keep && PREFIX + frame.dataset.keep;
  var notice = document.getElementById("lost");
  var isSending = false;    // the form is on its way, and nobody knows yet whether it arrived
  var isLost = false;
  var isAlive = false;
  var pause = 2000;
  var timer = 0;
  var hold = frame.dataset.hold;  // where a task that came by itself is held on, while it is not ours
  var isBegun = false;            // it is ours with the first answer

  function stored(work) {
    try { return work(localStorage); } catch (refused) { return null; }
  }
  function forget() { stored(function (storage) { storage.removeItem(key); }); }
  function keep(what) {
    stored(function (storage) {
      storage.setItem(key, JSON.stringify({until: frame.dataset.until, kept: what}));
    });
  }
  function kept() {
    return key && stored(function (storage) {
      var found = JSON.parse(storage.getItem(key));
      return found && found.kept;
    });
  }
  function forgetWhatIsOver(storage) {
    Object.keys(storage).filter(function (name) { return name.startsWith(PREFIX); })
      .forEach(function (name) {
        var entry = JSON.parse(storage.getItem(name));
        if (!(Date.parse(entry && entry.until) > Date.now())) { storage.removeItem(name); }
      });
  }
  function tell(message) { frame.contentWindow.postMessage(message, "*"); }

  function lose() {
    isLost = true;
    notice.hidden = false;
    frame.hidden = true;
    timer = setTimeout(again, pause);
    pause = Math.min(2 * pause, 60000);
  }
  function again() {
    clearTimeout(timer);
    frame.contentWindow.location.replace(frame.src);
  }
  function readKey(introduction) {
    return /^[0-9a-f]{16}$/.test(introduction) && READ + frame.dataset.worker + ":" + introduction;
  }
  function remember(introduction) {
    var name = readKey(introduction);
    if (name) { stored(function (storage) { storage.setItem(name, "1"); }); }
  }
  function greet(introduction) {
    var what = kept(), name = readKey(introduction);
    if (name && stored(function (storage) { return storage.getItem(name); })) {
      tell({taskWasRead: true});
    }
    if (what) { tell({taskKept: what, taskSend: isLost}); }
    if (!isLost && document.activeElement === document.body) { frame.focus({preventScroll: true}); }
    tell({taskKnown: true});
    isLost = false;
    notice.hidden = true;
    frame.hidden = false;
  }

  function stay() {
    if (!hold || isSending) { return; }
    var form = new FormData(document.getElementById("next")), isFirm = isBegun;
    if (isFirm) { form.set("begun", "1"); }
    fetch(hold, {method: "POST", body: form}).then(function (reply) {
      if (reply.status === 204 && isFirm) { hold = ""; }
      if (reply.status === 410 && !isSending) { location.reload(); }
    }, function () { /* the connection is lost: the next call may come through */ });
  }
  function begin() {
    if (isBegun) { return; }
    isBegun = true;
    stay();
  }

  addEventListener("message", function (event) {
    if (event.source !== frame.contentWindow || !event.data) { return; }
    isAlive = true;
    var height = Number(event.data.taskHeight);
    if (height > 0 && frame.dataset.height === "0" && !document.body.matches(".working")) {
      frame.style.height = Math.min(Math.max(height, 384), 20000) + "px";
    }
    if (!key) { return; }
    if (event.data.taskKeep !== undefined) { keep(event.data.taskKeep); begin(); }
    if (event.data.taskReady) { greet(event.data.taskReady); }
    if (event.data.taskRead) { remember(event.data.taskRead); }
    if (event.data.taskSending) { isSending = true; }
    if (event.data.taskDone || event.data.taskRefused) { isSending = false; forget(); }
    if (event.data.taskRefused) { document.getElementById("go-on").hidden = false; }
    if (event.data.taskDone === true) { document.getElementById("next").submit(); }
  });
  // Browsers do not tell a page what became of a frame; but whoever is there, answers.
  frame.addEventListener("load", function () {
    if (!isSending) { return; }
    isAlive = false;
    tell({taskAsk: true});
    clearTimeout(timer);
    timer = setTimeout(function () { if (isSending && !isAlive) { lose(); } }, LIFE_SIGN);
  });
  addEventListener("online", function () { if (isLost) { again(); } });
  // Chromium sometimes leaves the keys here though the frame has the focus since it came up. The one
  // that shows it is handed on, the next ones come there by themselves.
  addEventListener("keydown", function (event) {
    if (event.target !== frame) { return; }
    frame.blur();
    frame.focus({preventScroll: true});
    tell({taskKey: {key: event.key, code: event.code, shiftKey: event.shiftKey,
      ctrlKey: event.ctrlKey, altKey: event.altKey, metaKey: event.metaKey, repeat: event.repeat}});
  });

  setInterval(stay, STAY);
  document.addEventListener("visibilitychange", stay);
  document.querySelectorAll("#next [name=stays]").forEach(function (field) { field.disabled = false; });
  stay();
  stored(forgetWhatIsOver);
  // The page in the frame may have been quicker than this script.
  if (key) { tell({taskAsk: true}); }
}());
