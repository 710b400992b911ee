/** Reads the text of documents. Other detectors read text in their pictures. */
import { ChosenPages } from '../../documents/chosen-pages.ts';
import { MAX_SECTION_LENGTH, MAX_TEXT_LENGTH, namingFailures, tooLarge } from '../../documents/limits.ts';
import type { DetectionJob, Detector, FoundPart, GenericSource } from '../../sdk/detector.ts';
import { textsOf, type PageText } from './texts.ts';

export default async function loadDocumentText(): Promise<Detector> {
  return { generic: (source, job) => readText(source, job) };
}

async function* readText(source: GenericSource, { signal, warn }: DetectionJob): AsyncIterable<FoundPart> {
  const chosen = new ChosenPages(source.pages);
  yield* numberSections(namingFailures(textsOf(source, chosen, signal), signal));
  if (chosen.warning !== undefined) warn?.(chosen.warning);
}

/** Numbers the sections of each page from 1. */
export async function* numberSections(texts: AsyncIterable<PageText>): AsyncGenerator<FoundPart> {
  let page = 0;
  let section = 0;
  let length = 0;
  for await (const text of texts) {
    if (text.page !== page) section = 0;
    page = text.page;
    for (const piece of pieces(text.text)) {
      length += piece.length;
      if (length > MAX_TEXT_LENGTH) throw tooLarge(`it has more than ${MAX_TEXT_LENGTH} characters of text`);
      const properties = { TEXT: piece, PAGE_NUM: String(page), SECTION_NUM: String(++section) };
      yield { type: 'TEXT', confidence: -1, properties };
    }
  }
}

/** Splits a very long text at line ends, or else at spaces, if possible. */
function* pieces(text: string): Generator<string> {
  let rest = text.trim();
  while (rest.length > MAX_SECTION_LENGTH) {
    const end = cutWithin(rest);
    yield rest.slice(0, end).trimEnd();
    rest = rest.slice(end).trimStart();
  }
  if (rest !== '') yield rest;
}

function cutWithin(text: string): number {
  for (const mark of ['\n', ' ']) {
    const at = text.lastIndexOf(mark, MAX_SECTION_LENGTH);
    if (at > MAX_SECTION_LENGTH / 2) return at;
  }
  // Never splits a surrogate pair.
  const last = text.charCodeAt(MAX_SECTION_LENGTH - 1);
  return last >= 0xd800 && last < 0xdc00 ? MAX_SECTION_LENGTH - 1 : MAX_SECTION_LENGTH;
}
