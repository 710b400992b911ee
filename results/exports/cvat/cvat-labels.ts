/** The labels of a CVAT file with their attributes, which precede all tracks. */
import type { Properties } from '../../../domain/types.ts';
import type { FoundDetection, FoundTrack } from '../../document/findings.ts';
import { labelOf } from '../pictures.ts';
import { escapeText, inXml } from './xml.ts';

/** Limits of CVAT, which refuses files with longer names and values. */
const LONGEST_NAME = 64;
const LONGEST_VALUE = 4_096;
/** Maximum number of attributes of a label, besides those that all labels have. */
const MOST_ATTRIBUTES = 100;

const nameOf = (text: string) => cut(inXml(text).trim(), LONGEST_NAME);

/** Cuts a text without leaving half a surrogate pair at the end. */
const cut = (text: string, most: number) =>
  text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '');

export const cvatLabel = (track: FoundTrack): string => nameOf(labelOf(track)) || 'UNKNOWN';

/** Attributes of a track, which are only in its first box, and attributes of each box. */
const TRACK = ['TRACK_ID', 'ACTION', 'TRACK_CONFIDENCE'];
const BOX = ['CONFIDENCE'];

export class CvatLabels {
  /** By label: names of attributes, and whether they change between boxes. */
  readonly #labels = new Map<string, Map<string, boolean>>();

  noteTrack(track: FoundTrack): void {
    const label = cvatLabel(track);
    if (!this.#labels.has(label))
      this.#labels.set(
        label,
        new Map([
          ...TRACK.map((name) => [name, false] as const),
          ...BOX.map((name) => [name, true] as const),
        ]),
      );
    this.#note(label, track.trackProperties, false);
  }

  noteDetection(one: FoundDetection, track: FoundTrack): void {
    this.#note(cvatLabel(track), one.detectionProperties, true);
  }

  #note(label: string, properties: Properties, changes: boolean): void {
    const known = this.#labels.get(label);
    if (known === undefined) return;
    for (const key in properties) {
      const name = nameOf(key);
      if (name === '' || TRACK.includes(name) || BOX.includes(name)) continue;
      if (!known.has(name) && known.size >= TRACK.length + BOX.length + MOST_ATTRIBUTES) continue;
      // An attribute of both a track and its boxes belongs to the boxes.
      known.set(name, changes || known.get(name) === true);
    }
  }

  *xml(): Generator<string> {
    for (const [label, attributes] of this.#labels) {
      yield `<label><name>${escapeText(label)}</name><type>rectangle</type><attributes>`;
      for (const [name, changes] of attributes)
        yield `<attribute><name>${escapeText(name)}</name><mutable>${changes ? 'True' : 'False'}</mutable><input_type>text</input_type><default_value></default_value><values></values></attribute>`;
      yield '</attributes></label>\n';
    }
  }

  /** Attributes of a track, as in its first box. */
  ofTrack(track: FoundTrack): string {
    const known = this.#labels.get(cvatLabel(track));
    const own = [
      ['TRACK_ID', track.id],
      ['ACTION', track.action],
      ['TRACK_CONFIDENCE', String(track.confidence)],
    ] as const;
    return (
      own.map(([name, value]) => attribute(name, value)).join('') +
      this.#of(known, track.trackProperties, false)
    );
  }

  ofBox(one: FoundDetection, track: FoundTrack): string {
    const known = this.#labels.get(cvatLabel(track));
    return attribute('CONFIDENCE', String(one.confidence)) + this.#of(known, one.detectionProperties, true);
  }

  #of(known: ReadonlyMap<string, boolean> | undefined, properties: Properties, changes: boolean): string {
    let text = '';
    const told = new Set<string>([...TRACK, ...BOX]);
    for (const [key, value] of Object.entries(properties)) {
      const name = nameOf(key);
      if (told.has(name) || known?.get(name) !== changes) continue;
      told.add(name);
      text += attribute(name, value);
    }
    return text;
  }
}

const attribute = (name: string, value: string) =>
  `<attribute name="${escapeText(name)}">${escapeText(cut(value, LONGEST_VALUE))}</attribute>`;
