/** The boxes of the document that are evaluated. */
import type { FoundDetection, FoundMedium, FoundTrack, Writer } from '../results/document/findings.ts';
import { labelOf, ShownPicture } from '../results/exports/pictures.ts';
import { BoxTable } from './box-table.ts';
import type { Classes } from './classes.ts';
import type { Places } from './places.ts';

/** Selects the findings to evaluate. Undefined: all. */
export interface Wanted {
  readonly type: string | undefined;
  readonly action: string | undefined;
}

export const isWanted = ({ type, action }: Wanted, track: FoundTrack): boolean =>
  (type === undefined || track.type.toLowerCase() === type.toLowerCase()) &&
  (action === undefined || track.action.toLowerCase() === action.toLowerCase());

/** The action and track type that found a class. */
export interface Finder {
  readonly type: string;
  readonly action: string;
}

export class FoundBoxes implements Writer {
  readonly boxes: BoxTable;
  /** Number of the finder, by the number of the track. */
  readonly #finderOfTrack: number[] = [];
  readonly #finders: Finder[] = [];
  /** Numbers of the finders of each class. */
  readonly #findersOf = new Map<number, Set<number>>();
  readonly #places: Places;
  readonly #classes: Classes;
  readonly #wanted: Wanted;
  readonly #judged: ReadonlySet<number>;
  #picture: ShownPicture | undefined;
  #label: number | undefined;
  #finder = 0;

  constructor(parts: {
    readonly places: Places;
    readonly classes: Classes;
    readonly wanted: Wanted;
    readonly limit: number;
  }) {
    this.#places = parts.places;
    this.#classes = parts.classes;
    this.#wanted = parts.wanted;
    this.#judged = new Set(parts.places.media.map(({ medium }) => medium.mediaId));
    this.boxes = new BoxTable(parts.limit, 'document');
  }

  medium(medium: FoundMedium): string {
    this.#picture = this.#judged.has(medium.mediaId) ? new ShownPicture(medium) : undefined;
    return '';
  }

  track(track: FoundTrack): string {
    this.#label = undefined;
    if (this.#picture === undefined || !isWanted(this.#wanted, track) || !hasBox(track)) return '';
    this.#label = this.#classes.ofFound(labelOf(track));
    if (this.#label === undefined) return '';
    this.#finder = this.#finderOf(track);
    this.#finderOfTrack.push(this.#finder);
    this.#findersOf.set(
      this.#label,
      (this.#findersOf.get(this.#label) ?? new Set<number>()).add(this.#finder),
    );
    return '';
  }

  detection(one: FoundDetection, { medium }: FoundTrack): string {
    const box = this.#label === undefined ? undefined : this.#picture?.boxOf(one);
    const frame = medium.mediaType === 'IMAGE' ? 0 : one.offsetFrame;
    const picture = box === undefined ? undefined : this.#places.ofFound(medium.mediaId, frame);
    if (box === undefined || picture === undefined) return '';
    const { x, y, width, height } = box;
    this.boxes.add({
      ...{ picture, x, y, width, height, area: width * height, score: one.confidence },
      ...{ label: this.#label!, track: this.#finderOfTrack.length - 1, ignored: false, crowd: false },
    });
    return '';
  }

  /** Returns the finder that counts for each class: the last one in the pipeline that found the class. */
  chooseFinders(actions: readonly string[]): ReadonlyMap<number, Finder> {
    const placeOf = (number: number) => actions.indexOf(this.#finders[number]!.action);
    return new Map(
      [...this.#findersOf].map(([label, finders]) => {
        const last = [...finders].toSorted((a, b) => placeOf(b) - placeOf(a))[0]!;
        return [label, this.#finders[last]!];
      }),
    );
  }

  finderOf(track: number): Finder {
    return this.#finders[this.#finderOfTrack[track]!]!;
  }

  /** All finders of classes of the truth. */
  get finders(): readonly Finder[] {
    return this.#finders;
  }

  #finderOf({ type, action }: FoundTrack): number {
    const known = this.#finders.findIndex((one) => one.type === type && one.action === action);
    return known >= 0 ? known : this.#finders.push({ type, action }) - 1;
  }
}

const hasBox = ({ exemplar }: FoundTrack): boolean =>
  exemplar === undefined || (exemplar.width > 0 && exemplar.height > 0);
