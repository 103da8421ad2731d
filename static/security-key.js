// Security keys: what the page asks for goes to the browser's own dialogue, and the answer into the form.
// Without this file, or in a browser without WebAuthn, the forms stay hidden and codes do.
"use strict";

function bytesOf(text) {
  const plain = text.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(plain), (letter) => letter.charCodeAt(0));
}

function textOf(buffer) {
  const plain = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return plain.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

for (const form of document.querySelectorAll("form.security-key")) {
  const problem = form.querySelector("[role=alert]");
  form.hidden = !window.PublicKeyCredential;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.hidden = true;
    const asked = JSON.parse(form.dataset.options);
    asked.challenge = bytesOf(asked.challenge);
    for (const list of [asked.allowCredentials, asked.excludeCredentials]) {
      for (const known of list ?? []) { known.id = bytesOf(known.id); }
    }
    if (asked.user) { asked.user.id = bytesOf(asked.user.id); }
    const how = asked.user ? "create" : "get";
    try {
      const key = await navigator.credentials[how]({ publicKey: asked });
      const response = { clientDataJSON: textOf(key.response.clientDataJSON) };
      for (const name of ["attestationObject", "authenticatorData", "signature"]) {
        if (key.response[name]) { response[name] = textOf(key.response[name]); }
      }
      form.elements.response.value = JSON.stringify({ id: key.id, rawId: textOf(key.rawId), type: key.type, response });
      form.submit();
    } catch {
      problem.hidden = false;
    }
  });
}
