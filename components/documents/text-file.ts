/** Plain text: its encoding, and its paragraphs. */
import { createReadStream } from 'node:fs';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Types whose names do not begin with text/ and which are text all the same. */
const TEXT_TYPES =
  /^(text\/|message\/|application\/(.+\+)?(json|xml|javascript|x-subrip|x-yaml)$|application\/xhtml\+xml$)/;
/** Characters of a paragraph that is held; a longer one is given out in pieces. */
const MAX_HELD = 1_000_000;

/** Whether a medium of this type is text. Inspection has checked that it has only bytes of text. */
export const isText = (mimeType: string): boolean => TEXT_TYPES.test(mimeType);

/** The paragraphs of a text: what stands between blank lines. */
export async function* paragraphsOf(path: string, signal: AbortSignal): AsyncGenerator<string> {
  const encoding = await encodingOf(path, signal);
  let paragraph = '';
  for await (const line of lines(path, encoding, signal)) {
    if (line.trim() !== '') paragraph += line;
    if ((line.trim() !== '' || paragraph === '') && paragraph.length < MAX_HELD) continue;
    yield paragraph.trim();
    paragraph = '';
  }
  if (paragraph !== '') yield paragraph.trim();
}

/** Lines with their ends as \n; very long ones in pieces. */
async function* lines(path: string, encoding: Encoding, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  let rest = '';
  for await (const chunk of createReadStream(path, { signal })) {
    rest += decoder.decode(chunk as Buffer, { stream: true });
    // A \r at the end may be half of a line end.
    const pieces = rest.split(/\r\n|\n|\r(?!$)/);
    rest = pieces.pop() ?? '';
    for (const piece of pieces) yield `${piece}\n`;
    if (rest.length > MAX_HELD) {
      yield rest;
      rest = '';
    }
  }
  yield* (rest + decoder.decode()).split(/\r\n|\n|\r/).map((piece) => `${piece}\n`);
}

/** UTF-8 unless it is marked as UTF-16, or not UTF-8: then it is taken for the Western code page. */
async function encodingOf(path: string, signal: AbortSignal): Promise<Encoding> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let first = true;
  for await (const chunk of createReadStream(path, { signal })) {
    if (first) {
      const marked = markedEncoding(chunk as Buffer);
      if (marked !== undefined) return marked;
      first = false;
    }
    try {
      decoder.decode(chunk as Buffer, { stream: true });
    } catch {
      return 'windows-1252';
    }
  }
  try {
    decoder.decode();
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

function markedEncoding(start: Buffer): Encoding | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : undefined;
}
