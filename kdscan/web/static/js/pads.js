// Prints of pads: offered if a sheet of an unknown one leaves doubts; and the list of known ones.

import { get, post, session, upload } from "./api.js";
import { $, announce, h, put, s, sign, toast } from "./dom.js";
import { explain } from "./errors.js";
import { t, tn } from "./i18n.js";

const DECLINED = "pads-declined"; // whoever declines is not asked again

const remembered = () => {
  try {
    return localStorage.getItem(DECLINED) !== null;
  } catch {
    return false;
  }
};
const remember = () => {
  try {
    localStorage.setItem(DECLINED, "1");
  } catch {
    /* private windows forget */
  }
};

const isNew = (sheet) =>
  sheet.kind === "duel_map" && sheet.layout === "unknown" && sheet.review && !sheet.confirmed;

// A card that asks for a photo of an unmarked sheet, or null if that would not help or this session
// may not do it. onLearned(photos) gets the photos that are read again.
export function offer(sheets, onLearned) {
  if (session.role !== "desk" || remembered() || !sheets.some(isNew)) return null;
  const card = h(
    "details",
    { class: "card offer" },
    h(
      "summary",
      {},
      h("strong", {}, t("These sheets are new to me.")),
      " ",
      t("Photograph an empty one and I will read them better."),
    ),
    teacher(async (learned) => {
      card.remove();
      await onLearned(learned.again);
    }),
    h(
      "button",
      {
        type: "button",
        class: "quiet",
        onclick: () => {
          remember();
          card.remove();
        },
      },
      t("Not now"),
    ),
  );
  return card;
}

// A name and the camera; onLearned(print) gets the learned print.
function teacher(onLearned) {
  const name = h("input", {
    type: "text",
    maxlength: "60",
    placeholder: t("My pad"),
    autocomplete: "off",
  });
  const state = h("p", { role: "alert", class: "failed-why" });
  const input = h("input", {
    type: "file",
    class: "visually-hidden",
    accept: "image/*",
    capture: "environment",
    onchange: learn,
  });
  const button = h(
    "label",
    { class: "capture" },
    input,
    sign("◉", "symbol"),
    t("Photograph an empty sheet"),
  );
  const busy = h("progress", { hidden: true, "aria-label": t("Learning") });
  async function learn() {
    const [file] = input.files;
    input.value = "";
    if (!file) return;
    put(state);
    busy.hidden = false;
    input.disabled = true;
    try {
      const called = name.value.trim() || (await freeName());
      const learned = await upload(
        { name: file.name, blob: file },
        () => {},
        `/api/prints?name=${encodeURIComponent(called)}`,
      );
      announce(t("{name} is known now.", { name: learned.name }));
      toast(t("{name} is known now.", { name: learned.name }));
      name.value = "";
      await onLearned(learned);
    } catch (error) {
      put(state, explain(error));
    } finally {
      busy.hidden = true;
      input.disabled = false;
    }
  }
  return h(
    "div",
    { class: "teacher" },
    h("label", { class: "field" }, t("What is the pad called?"), name),
    button,
    busy,
    state,
  );
}

