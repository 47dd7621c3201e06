// A sheet that is open at the desk: its photo, its board, and the place that has the focus, enlarged
// with its possible values.

import { focusPart } from "./board.js";
import { where } from "./cards.js";
import { button, h, put, typing } from "./dom.js";
import { choices } from "./editor.js";
import { t } from "./i18n.js";
import { hasScore, kindOf } from "./kinds.js";
import { otherOwner } from "./owners.js";
import { photoView } from "./photo.js";
import { sheetView } from "./sheet.js";

// Says whether the sheet is right, counts, or is another player's. confirm(): it is right.
function sheetSide({ card, photo, sheet, desk, act, confirm }, board) {
  const counts = card.sheets[0].status !== "ignored";
  const name = [card.player, photo.name, where(card)].filter(Boolean).join(" · ");
  const right = button(t("The whole sheet is right"), confirm, { class: "main accept" });
  const ignore = button(counts ? t("Do not count it") : t("Count it again"), () =>
    act({ type: "ignore", sheet: sheet.id, ignored: counts }),
  );
  return h("section.desk-sheet", { "aria-label": t("Sheet") }, [
    h("h2.file-name", name),
    board,
    (sheet.review || card.kind === "rules") && right,
    h("p", ignore),
    hasScore(sheet) && otherOwner(card, desk, act),
  ]);
}

// Draws a card's sheet into `body`. given: card, photo, sheet, desk, and how its buttons act:
// act(path, what); confirm(); say(id, value): a value was tapped. tell(text): for screen readers.
export function openSheet(body, given) {
  const { photo, sheet } = given;
  const page = photo.pages.find((one) => one.page === sheet.page);
  const board = h("div.sheet");
  const side = sheetSide(given, board);
  const whole = h("section.desk-photo", { "aria-label": t("Photo") });
  const enlarged = h("section.desk-shield", {
    "aria-label": t("This place in the photo"),
  });
  put(body, h("div.desk-left", whole, enlarged), side);

  const showPhoto = (now) =>
    put(
      whole,
      page.view &&
        photoView(page, [now], (_, part) => focusPart(board, part), now, { upright: true }),
    );
  board.addEventListener("focusin", () => {
    const part = current();
    if (part && page.view) put(enlarged, part.crop(page), valuesOf(part, given.say));
  });
  const view = sheetView(board, photo, sheet, { onChange: showPhoto, bar: false });

  // The shield, square or line that has the focus.
  function current() {
    const now = document.activeElement?.closest?.("[data-cell]");
    return now && body.contains(now) ? (view.find(now.dataset.cell) ?? null) : null;
  }

  const focusOn = (id) => typing() || focusPart(side, id);

  // The next doubtful place of the sheet; false if there is none left.
  function nextDoubt() {
    const parts = kindOf(view.sheet).parts(view.sheet);
    const now = current();
    const from = parts.findIndex((part) => part.id === now?.id);
    const doubtful = (part) => part.review;
    const next = parts.slice(from + 1).find(doubtful) ?? parts.find(doubtful);
    focusOn((next ?? now ?? parts[0]).id);
    given.tell(next?.name);
    return Boolean(next);
  }

  showPhoto(sheet);
  const { scrollY } = window;
  nextDoubt();
  scrollTo(0, scrollY); // the sheet's own column scrolls to it; a page that scrolls as a whole shows the card from its top
  return { view, current, focusOn, nextDoubt };
}

const valuesOf = (part, say) =>
  h("div", [h("h2", part.name), choices(part, (value) => say(part.id, value), 3)]);
