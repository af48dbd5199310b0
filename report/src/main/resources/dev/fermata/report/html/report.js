"use strict";
// Zoom and pan for the charts of GPUs. Without it they are still pictures. It must do without the letters that XML escapes.
(function () {
  var DAY = 86400, HOUR = 3600, MINUTE = 60, DEEPEST = 20000;

  function two(n) { return n > 9 ? String(n) : "0" + n; }

  // As exact as the distance between two labels asks for.
  function clock(seconds, step) {
    var s = Math.max(0, seconds);
    var days = Math.floor(s / DAY), hours = Math.floor(s % DAY / HOUR), minutes = Math.floor(s % HOUR / MINUTE);
    var text = days > 0 ? days + "d" : "";
    if (step > DAY * 5) { return text || "0"; }
    text += days > 0 ? two(hours) + "h" : hours > 0 ? hours + "h" : "";
    if (step > HOUR * 5) { return text || "0"; }
    text += text ? two(minutes) + "m" : minutes > 0 ? minutes + "m" : "";
    if (step > MINUTE * 5) { return text || "0"; }
    var rest = s % MINUTE;
    return text + (step > 5 ? two(Math.floor(rest)) : rest.toFixed(step > 0.5 ? 1 : 3)) + "s";
  }

  function lively(figure) {
    var svg = figure.querySelector("svg.chart"), view = figure.querySelector("svg.window");
    var box = view.getAttribute("viewBox").split(" ").map(Number), full = box[2], high = box[3];
    var from = Number(figure.dataset.from), span = Number(figure.dataset.to) - from;
    var ticks = figure.querySelectorAll("g.ticks text"), tiles = figure.querySelectorAll("pattern.tile");
    var x = 0, wide = full, drag = null;
    var bar = document.createElement("div"), description = document.createElement("output");

    function show() {
      wide = Math.min(full, Math.max(full / DEEPEST, wide));
      x = Math.min(full - wide, Math.max(0, x));
      view.setAttribute("viewBox", x + " 0 " + wide + " " + high);
      tiles.forEach(function (tile) { tile.setAttribute("patternTransform", "scale(" + wide / full + ",1)"); });
      var step = span * wide / full / (ticks.length - 1);
      ticks.forEach(function (tick, i) {
        tick.textContent = clock(from + span * (x + wide * i / (ticks.length - 1)) / full, step);
      });
      figure.dataset.view = x.toFixed(3) + " " + wide.toFixed(3);
    }
    function zoom(factor, at) {
      var middle = x + wide * at;
      wide = Math.min(full, Math.max(full / DEEPEST, wide / factor));
      x = middle - wide * at;
      show();
    }
    function pan(part) { x += wide * part; show(); }
    function all() { x = 0; wide = full; show(); }
    function where(event) {
      var area = view.getBoundingClientRect ? view.getBoundingClientRect() : svg.getBoundingClientRect();
      return Math.min(1, Math.max(0, (event.clientX - area.left) / Math.max(1, area.width)));
    }
    function describe(event) {
      var group = event.target.closest ? event.target.closest("g.described") : null;
      if (group) { description.textContent = group.querySelector("title").textContent; }
    }
    function button(text, name, action) {
      var b = document.createElement("button");
      b.type = "button";
      b.textContent = text;
      b.setAttribute("aria-label", name);
      b.addEventListener("click", action);
      bar.appendChild(b);
    }

    bar.className = "controls";
    button("+", "Zoom in", function () { zoom(2, 0.5); });
    button("−", "Zoom out", function () { zoom(0.5, 0.5); });
    button("←", "Earlier", function () { pan(-0.3); });
    button("→", "Later", function () { pan(0.3); });
    button("All", "Show all", all);
    description.className = "description";
    description.setAttribute("aria-live", "polite");
    description.textContent = "Point at a job or tap it. Drag to move; + and − zoom, ← and → move, 0 shows all.";
    figure.insertBefore(bar, svg.parentNode);
    figure.appendChild(description);

    svg.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", function (event) {
      var act = {
        "+": function () { zoom(2, 0.5); }, "=": function () { zoom(2, 0.5); }, "-": function () { zoom(0.5, 0.5); },
        ArrowLeft: function () { pan(-0.2); }, ArrowRight: function () { pan(0.2); }, "0": all, Home: all
      }[event.key];
      if (act) { act(); event.preventDefault(); }
    });
    svg.addEventListener("wheel", function (event) {
      if (event.ctrlKey || event.metaKey) { zoom(event.deltaY > 0 ? 0.8 : 1.25, where(event)); event.preventDefault(); }
    }, { passive: false });
    svg.addEventListener("pointerdown", function (event) {
      describe(event);
      drag = { at: event.clientX, x: x };
    });
    svg.addEventListener("pointermove", function (event) {
      describe(event);
      if (drag) {
        if (event.buttons > 0) {
          x = drag.x - (event.clientX - drag.at) / Math.max(1, view.getBoundingClientRect().width) * wide;
          show();
        } else { drag = null; }
      }
    });
    svg.addEventListener("pointerup", function () { drag = null; });
    show();
  }

  document.querySelectorAll("figure.gantt").forEach(lively);
}());
