/** A line of a FINISH or ARTIFACTS answer: a track of the document, with data that the server needs. */
import { isExemplar } from '../../../../domain/tracks/exemplar.ts';
import { HIDDEN, SUMMARY } from '../../../../results/document/track-lines.ts';
import { MAX_OWN_LINE_BYTES, readLines } from '../../../../results/lines.ts';
import { triggerIn, triggerMatches } from '../../../../domain/properties/trigger.ts';
import type { Detection, Properties } from '../../../../domain/types.ts';
import type { Selected } from '../../../../protocol/detection-work.ts';
import type { TrackSource } from '../../../../protocol/track-work.ts';

export interface FinishedDetection {
  readonly offsetFrame: number;
  readonly offsetTime: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
  readonly detectionProperties: Properties;
  artifactExtractionStatus: string;
  artifactPath: string | null;
  /** Box in the displayed picture. Only in documents. */
  readonly uprightBox?: Pick<Detection, 'x' | 'y' | 'width' | 'height'>;
}

export interface FinishedTrack {
  /** Index among the tracks of its type in this answer. */
  readonly index: number;
  readonly type: string;
  readonly confidence: number;
  readonly startOffsetFrame: number;
  readonly stopOffsetFrame: number;
  readonly startOffsetTime: number;
  readonly stopOffsetTime: number;
  readonly trackProperties: Properties;
  readonly exemplar: FinishedDetection;
  readonly detections: readonly FinishedDetection[];
}

/** True for the summary, which is the last line of an answer. */
export function isSummary(line: string): boolean {
  return line.startsWith(SUMMARY);
}

/** Returns the track, and the rest of the line from the tab on, which is not part of the document. */
export function parseFinished(line: string): { readonly track: FinishedTrack; readonly rest: string } {
  // JSON written by JSON.stringify contains no tab.
  const tab = line.indexOf(HIDDEN);
  const [text, rest] = tab < 0 ? [line, ''] : [line.slice(0, tab), line.slice(tab)];
  return { track: JSON.parse(text) as FinishedTrack, rest };
}

export function detectionOf(written: FinishedDetection): Detection {
  const { offsetFrame, offsetTime, x, y, width, height, confidence, detectionProperties } = written;
  return {
    frame: offsetFrame,
    time: offsetTime,
    x,
    y,
    width,
    height,
    confidence,
    properties: detectionProperties,
  };
}

/** Returns the index of the detection that the exemplar is a copy of; -1 if there is none. */
export function exemplarIndex({ exemplar, detections }: FinishedTrack): number {
  return detections.findIndex((one) => isExemplar(one, exemplar));
}

/** Data that the service stores with a track. */
interface Kept extends Partial<Selected> {
  /** True if a task consumed the track by its TRIGGER. Later annotations do not change this. */
  readonly consumed?: true;
}

const keptIn = (rest: string): Kept => (rest === '' ? {} : (JSON.parse(rest.slice(HIDDEN.length)) as Kept));

/** Returns the media selector of a line, from the rest of the line. */
export function selectedIn(rest: string): Selected | undefined {
  const { selector, text } = keptIn(rest);
  return selector === undefined || text === undefined ? undefined : { selector, text };
}

/** Returns the rest of the line for a track that a task has consumed. */
export const asConsumed = (rest: string): string =>
  `${HIDDEN}${JSON.stringify({ ...keptIn(rest), consumed: true } satisfies Kept)}`;

/** Returns a function that is true if a later task has consumed a track of the source. It receives the rest of the track's line. */
export function consumption({
  consumedBy,
}: Pick<TrackSource, 'consumedBy'>): (track: FinishedTrack, rest: string) => boolean {
  const triggers = consumedBy.flatMap((text) => triggerIn(text) ?? []);
  return ({ trackProperties }, rest) =>
    keptIn(rest).consumed === true || triggers.some((trigger) => triggerMatches(trigger, trackProperties));
}

/** Yields the lines of tracks `first` to `first + count - 1` of an answer, with their numbers in this range. */
export async function* finishedLinesOf(
  { path, first, count }: Pick<TrackSource, 'path' | 'first' | 'count'>,
  signal: AbortSignal,
): AsyncGenerator<{ readonly number: number; readonly text: string }> {
  let at = 0;
  for await (const { text } of readLines(path, MAX_OWN_LINE_BYTES, signal)) {
    if (at >= first + count || isSummary(text)) return;
    if (at >= first) yield { number: at - first, text };
    at += 1;
  }
}
