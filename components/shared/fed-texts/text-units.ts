/** Splits a text file into units. Each unit becomes a track. */
import { ChosenPages } from '../../documents/chosen-pages.ts';
import { kindOf } from '../../documents/kind.ts';
import { MAX_SECTION_LENGTH, namingFailures } from '../../documents/limits.ts';
import { paragraphsOf } from '../../documents/text-file.ts';
import { DetectionError, type DetectionJob, type GenericSource } from '../../sdk/detector.ts';
import { choiceOf } from '../tracking/settings.ts';

/**
 * Yields the whole file or each of its paragraphs, by TEXT_UNIT. Text above MAX_SECTION_LENGTH continues in the next unit. Throws
 * UNSUPPORTED_DATA_TYPE for a file without text.
 */
export async function* textUnits(
  source: GenericSource,
  { properties, signal, warn }: DetectionJob,
): AsyncGenerator<string> {
  const chosen = new ChosenPages(source.pages);
  const together = choiceOf(properties, 'TEXT_UNIT', ['FILE', 'PARAGRAPH']) === 'FILE';
  let portion = '';
  for await (const paragraph of namingFailures(textParagraphs(source, chosen, signal), signal)) {
    signal.throwIfAborted();
    for (const piece of piecesOf(paragraph)) {
      const joined = portion === '' ? piece : `${portion}\n\n${piece}`;
      if (together && joined.length <= MAX_SECTION_LENGTH) portion = joined;
      else {
        if (portion !== '') yield portion;
        portion = piece;
      }
    }
  }
  if (portion !== '') yield portion;
  if (chosen.warning !== undefined) warn?.(chosen.warning);
}

/** Yields the paragraphs of a text file, which counts as one page. */
async function* textParagraphs(
  { path, mimeType }: GenericSource,
  chosen: ChosenPages,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if ((await kindOf(path, mimeType)).kind !== 'TEXT')
    throw new DetectionError(
      'UNSUPPORTED_DATA_TYPE',
      `This document of the type ${mimeType} is no text file. Put a task before this one that finds the text in it, and feed its tracks forward.`,
    );
  if (chosen.has(1)) yield* paragraphsOf(path, signal);
}

/** Yields pieces of at most MAX_SECTION_LENGTH. They end between words where possible, and never within a character. */
function* piecesOf(text: string): Generator<string> {
  let rest = text;
  while (rest.length > MAX_SECTION_LENGTH) {
    const space = rest.lastIndexOf(' ', MAX_SECTION_LENGTH);
    let end = space > MAX_SECTION_LENGTH / 2 ? space : MAX_SECTION_LENGTH;
    if (/[\uD800-\uDBFF]/.test(rest.charAt(end - 1))) end--;
    yield rest.slice(0, end);
    rest = rest.slice(end).trimStart();
  }
  if (rest !== '') yield rest;
}
