// Answers about one sheet on their way to the server, and what the server says the sheet is by then.

import { get, perform } from "./api.js";
import { announce, toast } from "./dom.js";
import { explain } from "./errors.js";
import { pointsText, t } from "./i18n.js";
import { hasScore } from "./kinds.js";

// shown(): the sheet as it is shown now; show(sheet) shows another state of it; refused(): an answer
// was not kept. All go one after another, so that the last answer drawn is the last one given.
export function answering({ shown, show, refused }) {
  let last = Promise.resolve();

  // Whether somebody else has changed the sheet meanwhile, or only what matters of it: then it is
  // shown.
  async function unseen(matters) {
    const now = await get(`/api/sheets/${shown().id}`, true);
    if (JSON.stringify(matters(now)) === JSON.stringify(matters(shown()))) return false;
    await show(now);
    return true;
  }

  async function deliver(action, message) {
    const { actions, sheet: fresh } = await perform({ sheet: shown().id, ...action() }, "sheet");
    await show(fresh);
    const sheet = shown();
    const waits = (one) => one.source === "waits" && actions.includes(one.id);
    if (sheet.corrections.some(waits)) toast(t("This change waits for the desk."));
    announce(hasScore(sheet) ? `${message}. ${pointsText(sheet.score.total)}` : message);
  }

  // An answer that concerns everything that is shown: nobody confirms or undoes what they have not
  // seen.
  async function deliverSeen(deliverIt) {
    if (await unseen((sheet) => sheet.corrections)) toast(t("Please check"));
    else await deliverIt();
  }

  // Resolves to what was wrong, or null.
  function inTurn(act) {
    last = last.then(async () => {
      try {
        await act();
        return null;
      } catch (error) {
        refused();
        toast(explain(error));
        return error;
      }
    });
    return last;
  }

  const send = (action, message) => inTurn(() => deliver(() => action, message));
  // Which one is undone is known when it is this one's turn.
  async function undo() {
    const last = shown()
      .corrections.filter((one) => !one.undone)
      .at(-1);
    await show((await perform({ type: "undo", action: last.id }, "sheet")).sheet);
    announce(t("Undone"));
  }
  const confirm = () => deliver(() => ({ type: "confirm_sheet" }), t("Confirmed"));
  return {
    send,
    say: (part, value) => send(part.request(part, value), `${part.name}: ${part.words(value)}`),
    undo: () => inTurn(() => deliverSeen(undo)),
    confirm: () => inTurn(() => deliverSeen(confirm)),
    // Shows what others have changed; without a network nothing is new.
    look() {
      last = last.then(() => unseen((sheet) => sheet)).catch(() => null);
      return last;
    },
  };
}
