/** Plain text: finds its encoding and splits it into paragraphs. */
import { createReadStream } from 'node:fs';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Text types whose names do not begin with text/. */
const TEXT_TYPES =
  /^(text\/|message\/|application\/(.+\+)?(json|xml|javascript|x-subrip|x-yaml)$|application\/xhtml\+xml$)/;
/** Maximum number of characters of a paragraph in memory. Longer ones are output in pieces. */
const MAX_HELD = 1_000_000;

/** True if a medium of this type is text. Inspection has checked that it contains only text. */
export const isText = (mimeType: string): boolean => TEXT_TYPES.test(mimeType);

/** Yields the paragraphs of a text, which are separated by blank lines. */
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

/** Yields lines that end with a line feed; very long ones in pieces. */
async function* lines(path: string, encoding: Encoding, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  let rest = '';
  for await (const chunk of createReadStream(path, { signal })) {
    rest += decoder.decode(chunk as Buffer, { stream: true });
    // A carriage return at the end may be half of a line end.
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

/** Returns the encoding: UTF-8, or UTF-16 with a byte order mark. Other text is treated as windows-1252. */
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
