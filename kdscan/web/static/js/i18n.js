// Texts in the reader's language. The page carries the catalogue; English is the key.

const words = JSON.parse(document.getElementById("words").textContent);
export const { language, messages, problems } = words;
const plural = new Intl.PluralRules(language);

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
export const t = (text, values = {}) => filled(messages[text] ?? text, values);

// A text with a plural: tn("{n} map", "{n} maps", 3); catalogues have more plural forms.
export function tn(one, many, n, values = {}) {
  const forms = messages[one];
  let text = n === 1 ? one : many;
  if (typeof forms === "object") text = forms[plural.select(n)] ?? forms.other ?? forms.many;
  return filled(text, { n: n.toLocaleString(language), ...values });
}

export const pointsText = (n) => tn("{n} point", "{n} points", n);

// A problem of a sheet: in English its own message, in other languages the text for its code.
export const problemText = ({ code, message }) =>
  language !== "en" && problems[code] ? t(problems[code]) : message;

// One of the program's messages as a sentence, to stand alone; values: for its braces, as they are.
export function sentence(text, values = {}) {
  const whole = filled(text.charAt(0).toLocaleUpperCase(language) + text.slice(1), values);
  return whole + (/[.!?]$/.test(whole) ? "" : ".");
}

export const percent = (p) => {
  const whole = Math.min(99, Math.floor(100 * p + 1e-9)); // no reading is entirely certain
  const text = (Math.max(1, whole) / 100).toLocaleString(language, { style: "percent" });
  return whole ? text : `< ${text}`;
};

// Dates as in the reader's region, if it speaks the page's language: en-GB and not en-US. Chromium
// on a Linux without a language says en-US@posix, which no format takes.
const isOwn = (tag) => tag.split("-")[0] === language && !tag.includes("@");
const region = navigator.languages.find(isOwn) ?? language;

const FORMAT = { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" };
export const when = (iso) => new Date(iso).toLocaleString(region, FORMAT);

// What there is to say, on one line.
export const joined = (...parts) => parts.filter(Boolean).join(" · ");
