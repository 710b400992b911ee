/**
 * Reads XML as a stream. Names have no prefix, because programs choose prefixes freely. Entities other than the five of XML are an error:
 * nothing is expanded and nothing is fetched.
 */
import { createRequire } from 'node:module';
import { TextDecoder } from 'node:util';
import type * as Saxes from 'saxes';
import { CodedError } from '../protocol/coded-error.ts';

// `require` takes a third of the time of `import`, which parses the package once more to find its exports.
const { SaxesParser } = createRequire(import.meta.url)('saxes') as typeof Saxes;

/** Maximum nesting of elements. */
const MAX_XML_DEPTH = 1_000;
/** Maximum bytes of XML without a tag or a text in them: one tag or one text is kept in memory. */
export const MAX_XML_PIECE_BYTES = 16 * 1024 ** 2;

export type Attributes = Readonly<Record<string, string>>;

export interface XmlHandler {
  /** True: the handler gets nothing of such an element, nor of its content. */
  leavesOut?(name: string, attributes: Attributes): boolean;
  open?(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

/**
 * Yields what the handler pushes to `found`, as soon as it is pushed. Errors: those of the parser; COULD_NOT_READ_MEDIA beyond the limits.
 */
export async function* readXml<T>(
  chunks: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
  found: T[],
): AsyncGenerator<T> {
  let silent = 0;
  const parser = parserFor(handler, () => {
    silent = 0;
  });
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    silent += chunk.length;
    parser.write(decoder.decode(chunk, { stream: true }));
    if (silent > MAX_XML_PIECE_BYTES)
      throw tooLarge(`it has a text or a tag of more than ${MAX_XML_PIECE_BYTES} bytes`);
    yield* found.splice(0);
  }
  parser.close();
  yield* found.splice(0);
}

/** Reads XML only for the side effects of the handler. */
export async function scanXml(chunks: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml(chunks, handler, []));
}

function parserFor(handler: XmlHandler, onContent: () => void): Saxes.SaxesParser {
  const parser = new SaxesParser();
  let [depth, leftOut] = [0, 0];
  parser.on('opentag', (tag) => {
    onContent();
    if (++depth > MAX_XML_DEPTH) throw tooLarge(`its elements are nested more than ${MAX_XML_DEPTH} deep`);
    const name = localName(tag.name);
    if (leftOut > 0 || handler.leavesOut?.(name, tag.attributes) === true) leftOut++;
    else handler.open?.(name, tag.attributes);
  });
  parser.on('closetag', (tag) => {
    depth--;
    if (leftOut > 0) leftOut--;
    else handler.close?.(localName(tag.name));
  });
  const text = (value: string) => {
    onContent();
    if (leftOut === 0) handler.text?.(value);
  };
  parser.on('text', text);
  parser.on('cdata', text);
  return parser;
}

const tooLarge = (what: string) =>
  new CodedError('COULD_NOT_READ_MEDIA', `The document is not read: ${what}.`);

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function encodingOf(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8';
}

/** An attribute by its name without prefix. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  return attributes[name] ?? prefixedAttribute(attributes, name);
}

/** An attribute that has a prefix: `r:id` is a reference, whereas `id` is a number. */
export function prefixedAttribute(attributes: Attributes, name: string): string | undefined {
  for (const [key, value] of Object.entries(attributes)) if (key.endsWith(`:${name}`)) return value;
  return undefined;
}
