/** Groups the text of a PDF page into blocks. A PDF contains letters and their positions, but neither lines nor paragraphs. */
import type { PdfPage } from './pdf.ts';

/** Letters that were drawn together. */
export interface Piece {
  readonly str: string;
  /** [a, b, c, d, x, y]: direction and size of the letters, and their start; y grows upwards. */
  readonly transform: readonly number[];
}

interface Line {
  text: string;
  /** Direction of the writing in whole degrees. */
  readonly angle: number;
  /** Height of the letters. */
  readonly size: number;
  /** Position of the line across its direction; smaller further down. */
  readonly level: number;
}

/** Maximum distance of baselines in one line, as a share of the letters' height. This includes superscripts and subscripts. */
const SAME_LINE = 0.5;
/** Maximum step between lines of a block, in heights of letters. Single and one and a half line spacing are smaller. */
const WIDEST_STEP = 1.9;
/** Maximum ratio of a step to its neighbours. A larger step separates two blocks. */
const STEP_TOLERANCE = 1.2;
/** Maximum ratio of letter sizes in a block. Headings have other sizes. */
const SIZE_TOLERANCE = 1.25;

/** Returns blocks in the order in which the page draws them, then the values of form fields and the notes. */
export async function blocksOf(page: PdfPage): Promise<readonly string[]> {
  const { items } = await page.askPage((one) => one.getTextContent({ includeMarkedContent: false }));
  const pieces = items.filter((item) => 'str' in item);
  return [...blocks(pieces), ...(await filledIn(page))];
}

export function blocks(pieces: readonly Piece[]): readonly string[] {
  const all = lines(pieces);
  const steps = all.map((line, i) => stepTo(line, all[i - 1]));
  const found: string[][] = [];
  for (const [i, { text }] of all.entries()) {
    const step = steps[i] ?? Infinity;
    const around = Math.min(steps[i - 1] ?? Infinity, steps[i + 1] ?? Infinity);
    if (step < Infinity && step <= around * STEP_TOLERANCE) found.at(-1)?.push(text.trimEnd());
    else found.push([text.trimEnd()]);
  }
  return found.map((block) => block.join('\n').trim());
}

/** Returns the distance of a line below the previous one; Infinity if it cannot belong to the same block. */
function stepTo(line: Line, before: Line | undefined): number {
  if (before === undefined || before.angle !== line.angle) return Infinity;
  const [small, large] = [Math.min(before.size, line.size), Math.max(before.size, line.size)];
  const down = before.level - line.level;
  return down > 0 && down <= small * WIDEST_STEP && large <= small * SIZE_TOLERANCE ? down : Infinity;
}

function lines(pieces: readonly Piece[]): readonly Line[] {
  const found: Line[] = [];
  for (const { str, transform } of pieces) {
    if (str === '') continue;
    const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = transform;
    const turn = Math.atan2(b, a);
    const angle = Math.round((turn * 180) / Math.PI);
    const level = y * Math.cos(turn) - x * Math.sin(turn);
    const line = found.at(-1);
    if (line !== undefined && (str.trim() === '' || isSameLine(line, angle, level))) line.text += str;
    else if (str.trim() !== '') found.push({ text: str, angle, size: Math.hypot(c, d) || 1, level });
  }
  return found;
}

const isSameLine = (line: Line, angle: number, level: number): boolean =>
  line.angle === angle && Math.abs(line.level - level) <= line.size * SAME_LINE;

async function filledIn(page: PdfPage): Promise<readonly string[]> {
  const annotations = (await page.askPage((one) => one.getAnnotations())) as readonly Annotation[];
  return annotations
    .filter(({ subtype }) => subtype === 'Widget' || subtype === 'FreeText')
    .flatMap(({ subtype, fieldType, fieldValue, contentsObj }) => {
      if (subtype === 'FreeText') return [contentsObj?.str ?? ''];
      return fieldType === 'Tx' || fieldType === 'Ch' ? [fieldValue].flat() : [];
    })
    .filter((text) => typeof text === 'string')
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

interface Annotation {
  readonly subtype?: string;
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
  readonly contentsObj?: { readonly str?: string };
}
