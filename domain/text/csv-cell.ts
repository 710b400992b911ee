/** Spreadsheets treat a cell that begins with one of these characters as a formula. A leading apostrophe prevents that. */
const COMPUTED = /^[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A text as a CSV cell that no spreadsheet treats as a formula. Readers remove one leading apostrophe. */
export function csvCell(text: string): string {
  const safe = COMPUTED.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
