/** A line of a FINISH or ARTIFACTS answer: a track of the document, with what the server needs beside it. */
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
  /** In the picture as it is shown; stands in documents only. */
  readonly uprightBox?: Pick<Detection, 'x' | 'y' | 'width' | 'height'>;
}

export interface FinishedTrack {
  /** Among the tracks of its type in this answer. */
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

/** The last line of an answer is its summary. */
export function isSummary(line: string): boolean {
  return line.startsWith(SUMMARY);
}

/** The track, and the rest of the line from the tab on, which belongs to others. */
export function parseFinished(line: string): { readonly track: FinishedTrack; readonly rest: string } {
  // No tab stands inside of JSON that was written by JSON.stringify.
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

/** Which of the detections is the exemplar, which is written as a copy; -1 when it is none of them. */
export function exemplarIndex({ exemplar, detections }: FinishedTrack): number {
  return detections.findIndex((one) => isExemplar(one, exemplar));
}

/** What the service keeps with a track. */
interface Kept extends Partial<Selected> {
  /** A task has taken the track because of its TRIGGER; what an annotator says of it later makes no difference. */
  readonly consumed?: true;
}

const keptIn = (rest: string): Kept => (rest === '' ? {} : (JSON.parse(rest.slice(HIDDEN.length)) as Kept));

/** The media selector that a line comes from. It is in the rest of the line. */
export function selectedIn(rest: string): Selected | undefined {
  const { selector, text } = keptIn(rest);
  return selector === undefined || text === undefined ? undefined : { selector, text };
}

/** The rest of the line of a track that a task has consumed. */
export const asConsumed = (rest: string): string =>
  `${HIDDEN}${JSON.stringify({ ...keptIn(rest), consumed: true } satisfies Kept)}`;

/** Tells of a track of the source, with the rest of its line, whether a task between has consumed it. */
export function consumption({
  consumedBy,
}: Pick<TrackSource, 'consumedBy'>): (track: FinishedTrack, rest: string) => boolean {
  const triggers = consumedBy.flatMap((text) => triggerIn(text) ?? []);
  return ({ trackProperties }, rest) =>
    keptIn(rest).consumed === true || triggers.some((trigger) => triggerMatches(trigger, trackProperties));
}

/** The lines of tracks `first` to `first + count - 1` of an answer, each with its number among them. */
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
