/** Displayed values of a workbook's cells: shared texts, and numbers that are dates. */
import type { Package } from './package.ts';
import { scanXml } from '../../../files/xml.ts';
import { LookupBudget } from './lookup-budget.ts';

/** Returns the texts that cells reference by number. Phonetic guides are left out. */
export async function sharedTexts(document: Package, part: string): Promise<readonly string[]> {
  const texts: string[] = [];
  const budget = new LookupBudget();
  let text = '';
  let inText = false;
  let readings = 0;
  await scanXml(document.read(part), {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') readings++;
      else if (name === 't') inText = true;
    },
    text(value) {
      if (inText && readings === 0) text += budget.take(value);
    },
    close(name) {
      if (name === 't') inText = false;
      else if (name === 'rPh') readings--;
      else if (name === 'si') texts.push(budget.take(text));
    },
  });
  return texts;
}

/** Returns for each cell style whether it displays numbers as dates. */
export async function dateStyles(document: Package, part: string): Promise<readonly boolean[]> {
  const formats = new Map<number, string>();
  const styles: boolean[] = [];
  const budget = new LookupBudget();
  let inStyles = false;
  await scanXml(document.read(part), {
    open(name, { numFmtId = '0', formatCode = '' }) {
      if (name === 'numFmt') formats.set(Number(numFmtId), budget.take(formatCode));
      else if (name === 'cellXfs') inStyles = true;
      else if (name === 'xf' && inStyles) {
        budget.take('');
        styles.push(isDateFormat(Number(numFmtId), formats.get(Number(numFmtId))));
      }
    },
    close(name) {
      if (name === 'cellXfs') inStyles = false;
    },
  });
  return styles;
}

/** True for a date format. Formats without a code have fixed numbers. A format of elapsed hours, `[h]:mm`, is no date. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined)
    return (
      (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || id === 45 || id === 47 || (id >= 50 && id <= 58)
    );
  if (/\[[hms]+\]/i.test(code)) return false;
  return /[dmyhs]/i.test(
    code.replace(/"[^"]*(?:"|$)|\[[^\]]*(?:\]|$)|\\.|[_*]./g, '').replace(/general/gi, ''),
  );
}

const DAY_MS = 86_400_000;
/** The last day that workbooks support, 9999-12-31. */
const LAST_DAY = 2_958_465;

/** Converts days since the end of 1899 (or 1903) to a date, a time, or both. Returns other numbers unchanged. */
export function dateText(value: string, since1904: boolean): string {
  const serial = Number(value) + (since1904 ? 1_462 : 0);
  if (!(serial >= 0 && serial < LAST_DAY + 1)) return value;
  // The calendar of workbooks contains 29 February 1900, which did not exist.
  const days = serial < 60 ? serial + 1 : serial;
  const text = new Date(Date.UTC(1899, 11, 30) + Math.round(days * 86_400) * 1000).toISOString();
  const [date, time] = [text.slice(0, 10), text.slice(11, 19)];
  if (serial < 1) return time;
  return (serial * DAY_MS) % DAY_MS < 1000 && time === '00:00:00' ? date : `${date} ${time}`;
}

/** Formats a number without the rounding digits of its binary form. */
export function numberText(value: string): string {
  const number = Number(value);
  return value.trim() === '' || !Number.isFinite(number) ? value : String(Number(number.toPrecision(15)));
}
