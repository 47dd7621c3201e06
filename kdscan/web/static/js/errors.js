// What people are told of an error of the HTTP interface, and whether it passes.

import { h, toast } from "./dom.js";
import { language, sentence, t } from "./i18n.js";

const ended = () => [
  t("The session has ended. Open the link with the code again."),
  " ",
  h("a", { href: "join" }, t("Sign in")),
];
const halfSent = () => t("The photo did not arrive complete. Upload it again.");
const ourFault = () => t("Something went wrong in the program. The photo is kept.");

// Messages for errors, by their stable code; codes that are missing here can only be caused by
// programs.
const WORDS = {
  unreadable_image: () => t("This file is not a readable picture. Take or upload it again."),
  image_too_large: () => t("The picture is too large. Save it smaller."),
  no_sheet: () =>
    t(
      "No map was found. Take the photo again with the whole grid in view, sharp and without reflections.",
    ),
  reader_died: () => t("Reading this photo failed halfway. The photo is kept: try again."),
  too_many_requests: () => t("Too many requests. Wait a moment."),
  no_session: ended,
  no_csrf_token: ended,
  desk_only: () => t("This is for the desk only: sign in with its code."),
  event_gone: () => t("This event was deleted. Whoever runs kdscan must start it again."),
  not_found: () => t("This does not exist, or you have no access to it."),
  cut_off: halfSent,
  too_slow: halfSent,
  blank_page: () => t("There is nothing on this page."),
  wrong_kind: () => t("A game is two maps with their spellbook, or two to four kingdoms."),
  not_kept: () => t("This sheet was read by an older version. Photograph it again to correct it."),
  nothing_to_undo: () => t("There is nothing to undo."),
  store_full: () =>
    t("There is no room left on the server right now. What was saved before is kept."),
  quota: () => t("You have reached the limit of photos. Ask at the desk."),
  game_full: () => t("This game has all its sheets already."),
  not_read: () => t("This photo is still being read. Try again in a moment."),
  not_yours: () =>
    t("Somebody else has already uploaded this photo. To change it, ask at the desk."),
  store: () => t("The results cannot be saved or loaded right now. Try again later."),
  offline: () => t("No connection: try again later."),
  refused: (error) => sentence(error.message),
  not_learned: (error) => sentence(error.message),
  model: ourFault,
  bug: ourFault,
};

// What an error says, as children of an element.
export const explain = (error) =>
  WORDS[error.code]?.(error) ?? (language === "en" ? error.message : t("This cannot be done."));

// Does something, and says what was wrong with it: resolves to the error, or null. refused(error): it failed.
export async function attempt(act, refused = () => {}) {
  try {
    await act();
    return null;
  } catch (error) {
    refused(error);
    toast(explain(error));
    return error;
  }
}

// Over http a page may not copy: then the link is shown to be copied by hand.
export async function copyLink(link) {
  try {
    await navigator.clipboard.writeText(link);
    toast(t("The link was copied."));
  } catch {
    prompt(t("The link"), link);
  }
}

// Why a photo could not be read.
export const why = (error) => (error.message ? sentence(error.message) : explain(error));

// Whether reading the same file again may succeed.
export const mayChange = (error) =>
  !["unreadable_image", "image_too_large", "quota"].includes(error.code);

// Errors that pass by themselves: the request is repeated after a while.
export const passes = (error) =>
  ["offline", "too_many_requests", "store", "store_full"].includes(error.code);
