/**
 * Reads CVAT XML 1.1 like CVAT: tracks of keyframes that are valid until the next one, and labels with
 * attributes.
 */
import { SaxesParser } from 'saxes';

export interface CvatBox {
  readonly frame: number;
  readonly outside: boolean;
  /** Left, top, right, bottom; undefined for a tag, which has no box. */
  readonly points: readonly number[] | undefined;
  readonly label: string;
  readonly attributes: Map<string, string>;
}
export interface CvatTrack {
  readonly label: string;
  readonly boxes: CvatBox[];
}
export interface CvatImage {
  readonly id: number;
  readonly name: string;
  readonly size: readonly number[];
  readonly boxes: CvatBox[];
}
export interface CvatFile {
  readonly version: string;
  readonly size: number;
  /** By label: its attributes, and whether each can change within a track. */
  readonly labels: Map<string, Map<string, boolean>>;
  readonly tracks: CvatTrack[];
  readonly images: CvatImage[];
}

export function readCvat(xml: string): CvatFile {
  const file = { version: '', size: -1, labels: new Map(), tracks: [], images: [] } as {
    -readonly [K in keyof CvatFile]: CvatFile[K];
  };
  const parser = new SaxesParser();
  const path: string[] = [];
  let [text, name, boxes, label]: [string, string, CvatBox[], string] = ['', '', [], ''];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name: tag, attributes: given }) => {
    path.push(tag);
    text = '';
    const number = (key: string) => {
      if (!/^-?\d+(\.\d+)?$/.test(given[key] ?? '')) throw new Error(`${tag} has no number ${key}.`);
      return Number(given[key]);
    };
    if (tag === 'track') {
      boxes = [];
      label = given['label']!;
      file.tracks.push({ label, boxes });
    } else if (tag === 'image') {
      boxes = [];
      const size = [number('width'), number('height')];
      file.images.push({ id: number('id'), name: given['name']!, size, boxes });
    } else if (tag === 'box' || tag === 'tag')
      boxes.push({
        frame: path.includes('track') ? number('frame') : 0,
        outside: given['outside'] === '1',
        points: tag === 'tag' ? undefined : ['xtl', 'ytl', 'xbr', 'ybr'].map(number),
        label: given['label'] ?? label,
        attributes: new Map(),
      });
    else if (tag === 'attribute' && path.at(-2) !== 'attributes') name = given['name']!;
  });
  parser.on('text', (part) => (text += part));
  parser.on('closetag', ({ name: tag }) => {
    const parent = path.at(-2);
    path.pop();
    if (tag === 'version') file.version = text;
    else if (tag === 'size') file.size = Number(text);
    else if (tag === 'name' && parent === 'label') file.labels.set((label = text), new Map());
    else if (tag === 'name' && parent === 'attribute') name = text;
    else if (tag === 'mutable') file.labels.get(label)!.set(name, text === 'True');
    else if (tag === 'attribute' && parent !== 'attributes') {
      const { attributes } = boxes.at(-1)!;
      if (attributes.has(name)) throw new Error(`A box has the attribute ${name} twice.`);
      attributes.set(name, text);
    }
  });
  parser.write(xml).close();
  return file;
}

/**
 * The frames of a track with its box: a keyframe is valid until the next one, and the last one until the end.
 */
export function seenFrames({ boxes }: CvatTrack, length: number): ReadonlyMap<number, readonly number[]> {
  const seen = new Map<number, readonly number[]>();
  for (const [at, { frame, outside, points }] of boxes.entries()) {
    const next = boxes[at + 1]?.frame ?? length;
    if (next <= frame) throw new Error(`Frame ${next} does not come after frame ${frame}.`);
    for (let each = frame; each < (outside ? frame : next); each += 1) seen.set(each, points!);
  }
  return seen;
}
