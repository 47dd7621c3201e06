// Answers about one sheet on their way to the server, and what the server says the sheet is by then.

import { get, post } from "./api.js";
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

  async function deliver(path, body, message) {
    await show(await post(`/api/sheets/${shown().id}/${path}`, body()));
    const sheet = shown();
    announce(hasScore(sheet) ? `${message}. ${pointsText(sheet.score.total)}` : message);
  }

  // An answer that concerns everything that is shown: nobody confirms or undoes what they have not
  // seen.
  async function deliverSeen(path, body, message) {
    if (await unseen((sheet) => sheet.corrections)) toast(t("Please check"));
    else await deliver(path, body, message);
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

  const send = (path, body, message) => inTurn(() => deliver(path, () => body, message));
  // Which one is undone is known when it is this one's turn.
  const latest = () => ({
    correction: shown()
      .corrections.filter((one) => !one.undone)
      .at(-1)?.id,
  });
  return {
    send,
    say(part, value) {
      const [path, body] = part.request(part, value);
      return send(path, body, `${part.name}: ${part.words(value)}`);
    },
    undo: () => inTurn(() => deliverSeen("undo", latest, t("Undone"))),
    confirm: () => inTurn(() => deliverSeen("confirm", () => ({}), t("Confirmed"))),
    // Shows what others have changed; without a network nothing is new.
    look() {
      last = last.then(() => unseen((sheet) => sheet)).catch(() => null);
      return last;
    },
  };
}
