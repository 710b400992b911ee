/** The elements of a DASH manifest that locate segments. */
import { scanXml, type Attributes } from '../../../files/xml.ts';
import { unreadable } from './playlist.ts';

export interface Element {
  readonly name: string;
  readonly attributes: Attributes;
  readonly children: Element[];
  text: string;
}

/** Maximum number of elements in a camera's manifest. */
export const MAX_ELEMENTS = 50_000;

const KNOWN = new Set([
  ...['MPD', 'Period', 'BaseURL', 'AdaptationSet', 'Representation', 'ContentProtection'],
  ...['EssentialProperty', 'SegmentTemplate', 'SegmentTimeline', 'S', 'SegmentList', 'SegmentURL'],
  ...['SegmentBase', 'Initialization', 'UTCTiming'],
]);

/** Parses a manifest. Throws LiveError. */
export async function readManifest(text: string): Promise<Element> {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const path = [root];
  let elements = 0;
  await scanXml(bytesOf(text), {
    leavesOut: (name) => !KNOWN.has(name),
    open(name, attributes) {
      if (++elements > MAX_ELEMENTS) throw unreadable(`it has more than ${MAX_ELEMENTS} elements`);
      const element: Element = { name, attributes, children: [], text: '' };
      path.at(-1)!.children.push(element);
      path.push(element);
    },
    text(piece) {
      const { name } = path.at(-1)!;
      if (name === 'BaseURL') path.at(-1)!.text += piece;
    },
    close: () => void path.pop(),
  }).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'LiveError') throw error;
    throw unreadable('it is not valid XML');
  });
  const [first] = root.children;
  if (first?.name !== 'MPD') throw unreadable('it is not a DASH manifest');
  return first;
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

export const childrenOf = ({ children }: Element, name: string): readonly Element[] =>
  children.filter((child) => child.name === name);

export const childOf = ({ children }: Element, name: string): Element | undefined =>
  children.find((child) => child.name === name);

const DURATION = /^P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12}(?:\.\d{1,12})?)S)?)?$/;

/** Returns the seconds of an ISO 8601 duration; undefined without a text. */
export function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const parts = DURATION.exec(text.trim());
  if (parts === null) throw unreadable('a duration is not valid');
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  return Number(days) * 86_400 + Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

/** Parses a whole number that is not negative. Returns `usual` without a text. */
export function numberOf(text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  const number = Number(text.trim());
  if (!Number.isSafeInteger(number) || number < 0) throw unreadable('a number is not valid');
  return number;
}
