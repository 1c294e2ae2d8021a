"use strict";
// Shared by all parts of the page: elements, numbers, the theme. Text enters the page as text nodes
// and attributes, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  for (const child of children) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

// An element with attributes (handlers begin with "on") and children, which are elements or texts.
function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const count = (number) => grouped.format(number);
const plural = (number, one, many) => count(number) + " " + (number === 1 ? one : many);

function share(part, whole) {
  if (!(whole > 0)) return "";
  const percent = (100 * part) / whole;
  if (percent === 0) return "0 %";
  if (percent < 0.01) return "<0.01 %";
  return percent.toFixed(percent < 0.1 ? 2 : percent < 9.95 ? 1 : 0) + " %";
}

// A short form of a number, for an axis.
function brief(number) {
  for (const [unit, letter] of [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ]) {
    if (number >= unit) return +(number / unit).toPrecision(3) + " " + letter;
  }
  return String(+number.toPrecision(3));
}

const cut = (text, most) => {
  const letters = Array.from(text.length > 4 * most ? text.slice(0, 4 * most) : text);
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : text;
};

let lastId = 0;
const freshId = (word) => word + "-" + ++lastId;

const wantsStillness = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// A group of buttons, one of which is pressed.
function choice(label, options, chosen, choose) {
  const group = el("div", { class: "choice", role: "group", "aria-label": label }, el("span", {}, label));
  const buttons = options.map(([value, words]) => {
    const press = () => {
      for (const [other, button] of buttons) button.setAttribute("aria-pressed", String(other === value));
      choose(value);
    };
    return [
      value,
      el("button", { type: "button", "aria-pressed": String(value === chosen), onclick: press }, words),
    ];
  });
  group.append(...buttons.map(([, button]) => button));
  return group;
}

// The numbers of a chart as a table, which is built when it is opened.
function tableOf(caption, heads, rows) {
  const details = el("details", { class: "numbers" }, el("summary", {}, "Show as a table"));
  const build = () => {
    if (!details.open || details.querySelector("table")) return;
    const head = el("tr", {}, ...heads.map((words) => el("th", { scope: "col" }, words)));
    const line = (cells) =>
      el("tr", {}, ...cells.map((cell, i) => (i ? el("td", {}, cell) : el("th", { scope: "row" }, cell))));
    const table = el(
      "table",
      { class: "plain" },
      el("caption", {}, caption),
      el("thead", {}, head),
      el("tbody", {}, ...rows().map(line)),
    );
    details.append(
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table),
    );
  };
  details.addEventListener("toggle", build);
  return details;
}

// The theme of the system, until the reader chooses one, which is stored if the browser allows it.
function setUpTheme(host) {
  const root = document.documentElement;
  const keep = (theme) => {
    try {
      localStorage.setItem("sweepline-theme", theme);
    } catch {
      /* Pages from files may have nowhere to keep it. */
    }
  };
  const apply = (theme) =>
    theme === "auto" ? root.removeAttribute("data-theme") : root.setAttribute("data-theme", theme);
  let kept = "auto";
  try {
    kept = localStorage.getItem("sweepline-theme") || "auto";
  } catch {
    /* As above. */
  }
  if (!["auto", "light", "dark"].includes(kept)) kept = "auto";
  apply(kept);
  const options = [
    ["auto", "Auto"],
    ["light", "Light"],
    ["dark", "Dark"],
  ];
  host.append(
    choice("Theme", options, kept, (theme) => {
      apply(theme);
      keep(theme);
    }),
  );
}
