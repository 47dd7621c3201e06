// The sheets that a game lacks, chosen from the photos: the opponent, further kingdoms, the spellbook.

import { get, whenRead } from "./api.js";
import { h, put } from "./dom.js";
import { t } from "./i18n.js";
import { joinForm } from "./join.js";
import { send } from "./home.js";
import { briefly, hasScore } from "./kinds.js";
import { photoButtons } from "./take.js";
import { uploadList } from "./uploads.js";

const MOST_KINGDOMS = 4;

// All sheets of photos, with their photos, besides those given.
const others = (photos, kind, but) =>
  photos
    .flatMap((photo) => photo.sheets.map((sheet) => ({ photo, sheet })))
    .filter(({ sheet }) => sheet.kind === kind && !but.includes(sheet.id));

const links = (list, href) =>
  h("ul.results", [
    list.map(({ photo, sheet }) =>
      h("li", [
        h("a.result.card", { href: href(sheet) }, [
          h("img", {
            src: photo.pages.find((page) => page.page === sheet.page)?.thumb,
            alt: "",
            loading: "lazy",
          }),
          h("span.result-name", sheet.player ?? photo.name),
          h("strong", { class: sheet.review && "doubtful" }, briefly(sheet)),
        ]),
      ]),
    ),
  ]);

const game = (ids) => `#/game/${ids.join("/")}`;

// What else may belong to a game of these sheets: the spellbook, or a third and fourth kingdom; null
// if there is nothing.
export async function oneMore(ids, sheets) {
  const players = sheets.filter(hasScore);
  const kingdoms = players[0].kind === "kingdom";
  const book = players.length < sheets.length;
  if (book || (kingdoms && players.length >= MOST_KINGDOMS)) return null;
  const { photos } = await get("/api/photos").catch(() => ({ photos: [] }));
  const list = others(photos, kingdoms ? "kingdom" : "duel_spellbook", ids);
  if (!list.length) return null;
  return h("section.also", [
    h("h2.quiet-title", kingdoms ? t("One more kingdom?") : t("Their spellbook?")),
    links(list, (sheet) => game([...ids, sheet.id])),
  ]);
}

const kingdomWords = () => ({
  against: t("Against which kingdom?"),
  none: t("There is no other kingdom yet. Photograph it first."),
  photograph: t("Photograph the other kingdom"),
});

const mapWords = () => ({
  against: t("Against which map?"),
  none: t("There is no other map yet. Photograph it first."),
  photograph: t("Photograph the other map"),
});

// #/versus/A: whose map or kingdom is the other one? Photos still being read join the list when they
// are done.
export async function chooseOther(place, id) {
  const [{ kind, photo }, { photos }] = await Promise.all([
    get(`/api/sheets/${id}`),
    get("/api/photos"),
  ]);
  if (!place.isConnected) return; // left meanwhile
  const words = kind === "kingdom" ? kingdomWords() : mapWords();
  const list = others(photos, kind, [id]);
  const waiting = photos.find((one) => one.state === "waiting");
  put(
    place,
    h("h1", { tabindex: "-1" }, words.against),
    waiting && h("p", { "aria-live": "polite" }, waiting.name, " · ", t("reading …")),
    !waiting && !list.length && h("p", words.none),
    h("h2.quiet-title", words.photograph),
    photoButtons((files) => send(files.slice(0, 1), [id]), { many: false }),
    uploadList(),
    joinForm(photo),
    list.length > 0 && links(list, (sheet) => game([id, sheet.id])),
  );
  if (waiting)
    whenRead(waiting.id)
      .then(() => place.isConnected && chooseOther(place, id))
      .catch(() => {});
}
