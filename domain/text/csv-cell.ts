/** Spreadsheets compute a cell that begins with one of these; an apostrophe before it prevents that. */
const COMPUTED = /^[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A text as a cell of a CSV file that no spreadsheet takes for a formula: readers remove one apostrophe from its front. */
export function csvCell(text: string): string {
  const safe = COMPUTED.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