// The default name of a pad, chosen so that no other print is replaced by accident.
async function freeName() {
  const taken = new Set((await get("/api/prints")).prints.map((one) => one.name.toLowerCase())),
    plain = t("My pad");
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? plain : `${plain} ${n}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

// The picture of what was found in a print, with its grid's corners to drag by finger, mouse or arrow
// keys. done(corners) gets their new places, and a promise says when they are saved; done(null) means no change.
function gridOf(one, done) {
  const at = [
    [47.5, 47.5],
    [943.5, 47.5],
    [943.5, 687.5],
    [47.5, 687.5],
  ]; // corners of the grid in a print's picture, 992 × 736
  const lines = s("path", { class: "grid" });
  const between = (across, down) =>
    [0, 1].map(
      (i) =>
        (1 - down) * ((1 - across) * at[0][i] + across * at[1][i]) +
        down * ((1 - across) * at[3][i] + across * at[2][i]),
    );
  const line = (from, to) => `M${between(...from)}L${between(...to)}`;
  const draw = () => {
    lines.setAttribute(
      "d",
      [...Array(8).keys()]
        .map((n) => line([n / 7, 0], [n / 7, 1]))
        .concat([...Array(6).keys()].map((n) => line([0, n / 5], [1, n / 5])))
        .join(""),
    );
    handles.forEach((handle, n) => {
      handle.setAttribute("cx", at[n][0]);
      handle.setAttribute("cy", at[n][1]);
    });
  };
  const move = (n, x, y) => {
    at[n] = [Math.min(992, Math.max(0, x)), Math.min(736, Math.max(0, y))];
    draw();
  };
  const keys = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const handles = at.map((_, n) =>
    s("circle", {
      r: 22,
      tabindex: 0,
      role: "button",
      "aria-label": t("Corner {n}", { n: n + 1 }),
      onpointerdown: (event) => {
        handles[n].setPointerCapture(event.pointerId);
        event.preventDefault();
        handles[n].focus();
      },
      onpointermove: (event) => {
        if (!handles[n].hasPointerCapture(event.pointerId)) return;
        const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(
          svg.getScreenCTM().inverse(),
        );
        move(n, x, y);
      },
      onkeydown: (event) => {
        const by = keys[event.key],
          far = event.shiftKey ? 10 : 1;
        if (!by) return;
        event.preventDefault();
        move(n, at[n][0] + far * by[0], at[n][1] + far * by[1]);
      },
    }),
  );
  const svg = s(
    "svg",
    {
      class: "corners",
      viewBox: "0 0 992 736",
      role: "group",
      "aria-label": t("The print of {name}", { name: one.name }),
    },
    s("image", { href: one.found, width: 992, height: 736 }),
    lines,
    handles,
  );
  draw();
  const busy = h("progress", { hidden: true, "aria-label": t("Learning") });
  const save = h(
    "button",
    {
      type: "button",
      class: "main",
      onclick: async () => {
        save.disabled = true;
        busy.hidden = false;
        await done(at); // tells of a failure itself
        save.disabled = false;
        busy.hidden = true;
      },
    },
    t("Save corners"),
  );
  return h(
    "div",
    { class: "put-right" },
    h("p", {}, t("Drag the corners of the grid to where the lines of the map end.")),
    svg,
    h(
      "p",
      {},
      save,
      " ",
      h("button", { type: "button", class: "quiet", onclick: () => done(null) }, t("Cancel")),
    ),
    busy,
  );
}

// The prints that the event knows, with their pictures. enter(): the tab is opened again; pads may have
// been learned meanwhile.
export function knownPrints() {
  const count = h("span", { class: "count" }),
    list = h("ul", {});
  let asked = 0;
  const learns = h("input", {
    type: "checkbox",
    onchange: () => tell(post("/api/prints/learning", { on: learns.checked })),
  });
  const show = ({ prints, learns: on }) => {
    learns.checked = on;
    count.textContent = String(prints.length);
    put(
      list,
      prints.length ? prints.map(entry) : h("li", { class: "none" }, t("No known pads yet.")),
    );
  };
  const entry = (one) =>
    h(
      "li",
      {},
      h("img", {
        src: one.picture,
        alt: t("The print of {name}", { name: one.name }),
        loading: "lazy",
        width: "248",
        height: "184",
      }),
      h(
        "div",
        {},
        h("strong", {}, one.name),
        h(
          "small",
          {},
          tn("learned from {n} sheet", "learned from {n} sheets", one.sheets),
          one.by_itself ? `, ${t("automatically")}` : "",
        ),
        h(
          "button",
          {
            type: "button",
            class: "quiet",
            onclick: (event) => correct(one, event.target.closest("li")),
          },
          t("Adjust"),
        ),
        h(
          "button",
          {
            type: "button",
            class: "quiet",
            onclick: () =>
              confirm(t("Forget {name}?", { name: one.name })) &&
              tell(post(`/api/prints/${one.id}/forget`)),
          },
          t("Forget"),
        ),
      ),
    );
  // Of several answers the one requested last is the newest.
  const tell = (answer, turn = ++asked) =>
    answer.then((prints) => turn === asked && show(prints)).catch((error) => toast(explain(error)));
  const refresh = () => tell(get("/api/prints"));
  const correct = (one, item) =>
    put(
      item,
      gridOf(one, (corners) =>
        corners ? tell(post(`/api/prints/${one.id}/corners`, { corners })) : refresh(),
      ),
    );
  refresh();
  const element = h(
    "section",
    { class: "prints card" },
    h("h2", {}, t("Known pads"), " ", count),
    list,
    h(
      "label",
      { class: "switch" },
      learns,
      " ",
      t("Learn pads automatically, from four of their sheets"),
    ),
    h("h3", {}, t("Learn another pad")),
    teacher(refresh),
  );
  return { element, enter: () => $(".corners", list) ?? refresh() };
}
