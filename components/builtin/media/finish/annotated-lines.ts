/**
 * FINISH of an annotator: writes the tracks that were fed to it, with its properties, and all other tracks of the same tasks unchanged.
 * Frames, boxes, ids and artifacts do not change.
 */
import { MediumError } from '../../../../media/medium-error.ts';
import type { Place } from '../../../../results/lines.ts';
import { ComponentWarnings } from '../../../../domain/properties/component-warnings.ts';
import { thresholdWarnings } from '../../../../domain/tracks/quality.ts';
import { capRanges } from '../../../../domain/frames/segments.ts';
import type { Range, Track } from '../../../../domain/types.ts';
import {
  MAX_TRACK_RANGES,
  type FinishSummary,
  type FinishWork,
  type TrackSection,
  type TrackSource,
} from '../../../../protocol/track-work.ts';
import type { WorkContext } from '../../../sdk/work/work-context.ts';
import { rawTracks, type RawTrack } from './raw-tracks.ts';
import { readRollUp } from './roll-up.ts';
import { openScratch, type Scratch } from './scratch.ts';
import { selectorsOutput } from './selectors-output.ts';
import {
  asConsumed,
  consumption,
  detectionOf,
  finishedLinesOf,
  parseFinished,
  type FinishedDetection,
  selectedIn,
  type FinishedTrack,
} from './finished-line.ts';
import { addTo } from '../../../../domain/grouping.ts';

export async function* annotatedLines(work: FinishWork, context: WorkContext): AsyncGenerator<string> {
  if (work.derive !== undefined)
    throw new MediumError(
      'OTHER',
      'An annotator gives back tracks that were found before, and cannot bring derivative media: set IS_ANNOTATOR to FALSE for it.',
    );
  const scratch = openScratch();
  try {
    const selected = selectorsOutput(work);
    const said = new ComponentWarnings();
    const answers = await takeAnswers(work, context, scratch, said);
    const answered = new Set([...answers.keys()].map(taskIn));
    const sections: TrackSection[] = [];
    const ranges: Range[] = [];
    let detections = 0;
    for (const source of work.annotated ?? []) {
      const types = new Map<string, number>();
      let count = 0;
      for await (const { line, track, rest } of sourceLines(source, answers, context, scratch)) {
        types.set(track.type, (types.get(track.type) ?? 0) + 1);
        count += 1;
        detections += track.detections.length;
        if (work.medium.mediaType === 'VIDEO')
          ranges.push({ start: track.startOffsetFrame, stop: track.stopOffsetFrame });
        selected?.add({ selected: selectedIn(rest), ...saidOf(track) });
        yield `${line}\n`;
      }
      const untouched = !answered.has(source.task);
      sections.push({
        task: source.task,
        count,
        types: Object.fromEntries(types),
        ...(untouched ? { untouched } : {}),
      });
    }
    const selectorsOutputUri = await selected?.write();
    const summary = {
      ...summaryOf(sections, detections, ranges),
      warnings: [...thresholdWarnings(work.properties), ...said.issues()],
      ...(selectorsOutputUri === undefined ? {} : { selectorsOutputUri }),
    };
    yield `${JSON.stringify({ summary })}\n`;
  } finally {
    await scratch.close();
  }
}

const saidOf = ({ trackProperties, detections }: FinishedTrack) => ({
  properties: trackProperties,
  detections: detections.map(detectionOf),
});

/** Places of the answers, by task and line of the fed track. */
type Answers = ReadonlyMap<string, readonly Place[]>;

async function takeAnswers(
  work: FinishWork,
  context: WorkContext,
  scratch: Scratch,
  warnings: ComponentWarnings,
): Promise<Answers> {
  const rolledUp = await readRollUp(work.rollUp);
  const answers = new Map<string, Place[]>();
  let done = 0;
  const countPart = (): void => context.progress((done += 1), 0);
  for await (const track of rawTracks(work, context.signal, { onPart: countPart, warnings })) {
    context.signal.throwIfAborted();
    countPart();
    if (track.source === undefined) continue;
    const key = keyOf(track.source.task, track.source.line);
    addTo(answers, key, await scratch.write(JSON.stringify(rolledUp(track))));
  }
  return answers;
}

const keyOf = (task: number, line: number) => `${task}:${line}`;
const taskIn = (key: string) => Number(key.slice(0, key.indexOf(':')));

async function* sourceLines(
  source: TrackSource,
  answers: Answers,
  { signal }: WorkContext,
  scratch: Scratch,
): AsyncGenerator<{ readonly line: string; readonly track: FinishedTrack; readonly rest: string }> {
  const isConsumed = consumption(source);
  for await (const { number, text } of finishedLinesOf(source, signal)) {
    const { track, rest } = parseFinished(text);
    const places = answers.get(keyOf(source.task, number));
    if (places === undefined) {
      const line = isConsumed(track, rest)
        ? `${text.slice(0, text.length - rest.length)}${asConsumed(rest)}`
        : text;
      yield { line, track, rest };
      continue;
    }
    let annotated = track;
    for (const place of places)
      annotated = withAnnotation(annotated, JSON.parse(await scratch.read(place)) as RawTrack);
    yield { line: `${JSON.stringify(annotated)}${rest}`, track: annotated, rest };
  }
}

/** Adds an annotation. Detections are matched by frame, because a track has one per frame. */
function withAnnotation(line: FinishedTrack, { properties, confidence, detections }: Track): FinishedTrack {
  const byFrame = new Map(detections.map((one) => [one.frame, one]));
  const annotateDetection = (one: FinishedDetection): FinishedDetection => {
    const found = byFrame.get(one.offsetFrame);
    if (found === undefined) return one;
    const all = { ...one.detectionProperties, ...found.properties };
    return { ...one, detectionProperties: all };
  };
  return {
    ...line,
    confidence,
    trackProperties: { ...line.trackProperties, ...properties },
    exemplar: annotateDetection(line.exemplar),
    detections: line.detections.map(annotateDetection),
  };
}

function summaryOf(
  sections: readonly TrackSection[],
  detections: number,
  ranges: readonly Range[],
): FinishSummary {
  const types = new Map<string, number>();
  for (const section of sections)
    for (const [type, count] of Object.entries(section.types))
      types.set(type, (types.get(type) ?? 0) + count);
  return {
    tracks: sections.reduce((sum, { count }) => sum + count, 0),
    detections,
    types: Object.fromEntries(types),
    warnings: [],
    ranges: capRanges(ranges, MAX_TRACK_RANGES).map(({ start, stop }) => ({ start, stop })),
    sections,
  };
}
