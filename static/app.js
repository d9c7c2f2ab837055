// What a page cannot do without a script: draw its figure, open the menu, change the colours at once.
"use strict";

(() => {
  const root = document.documentElement;
  const probe = document.createElement("span");
  probe.hidden = true;
  root.classList.add("js");

  // A colour is read back from an element, so that light-dark() is settled; a font from its property.
  const settled = (text) => {
    if (text === "var(--font)") return getComputedStyle(root).getPropertyValue("--font");
    probe.style.color = text;
    return getComputedStyle(probe).color;
  };
  const resolved = (value) => {
    if (typeof value === "string") return value.startsWith("var(--") ? settled(value) : value;
    if (Array.isArray(value)) return value.map(resolved);
    if (value && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolved(inner)]));
    return value;
  };

  // On a narrow page names stand in a list below, and the bars are those of the last 15 days.
  const narrow = window.matchMedia("(max-width: 560px)");
  const fitted = (layout) => {
    if (!narrow.matches) return layout;
    const axis = layout.xaxis;
    const first = new Date(Date.parse(`${axis.range[1]}Z`) - 15 * 86400000).toISOString().slice(0, 16);
    const annotations = layout.annotations.filter(({ name }) => name !== "direct");
    const range = first > axis.range[0] ? [first, axis.range[1]] : axis.range;
    return { ...layout, annotations, xaxis: { ...axis, range }, margin: { ...layout.margin, l: 44, r: 8 } };
  };

  const legend = (bars) => {
    const items = bars.filter(({ meta }) => meta.series !== null).map((bar) => {
      const item = document.createElement("li");
      const mark = document.createElement("i");
      mark.style.background = bar.marker.pattern ? bar.marker.pattern.fgcolor : bar.marker.color;
      item.append(mark, bar.meta.series);
      return item;
    });
    document.getElementById("legend").replaceChildren(...items);
  };

  const draw = () => {
    const place = document.getElementById("chart");
    if (!place || !window.Plotly) return;
    document.body.append(probe);
    const { data, layout } = resolved(JSON.parse(place.dataset.figure));
    window.Plotly.react(place, data, fitted(layout), { displayModeBar: false, responsive: true });
    legend(data);
  };

  const paint = (theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const button of document.querySelectorAll(".theme button"))
      button.setAttribute("aria-pressed", String(button.value === theme));
  };

  document.addEventListener("submit", (event) => {
    if (!event.target.matches(".theme") || !event.submitter) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(event.target, event.submitter));
    paint(event.submitter.value);
    fetch(event.target.action, { method: "POST", body, redirect: "manual" });
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("#menu");
    if (button) {
      const open = document.getElementById("side").classList.toggle("open");
      button.setAttribute("aria-expanded", String(open));
    }
    for (const drop of document.querySelectorAll("details.drop[open]")) if (!drop.contains(event.target)) drop.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const drop of document.querySelectorAll("details.drop[open]")) {
      drop.open = false;
      drop.querySelector("summary").focus();
    }
  });

  // An answer without the frame is another page, the log-in for one: go there as a plain link would.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    if (xhr.status < 500 && !xhr.responseText.includes('id="frame"')) {
      event.detail.shouldSwap = false;
      window.location.assign(xhr.responseURL || window.location.href);
    }
  });
  document.addEventListener("htmx:beforeSwap", () => window.Plotly && document.getElementById("chart") && window.Plotly.purge("chart"));
  document.addEventListener("htmx:afterSettle", () => {
    draw();
    if (document.activeElement === document.body) document.getElementById("content").focus({ preventScroll: true });
  });
  document.addEventListener("htmx:historyRestore", draw);

  draw();
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  narrow.addEventListener("change", draw);
  new MutationObserver(draw).observe(root, { attributeFilter: ["data-theme"] });
})();
