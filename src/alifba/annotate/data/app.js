// Keys, panels and focus. Every action is a button or a link of the page; a key only presses it.
"use strict";

const KEYS_OFF = "alifba-keys-off";
let leaving = false;

const isTyping = (element) => element.matches("textarea, select, input:not([type=radio], [type=checkbox])");
const openDialog = () => document.querySelector("dialog[open]");

// A letter of another alphabet is taken by its place on the keyboard; Arabic keyboards may write digits of their own.
const DIGITS = ["٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹"];

function keyOf(event) {
  for (const digits of DIGITS) {
    if (event.key.length === 1 && digits.includes(event.key)) {
      return String(digits.indexOf(event.key));
    }
  }
  if (/^[^\x00-\x7f]$/.test(event.key) && event.code.startsWith("Key")) {
    return event.code.slice(3).toLowerCase();
  }
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

function show(dialog) {
  dialog.showModal();
  const first = dialog.querySelector("[data-start]") || dialog.querySelector("h2");
  first.focus();
}

// Enter on something that answers to Enter itself is left to the browser.
const isOwnKey = (key, element) => key === "Enter" && element.matches("button, a, summary, input, textarea, select");

function press(key) {
  const scope = openDialog() || document;
  for (const target of scope.querySelectorAll("[data-key]")) {
    if (target.dataset.key !== key || target.disabled || (scope === document && target.closest("dialog"))) {
      continue;
    }
    if (target.matches("input")) {
      target.focus();
    } else {
      target.click();
    }
    return true;
  }
  return false;
}

// A digit gives points to the criterion in focus, or to the first one without, and goes on to the next.
function givePoints(digit) {
  const criteria = [...document.querySelectorAll("fieldset.points")];
  const current =
    criteria.find((one) => one.contains(document.activeElement)) ||
    criteria.find((one) => !one.querySelector(":checked"));
  const choice = current && current.querySelector(`input[value="${digit}"]`);
  if (!choice) {
    return false;
  }
  choice.checked = true;
  choice.focus();
  const next = criteria[criteria.indexOf(current) + 1];
  if (next) {
    (next.querySelector(":checked") || next.querySelector("input")).focus();
  }
  return true;
}

function onKey(event) {
  const element = event.target;
  if (event.isComposing || event.repeat || event.altKey || leaving) {
    return;
  }
  if (event.ctrlKey || event.metaKey) {
    const button = event.key === "Enter" && document.querySelector("[data-enter]");
    if (button) {
      event.preventDefault();
      button.click();
    }
    return;
  }
  const key = keyOf(event);
  if (isTyping(element)) {
    if (key === "Escape" && !openDialog()) {
      element.blur();
      event.preventDefault();
    }
    return;
  }
  if (key !== "Escape" && key !== "Enter" && key !== "?" && localStorage.getItem(KEYS_OFF)) {
    return;
  }
  const moves = element.matches("input[type=radio]") && key.startsWith("Arrow");
  if (moves || isOwnKey(key, element) || (key === "Escape" && openDialog())) {
    return;
  }
  if ((!openDialog() && /^[0-5]$/.test(key) && givePoints(key)) || press(key)) {
    event.preventDefault();
  }
}

function onClick(event) {
  const opener = event.target.closest("[data-opens]");
  if (opener) {
    show(document.getElementById(opener.dataset.opens));
  }
  if (event.target.closest("[data-closes]")) {
    openDialog().close();
  }
  const copier = event.target.closest("[data-copies]");
  if (copier) {
    const text = document.getElementById(copier.dataset.copies);
    text.select();
    navigator.clipboard.writeText(text.value).then(() => {
      copier.textContent = copier.dataset.done;
    });
  }
}

// A second press while the answer to the first is on its way must not decide on the next item.
function onSubmit(event) {
  if (event.target.method === "dialog") {
    return;
  }
  if (leaving) {
    event.preventDefault();
  }
  leaving = true;
}

function labelKeys() {
  const button = document.getElementById("keys");
  const off = Boolean(localStorage.getItem(KEYS_OFF));
  button.textContent = off ? button.dataset.off : button.dataset.on;
  button.setAttribute("aria-pressed", String(!off));
}

function switchKeys() {
  if (localStorage.getItem(KEYS_OFF)) {
    localStorage.removeItem(KEYS_OFF);
  } else {
    localStorage.setItem(KEYS_OFF, "1");
  }
  labelKeys();
}

// A screen reader announces a live region only when it changes after the page was loaded.
function announce() {
  for (const region of document.querySelectorAll("[role=status], [role=alert]")) {
    const text = region.textContent;
    region.textContent = "";
    setTimeout(() => {
      region.textContent = text;
    }, 150);
  }
}

function start() {
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", onClick);
  document.addEventListener("submit", onSubmit);
  window.addEventListener("pageshow", () => {
    leaving = false;
  });
  document.getElementById("keys").addEventListener("click", switchKeys);
  labelKeys();
  const first = document.querySelector("[data-focus]");
  if (first) {
    first.focus();
  }
  const asked = document.querySelector("dialog[data-open]");
  if (asked) {
    show(asked);
  }
  announce();
  document.documentElement.dataset.ready = "true";
}

start();
