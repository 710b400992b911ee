/** Summary of each medium of a document, for the list of media. */
import { hasPages } from '../../domain/plan/media-types.ts';
import { isEmptyBox, type Box, type Point } from '../../domain/geometry/geometry.ts';
import {
  pictureOf,
  toUpright,
  uprightBoxOf,
  type TurnedPicture,
} from '../../domain/tracks/turned-picture.ts';
import { MOST_EXEMPLARS, shownFrame } from '../../domain/frames/shown-frame.ts';
import type { Properties } from '../../domain/types.ts';
import type {
  DocumentExemplar,
  DocumentMedium,
  DocumentTrack,
} from '../../results/document/document-tracks.ts';
import type { Finding, ShownBox } from '../../store/search.ts';

/** Maximum number of findings stored per medium: those with most tracks. */
const MOST_FINDINGS = 32;
/** Maximum number of boxes stored per medium. */
const MOST_BOXES = 32;

/** A row of the table of media. */
export interface MediumRow {
  readonly place: number;
  readonly mediaId: number;
  readonly uri: string;
  readonly type: string;
  readonly mimeType: string;
  /** 1 if the request named the medium, 0 if it was extracted from another medium. */
  readonly own: 0 | 1;
  readonly length: number;
  readonly durationMs: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly frame: number | null;
  readonly findings: readonly Finding[];
  readonly boxes: readonly ShownBox[];
  /** Orientation of the picture. Null if the medium has none. */
  readonly picture: TurnedPicture | null;
}

interface Counts {
  /** Findings by type and class. */
  readonly found: Map<string, Finding>;
  readonly exemplars: Exemplar[];
}
interface Exemplar extends DocumentExemplar {
  readonly type: string;
  readonly class: string | null;
  readonly confidence: number;
}

/** Counts the tracks of the media of one document. Findings in an extracted medium also count for its parent. */
export class MediumSummaries {
  readonly #counts = new Map<number, Counts>();
  readonly #media: DocumentMedium[] = [];

  countTrack({ medium, type, confidence, exemplar }: DocumentTrack, name: string | null): void {
    const counts = this.#countsOf(medium.mediaId);
    addFinding(counts, { type, class: name, tracks: 1 });
    if (counts.exemplars.length < MOST_EXEMPLARS && !isEmptyBox(exemplar))
      counts.exemplars.push({ ...exemplar, type, class: name, confidence });
  }

  addMedium(medium: DocumentMedium): void {
    this.#media.push(medium);
  }

  rows(): readonly MediumRow[] {
    for (const { mediaId, parentMediaId } of this.#media.toReversed()) {
      if (parentMediaId <= 0) continue;
      for (const finding of this.#countsOf(mediaId).found.values())
        addFinding(this.#countsOf(parentMediaId), finding);
    }
    return this.#media.map((medium) => toRow(medium, this.#countsOf(medium.mediaId)));
  }

  #countsOf(mediaId: number): Counts {
    let counts = this.#counts.get(mediaId);
    if (counts === undefined) this.#counts.set(mediaId, (counts = { found: new Map(), exemplars: [] }));
    return counts;
  }
}

function addFinding({ found }: Counts, finding: Finding): void {
  const key = JSON.stringify([finding.type, finding.class]);
  const tracks = finding.tracks + (found.get(key)?.tracks ?? 0);
  found.set(key, { ...finding, tracks });
}

function toRow(medium: DocumentMedium, { found, exemplars }: Counts): MediumRow {
  const { index, mediaId, uri, mediaType, mimeType, parentMediaId, length, metadata } = medium;
  const picture = pictureOf(metadata);
  const size = picture?.upright;
  // A medium that could not be decoded has no size and no findings.
  const isDecoded = size !== undefined || exemplars.length > 0;
  const hasFrames = isDecoded && (mediaType === 'VIDEO' || mediaType === 'IMAGE');
  const frame = hasFrames ? shownFrame(exemplars) : hasPages(mimeType) ? 0 : null;
  return {
    ...{ place: index, mediaId, uri, type: mediaType, mimeType, own: parentMediaId > 0 ? 0 : 1, length },
    durationMs: positive(metadata['DURATION']),
    ...{ width: size?.width ?? null, height: size?.height ?? null },
    frame,
    findings: [...found.values()].toSorted((a, b) => b.tracks - a.tracks).slice(0, MOST_FINDINGS),
    boxes: exemplars
      .filter((one) => one.frame === frame)
      .slice(0, MOST_BOXES)
      .map((one) => ({ ...shownBox(one, picture), type: one.type, class: one.class })),
    picture: picture ?? null,
  };
}

/** Returns the box around a detection in the shown picture. */
export function shownBox(
  one: Box & { readonly detectionProperties: Properties },
  picture: TurnedPicture | undefined,
): Box {
  const isTurned = picture !== undefined && (picture.rotation !== 0 || picture.flip);
  const toPoint = (point: Point) => (picture === undefined ? point : toUpright(picture, point));
  const { x, y, width, height } = uprightBoxOf(one, isTurned, toPoint) ?? one;
  return { x, y, width, height };
}

function positive(text: string | undefined): number | null {
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? Math.round(value) : null;
}
