// On a projector everything should be visible at once: smaller as long as it is readable from afar,
// else page by page, each list by itself, and then as large as its longest page allows.

import { $ } from "./dom.js";

const BODY = ".standings, .pairings";
const LISTS = ".league tbody, .games ul, .pairings ul";
const SMALLEST = 0.62;
const SECONDS_A_PAGE = 12;
const FEWEST = 3;
let paging;

const bottom = (part) => part.getBoundingClientRect().bottom + scrollY;

function showRows(rows, wanted) {
  rows.forEach((row, n) => {
    row.hidden = !wanted(n);
  });
}

// Gives `body` its full size again. Returns a function that makes it smaller until it ends above `end`.
function shrinking(body, end) {
  let scale = 1;
  body.style.fontSize = "";
  return () => {
    for (; bottom(body) > end && scale > SMALLEST; scale -= 0.04)
      body.style.fontSize = `calc(var(--from-afar) * ${scale})`;
  };
}

// How many rows of a list a page holds.
function rowsAPage(rows, end) {
  let most = rows.length;
  while (most > FEWEST && bottom(rows[0].parentElement) > end) {
    most = Math.max(FEWEST, Math.floor(0.95 * most));
    showRows(rows, (n) => n < most);
  }
  const pages = Math.ceil(rows.length / most);
  return Math.ceil(rows.length / pages); // no page of two rows after a full one
}

function showPage(lists, page) {
  for (const { rows, pages, per } of lists)
    showRows(rows, (n) => Math.floor(n / per) === page % pages);
}

export function fit() {
  clearInterval(paging);
  const body = $(BODY);
  const all = [...document.querySelectorAll(LISTS)].map(({ children }) => [...children]);
  all.forEach((rows) => showRows(rows, () => true));
  if (!body || !matchMedia("(min-width: 70rem)").matches) return;
  body.style.fontSize = "";
  const { scrollHeight } = document.documentElement;
  const end = innerHeight - (scrollHeight - bottom(body)); // what follows stays visible
  shrinking(body, end)();
  const lists = all.map((rows) => {
    const per = rowsAPage(rows, end);
    return { rows, per, pages: Math.ceil(rows.length / per) };
  });
  const shrink = shrinking(body, end);
  const most = Math.max(...lists.map(({ pages }) => pages));
  for (let page = 0; page < most; page += 1) {
    showPage(lists, page);
    shrink();
  }
  // By the time since the page was opened: news must not bring the first page back.
  const turn = () => showPage(lists, Math.floor(performance.now() / (1000 * SECONDS_A_PAGE)));
  turn();
  paging = setInterval(turn, 1000);
}
