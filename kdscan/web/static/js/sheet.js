// One sheet: its score, doubts first, the board and the photo, and the effect of a tap.

import { get, post } from "./api.js";
import { cellName, focusPart, highlight } from "./board.js";
import { winners } from "./book.js";
import { COATS, coatName, icon } from "./coats.js";
import { announce, h, put, sign, toast } from "./dom.js";
import { choice, openEditor, options } from "./editor.js";
import { explain } from "./errors.js";
import { pointsText, problemText, t, tn, when } from "./i18n.js";
import { hasScore, kindOf } from "./kinds.js";
import { whoseField } from "./names.js";
import { photoView } from "./photo.js";
import { explanation, heading, total } from "./score.js";
import { share } from "./share.js";

// Draws a sheet into `place` and keeps it up to date. onChange(sheet) gets its new state;
// onOther(sheet, part) a tap on another sheet of the photo.
export function sheetView(
  place,
  photo,
  first,
  { onChange = () => {}, onOther = () => {}, keys = false, bar = true } = {},
) {
  const page = photo.pages.find((one) => one.page === first.page),
    kind = kindOf(first),
    may = photo.can_correct;
  let sheet = first,
    before = null,
    widest = first.range,
    view = "board";

  // Whether somebody else has changed the sheet meanwhile, or only what matters of it: then it is shown,
  // because nobody confirms or undoes what they have not seen.
  async function unseen(matters) {
    const now = await get(`/api/sheets/${sheet.id}`, true);
    if (JSON.stringify(matters(now)) === JSON.stringify(matters(sheet))) return false;
    await set(now);
    return true;
  }

  // One after another, so that the last answer drawn is the last one given. whole: it concerns
  // everything that is shown. body: may be a function of what is shown by then.
  let sent = Promise.resolve();
  const send = (path, body, message, whole = false) =>
    (sent = sent.then(async () => {
      try {
        if (whole && (await unseen((one) => one.corrections))) {
          toast(t("Please check"));
          return null;
        }
        await set(
          await post(`/api/sheets/${sheet.id}/${path}`, typeof body === "function" ? body() : body),
        );
        announce(hasScore(sheet) ? `${message}. ${pointsText(sheet.score.total)}` : message);
        return null;
      } catch (error) {
        more.show(); // its fields already show what was refused
        toast(explain(error));
        return error;
      }
    }));
  const look = () => (sent = sent.then(() => unseen((one) => one)).catch(() => null)); // without a network nothing is new
  const owner =
    hasScore(first) &&
    bar &&
    may &&
    whoseField(first.kind, (name) => send("name", { name }, t("Player: {name}", { name })));
  const find = (id) => kind.parts(sheet).find((part) => part.id === id);
  const say = (id, value) => {
    const part = find(id);
    return send(...part.request(part, value), `${part.name}: ${part.words(value)}`);
  };
  const undo = () =>
    may &&
    sheet.can_undo &&
    send(
      "undo",
      () => ({ correction: sheet.corrections.filter((one) => !one.undone).at(-1)?.id }),
      t("Undone"),
      true,
    );
  const confirm = () => send("confirm", {}, t("Confirmed"), true);
  const edit = (id) =>
    openEditor(page, find(id), async (value) => {
      await say(id, value);
      focusPart(place, id);
    });

  function show(fresh) {
    before = sheet.score?.total ?? null;
    sheet = fresh;
    draw();
  }

  async function set(fresh) {
    show(fresh);
    await onChange(sheet);
  }

  function doubts() {
    const hidden = hiddenOf(sheet);
    const open = kind
      .parts(sheet)
      .filter((part) => part.review && !hidden.has(part.id))
      .sort((a, b) => a.confidence - b.confidence);
    if (sheet.photograph_again || (!open.length && !sheet.review)) return null;
    return h(
      "section",
      { class: "doubts" },
      h("h2", {}, open.length ? kind.toLook(open.length) : t("Please check")),
      h(
        "div",
        { class: "doubt-row" },
        open.map((part) => {
          const cut = page.view && part.crop(page);
          return h(
            "article",
            {
              class: cut?.classList.contains("strip") ? "doubt card tall" : "doubt card",
              "aria-label": part.name,
            },
            h("h3", {}, part.name),
            cut,
            h(
              "div",
              { class: "choices" },
              options(part)
                .slice(0, 3)
                .map(([value, p]) => choice(part, value, p, may && (() => say(part.id, value)))),
            ),
            may &&
              h(
                "button",
                { type: "button", class: "choice more", onclick: () => edit(part.id) },
                t("other…"),
              ),
          );
        }),
      ),
      may &&
        h(
          "button",
          { type: "button", class: "quiet wide", onclick: confirm },
          t("The whole sheet is right"),
        ),
    );
  }

  const notes = () =>
    sheet.problems.length
      ? h(
          "ul",
          { class: "problems card" },
          sheet.problems.map((problem) =>
            h(
              "li",
              { class: problem.severity },
              problemText(problem),
              problem.cells.length && problem.cells.length <= MOST_NAMED
                ? ` (${problem.cells.map(([r, c]) => cellName(r, c)).join(" ")})`
                : "",
            ),
          ),
        )
      : null;

  // Shields lie outside the photo: instead of a total it says what to do.
  function again() {
    const { size } = hiddenOf(sheet);
    return h(
      "section",
      { class: "total again" },
      h("h2", {}, t("Photograph again")),
      h(
        "p",
        { role: "alert" },
        tn(
          "{n} shield lies at the picture's edge or beyond it, so there is no total.",
          "{n} shields lie at the picture's edge or beyond it, so there is no total.",
          size,
        ),
      ),
      bar && h("p", {}, h("a", { class: "main", href: "#/" }, t("Photograph again"))),
    );
  }

  // Buttons that are created once, so that keyboard users keep the focus on them.
  const tab = (name, label) => [
    name,
    h(
      "button",
      {
        type: "button",
        class: "tab",
        onclick: () => {
          view = name;
          draw();
        },
      },
      label,
    ),
  ];
  const views = [tab("board", kind.name()), tab("photo", t("Photo")), tab("ink", t("Ink"))],
    viewTabs = h("div", { class: "tabs", role: "group", "aria-label": t("View") });
  const undoButton = h(
    "button",
    { type: "button", class: "bar-button", onclick: undo },
    sign("↶"),
    t("Undo"),
  );
  const gameLink = h(
    "a",
    { class: "bar-button", href: `#/versus/${first.id}` },
    sign("⚔"),
    t("Game"),
  );
  const shareButton = h(
    "button",
    { type: "button", class: "bar-button", onclick: () => share([sheet], null) },
    sign("⇪"),
    t("Share"),
  );
  const foot = h("div", { class: "bar" });

  function showButtons() {
    for (const [name, one] of views) one.setAttribute("aria-pressed", String(view === name));
    put(
      viewTabs,
      views.filter(([name]) => name !== "ink" || sheet.ink).map(([, one]) => one),
    );
    undoButton.disabled = !sheet.can_undo;
    put(
      foot,
      may && undoButton,
      hasScore(sheet) && gameLink,
      hasScore(sheet) && !sheet.photograph_again && shareButton,
    );
  }

  // Statements about the sheet as a whole. Fields are created once, so that an incoming answer closes
  // nothing that somebody has opened.
  const MORE = {
    duel_map() {
      const pick = h(
        "select",
        {
          disabled: !may,
          id: `wizard-${sheet.id}`,
          onchange: (event) => send("wizard", { coat: event.target.value || null }, t("Wizard")),
        },
        h("option", { value: "" }, t("not on this map")),
        COATS.map((coat) => h("option", { value: coat }, coatName(coat))),
      );
      const element = h(
        "p",
        { class: "wizard" },
        h(
          "label",
          { for: `wizard-${sheet.id}` },
          icon({ coat: "filled", crosses: 0 }),
          " ",
          t("The wizard's 3 points for each domain of"),
        ),
        pick,
      );
      return {
        element,
        show: () => {
          pick.value = sheet.chosen_coat ?? "";
        },
      };
    },
    kingdom() {
      const boxes = Object.entries({
        middle_kingdom: t("Middle Kingdom: 10 for a castle in the middle"),
        harmony: t("Harmony: 5 for a complete kingdom"),
      }).map(([name, label]) => {
        const box = h("input", {
          type: "checkbox",
          onchange: () =>
            send(
              "variants",
              Object.fromEntries(boxes.map((one) => [one.name, one.box.checked])),
              label,
            ),
        });
        return { name, box, element: h("label", { class: "switch" }, box, label) };
      });
      const element = h(
        "fieldset",
        { class: "wizard", disabled: !may || first.extras_fixed },
        h("legend", {}, t("Extra rules")),
        boxes.map((one) => one.element),
      );
      return {
        element,
        show: () =>
          boxes.forEach(({ name, box }) => {
            box.checked = sheet.variants[name];
          }),
      };
    },
    duel_spellbook() {
      const element = h("div", {});
      return { element, show: () => put(element, winners(sheet)) };
    },
  };
  const more = MORE[sheet.kind]();

  const past = h("details", { class: "history" });
  function history() {
    const summary = past.firstChild ?? h("summary", {});
    summary.textContent = tn("{n} decision", "{n} decisions", sheet.corrections.length);
    put(
      past,
      summary,
      h(
        "ol",
        {},
        sheet.corrections.map((one) =>
          h(
            "li",
            { class: one.undone ? "undone" : "" },
            h("strong", {}, decided(one)),
            " ",
            h("span", { class: "who" }, `${one.who || t("somebody")}, ${when(one.at)}`),
          ),
        ),
      ),
    );
    return sheet.corrections.length > 0 && past;
  }

  function decided(one) {
    const id = one.cell
      ? one.cell.join()
      : one.what === "line"
        ? `line:${one.player},${one.coat}`
        : one.what === "choice"
          ? `choice:${one.player}`
          : null;
    const part = id && find(id);
    if (part)
      return `${part.name}: ${part.words(one.what === "choice" ? { coat: one.new } : one.new)}`;
    switch (one.what) {
      case "place":
        return t("Player: {name}", { name: one.new?.player ?? one.new?.code ?? "–" });
      case "confirmed":
        return t("Confirmed");
      case "variants":
        return t("Extra rules");
      case "ignored":
        return one.new ? t("Do not count it") : t("Count it again");
      case "same_as":
        return one.new ? t("It is the same sheet") : t("One code, different sheets");
      default:
        return t("Wizard");
    }
  }

  function draw() {
    const scrolled = place.querySelector(".doubt-row")?.scrollLeft ?? 0;
    const active = place.contains(document.activeElement) ? document.activeElement : null;
    const focused = active?.closest("[data-cell]")?.dataset.cell,
      asked = [...place.querySelectorAll(".doubt")].indexOf(active?.closest(".doubt"));
    const board = kind.draw(sheet, {
      onCell: may && ((row, col) => edit(col === undefined ? row : `${row},${col}`)),
    });
    const mine = photo.sheets
      .map((other) => (other.id === sheet.id ? sheet : other))
      .filter((s) => s.page === sheet.page);
    more.show();
    showButtons();
    if (owner) owner.show(sheet, photo.sheets.map((other) => other.player).filter(Boolean));
    put(
      place,
      sheet.photograph_again
        ? again()
        : hasScore(sheet)
          ? total(sheet, before, widest)
          : heading(sheet, kind.name()),
      !may && h("p", { class: "none" }, explain({ code: "not_yours" })),
      !sheet.photograph_again && notes(),
      doubts(),
      bar && viewTabs,
      view === "board"
        ? h("div", { class: "board-box" }, board)
        : view === "ink" && sheet.ink
          ? inkView(sheet)
          : photoView(
              page,
              mine,
              may && ((s, part) => (s.id === sheet.id ? edit(part) : onOther(s, part))),
              sheet,
            ),
      owner && owner.element,
      hasScore(sheet) &&
        !sheet.photograph_again &&
        explanation(sheet, (cells) => highlight(board, cells)),
      more.element,
      history(),
      bar && foot,
    );
    // The row keeps its scroll position, so that the next doubt moves there.
    if (scrolled)
      place.querySelector(".doubt-row")?.scrollTo({ left: scrolled, behavior: "instant" });
    if (focused) place.querySelector(`[data-cell="${focused}"]`)?.focus({ preventScroll: true });
    else if (active && (!active.isConnected || active.disabled))
      nextAfter(asked)?.focus({ preventScroll: true });
  }

  // Where the focus goes when its element is gone: to the doubt in its place, else to a remaining
  // button.
  const nextAfter = (asked) =>
    [...place.querySelectorAll(".doubt")]
      .slice(0, asked + 1)
      .at(-1)
      ?.querySelector("button") ??
    place.querySelector(".doubts button, .bar :enabled") ??
    place.querySelector("button:enabled");

  draw();
  if (keys)
    place.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "z" && !event.target.closest("input"))
        undo();
    });
  return {
    get sheet() {
      return sheet;
    },
    find,
    show,
    say,
    undo,
    confirm,
    edit,
    look,
  };
}

const MOST_NAMED = 8;

// Only the ink, without the print: the best answer to "what did you see?".
const inkView = (sheet) =>
  h(
    "figure",
    { class: "ink-box" },
    h("img", { src: sheet.ink, alt: t("What was drawn on the sheet, without its print") }),
    h("figcaption", {}, t("What was drawn, without the print of {name}", { name: sheet.layout })),
  );

// Cells that the picture's edge cuts off: nothing of them is visible.
const hiddenOf = (sheet) =>
  new Set(
    (sheet.photograph_again ? sheet.problems : [])
      .filter((one) => one.code === "cut_off")
      .flatMap((one) => one.cells.map((at) => at.join())),
  );
