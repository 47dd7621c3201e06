// Lists of players as spreadsheets and text programs save them, or as they are pasted.

const NAME =
  /^(name|player|spieler|spieler(in)?|nom|joueur|nombre|jugador|gracz|imię i nazwisko|имя|игрок|ім'я|гравець)$/i;
const FIRST = /^(first|first name|given name|vorname|prénom|imię|имя)$/i;
const LAST =
  /^(last|last name|surname|family name|nachname|nom de famille|apellidos?|nazwisko|фамилия|прізвище)$/i;
const RATING = /^(rating|elo|dwz|ranking)$/i;

// The names in a list, the strongest first if it has ratings. given: text, or a file's bytes.
export function rowsOf(given) {
  const rows = cells(typeof given === "string" ? given : decoded(given));
  const [head = []] = rows;
  const at = (pattern) => head.findIndex((cell) => pattern.test(cell));
  const [name, first, last, rating] = [NAME, FIRST, LAST, RATING].map(at);
  if (name < 0 && last < 0) return names(rows, (row) => row.find((cell) => /\p{L}/u.test(cell)));
  const body = rows.slice(1);
  if (rating >= 0) body.sort((a, b) => (Number(b[rating]) || 0) - (Number(a[rating]) || 0));
  return names(body, (row) =>
    last >= 0 ? [first >= 0 ? row[first] : "", row[last]].join(" ") : row[name],
  );
}

// "Doe, John" is John Doe; a number before a name is none of it.
const names = (rows, nameOf) =>
  rows
    .map((row) => (nameOf(row) ?? "").replace(/^\d+[.)]?\s+/, "").trim())
    .map((name) =>
      name
        .replace(/^([^,]+),\s*([^,]+)$/, "$2 $1")
        .replace(/\s+/g, " ")
        .slice(0, 60),
    )
    .filter(Boolean);

// UTF-8 or what Windows writes otherwise; the preview shows whether it was right.
function decoded(bytes) {
  const [a, b] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff))
    return new TextDecoder(a === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

// Rows of cells: after `sep=` or by the separator that is most frequent in the first line.
function cells(text) {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  const said = /^"?sep=(.)"?/i.exec(lines[0]);
  if (said) lines.shift();
  const [first] = lines;
  const count = (mark) => first.split(mark).length;
  const comma = NAME.test(first.split(",")[0].trim()) || LAST.test(first.split(",")[0].trim());
  const marks = comma ? [",", ";", "\t"] : [";", "\t"];
  const mark = said?.[1] ?? marks.reduce((best, one) => (count(one) > count(best) ? one : best));
  const cell = new RegExp(
    `\\s*(?:"((?:[^"]|"")*)"|([^${mark}]*))(?:${mark === "\t" ? "\\t" : mark}|$)`,
    "y",
  );
  return lines
    .filter((line) => line.trim())
    .map((line) => {
      const row = [];
      cell.lastIndex = 0;
      while (cell.lastIndex < line.length) {
        const found = cell.exec(line);
        if (!found) return [line];
        row.push((found[1]?.replaceAll('""', '"') ?? found[2]).trim().replace(/^'(?=[=+@-])/, ""));
      }
      return row;
    });
}
