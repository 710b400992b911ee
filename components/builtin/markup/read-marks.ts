/** Reads finished tracks, and keeps only the data for drawing. */
import { orientationOf } from '../../../domain/geometry/geometry.ts';
import type { TrackSource } from '../../../protocol/track-work.ts';
import { consumption, exemplarIndex, finishedLinesOf, parseFinished } from '../media/finish/finished-line.ts';
import type { FinishedDetection, FinishedTrack } from '../media/finish/finished-line.ts';
import { labelText, type BoxOrigin } from './label-text.ts';
import { Marks, type Mark } from './marks.ts';
import type { MarkupSettings } from './settings.ts';
import type { UnseenFrames } from './unseen-frames.ts';

/**
 * Reads the boxes of all tracks that no later task has consumed. With `unseen`, boxes are also added in frames before and after each track.
 */
export async function readMarks(
  sources: readonly TrackSource[],
  settings: MarkupSettings,
  signal: AbortSignal,
  unseen?: UnseenFrames,
): Promise<Marks> {
  const marks = new Marks();
  let number = 0;
  for (const source of sources)
    for await (const track of tracksOf(source, signal)) {
      signal.throwIfAborted();
      if (unseen !== undefined) addEnds(marks, track, number, unseen);
      addTrack(marks, track, number++, settings);
    }
  return marks;
}

async function* tracksOf(source: TrackSource, signal: AbortSignal): AsyncGenerator<FinishedTrack> {
  const isConsumed = consumption(source);
  for await (const { text } of finishedLinesOf(source, signal)) {
    const { track, rest } = parseFinished(text);
    if (!isConsumed(track, rest)) yield track;
  }
}

function addTrack(marks: Marks, track: FinishedTrack, number: number, settings: MarkupSettings): void {
  const exemplar = exemplarIndex(track);
  const add = (frame: number, detection: FinishedDetection, place: Place, origin: BoxOrigin): void => {
    if (!(place.width > 0 && place.height > 0)) return;
    const label = settings.labels === null ? null : labelText(track, detection, origin, settings.labels);
    marks.add(frame, { ...place, track: number, label });
  };
  for (const [index, detection] of track.detections.entries()) {
    const isExemplar = index === exemplar;
    add(detection.offsetFrame, detection, placeOf(detection), { isExemplar, isAnimated: false });
    const next = track.detections[index + 1];
    if (!settings.animation || next === undefined) continue;
    const between = next.offsetFrame - detection.offsetFrame;
    for (let step = 1; step < between; step++) {
      const place = onTheWay(placeOf(detection), placeOf(next), step / between);
      add(detection.offsetFrame + step, detection, place, { isExemplar: false, isAnimated: true });
    }
  }
}

/** Adds the first detection's box to frames before it, and the last one's to frames after it. */
function addEnds(marks: Marks, { detections }: FinishedTrack, track: number, unseen: UnseenFrames): void {
  const [first, last] = [detections[0], detections.at(-1)];
  if (first === undefined || last === undefined) return;
  const add = (detection: FinishedDetection, from: number, to: number): void => {
    const place = placeOf(detection);
    if (!(place.width > 0 && place.height > 0)) return;
    for (let frame = from; frame <= to; frame++) marks.add(frame, { ...place, track, label: null });
  };
  add(first, unseen.before(first.offsetFrame), first.offsetFrame - 1);
  add(last, last.offsetFrame + 1, unseen.after(last.offsetFrame));
}

type Place = Omit<Mark, 'track' | 'label'>;

function placeOf(detection: FinishedDetection): Place {
  const { x, y, width, height } = detection;
  return { x, y, width, height, ...orientationOf(detection.detectionProperties) };
}

/** Interpolates a box at a share of the way, 0 to 1. It rotates in the shorter direction. */
export function onTheWay(from: Place, to: Place, part: number): Place {
  const between = (a: number, b: number): number => a + (b - a) * part;
  const turn = ((((to.rotation - from.rotation) % 360) + 540) % 360) - 180;
  return {
    x: between(from.x, to.x),
    y: between(from.y, to.y),
    width: between(from.width, to.width),
    height: between(from.height, to.height),
    rotation: from.flip === to.flip ? from.rotation + turn * part : from.rotation,
    flip: from.flip,
  };
}
