// On a phone filters would fill the screen before the list begins: there they are folded.
"use strict";

const narrow = matchMedia("(max-width: 40rem)");
function foldFilters() {
  for (const filters of document.querySelectorAll(".more-filters")) { filters.open = !narrow.matches; }
}
foldFilters();
narrow.addEventListener("change", foldFilters);
