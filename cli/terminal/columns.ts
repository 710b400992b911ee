/** Tables and lists of text in columns. */
import { printable, shortenText } from '../../domain/text/printable.ts';

export interface Column<T> {
  readonly title: string;
  readonly of: (row: T) => string;
  /** True if the column is shortened when the terminal is too narrow. Ids and other columns are never shortened. */
  readonly flexible?: true;
  readonly right?: true;
}

const GAP = '   ';
const LEAST = 12;

/** A table for rows that arrive in pages. Columns keep the width of earlier pages. */
export class Table<T> {
  readonly #columns: readonly Column<T>[];
  readonly #width: number;
  #widths: readonly number[] = [];

  /** `width`: maximum number of characters per line, if the flexible columns can be shortened enough. */
  constructor(columns: readonly Column<T>[], width: number) {
    this.#columns = columns;
    this.#width = width;
  }

  /** Returns the lines of a page. The first page has titles. */
  lines(rows: readonly T[]): readonly string[] {
    const cells = rows.map((row) => this.#columns.map(({ of }) => printable(of(row))));
    const titled = this.#widths.length === 0 ? [this.#columns.map(({ title }) => title), ...cells] : cells;
    this.#widths = this.#columns.map((_, i) =>
      Math.max(this.#widths[i] ?? 0, ...titled.map((row) => row[i]?.length ?? 0)),
    );
    const widths = this.#fitWidths(this.#widths);
    return titled.map((row) =>
      row
        .map((cell, i) => this.#cell(cell, i, widths[i] ?? 0))
        .join(GAP)
        .trimEnd(),
    );
  }

  #cell(text: string, index: number, width: number): string {
    const cut = this.#columns[index]?.flexible === true ? shortenText(text, width) : text;
    return this.#columns[index]?.right === true ? cut.padStart(width) : cut.padEnd(width);
  }

  /** Shortens flexible columns until the line fits, starting with the last one. */
  #fitWidths(widths: readonly number[]): readonly number[] {
    const fitted = [...widths];
    for (let i = fitted.length - 1; i >= 0; i -= 1) {
      const over = fitted.reduce((sum, width) => sum + width, GAP.length * (fitted.length - 1)) - this.#width;
      const width = fitted[i] ?? 0;
      if (over > 0 && this.#columns[i]?.flexible === true)
        fitted[i] = Math.max(Math.min(width, LEAST), width - over);
    }
    return fitted;
  }
}

/** Returns one line per fact: the name, then the value. Facts without a value are omitted. */
export function factLines(
  facts: Readonly<Record<string, string | number | readonly string[] | null | undefined>>,
): readonly string[] {
  const known = Object.entries(facts).flatMap(([name, value]) => {
    const values = (typeof value === 'object' && value !== null ? value : [value ?? '']).map(String);
    return values.filter((text) => text !== '').map((text, i) => ({ name: i === 0 ? name : '', text }));
  });
  const width = Math.max(0, ...known.map(({ name }) => name.length));
  return known.map(({ name, text }) => `${name.padEnd(width)}${GAP}${printable(text)}`);
}

/** Aligns columns. The first row contains the titles. Columns that are empty in all other rows are omitted. */
export function alignedRows([head = [], ...rows]: readonly (readonly string[])[]): readonly string[] {
  const shown = head.flatMap((_, i) => (rows.some((cells) => cells[i] !== '') ? [i] : []));
  const table = [head, ...rows].map((cells) => shown.map((i) => cells[i] ?? ''));
  const widths = shown.map((_, i) => Math.max(...table.map((cells) => cells[i]?.length ?? 0)));
  return table.map((cells) => cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(GAP).trimEnd()); // oxfmt-ignore
}
