// Draws the page's figure: token names become colours, again whenever the theme changes.
"use strict";

(() => {
  const place = document.getElementById("chart");
  const source = document.getElementById("chart-figure");
  if (!place || !source || !window.Plotly) return;
  const figure = JSON.parse(source.textContent);
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);

  // A colour is read back from an element, so that light-dark() is settled; a font from its property.
  const settled = (text) => {
    if (text === "var(--font)") return getComputedStyle(document.documentElement).getPropertyValue("--font");
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

  const legend = (bars) => {
    const items = [...bars].reverse().map((bar) => {
      const item = document.createElement("li");
      const mark = document.createElement("i");
      mark.style.background = bar.marker.pattern ? bar.marker.pattern.fgcolor : bar.marker.color;
      item.append(mark, bar.name);
      return item;
    });
    document.getElementById("legend").replaceChildren(...items);
  };

  const draw = () => {
    const { data, layout } = resolved(figure);
    const narrow = window.matchMedia("(max-width: 560px)").matches;
    if (narrow) layout.margin = { ...layout.margin, l: 40, r: 8 };
    window.Plotly.react(place, data, layout, { displayModeBar: false, responsive: true });
    legend(data);
  };

  draw();
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
})();
