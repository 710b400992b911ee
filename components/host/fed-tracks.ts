/** Runs a detector on tracks that are fed forward, one by one or all at once. */
import { Readable } from 'node:stream';
import { splitLines, MAX_OWN_LINE_BYTES } from '../../results/lines.ts';
import type { ReportedTrack } from '../../domain/types.ts';
import type { DetectionJob, Detector } from '../sdk/detector.ts';
import type { DetectWork, FedTrack, FeedForward } from '../../protocol/detection-work.ts';
import type { WorkContext } from '../sdk/work/work-context.ts';
import { annotateTracks, withProperties } from './annotate.ts';
import { inDocument } from './document.ts';
import { imageAt, inFedImage, inFedVideo, type FedWork } from './fed-pictures.ts';
import { methodFor, type DetectContext } from './medium.ts';
import { ownerFinder } from './owner.ts';
import { inSound } from './sound.ts';
import { framesOf } from './views.ts';

/** Tracks for one call of the detector. The first one is in line `first` of the input. */
interface Course {
  readonly first: number;
  readonly tracks: readonly FedTrack[];
}

type Ask = (course: Course, job: DetectionJob) => AsyncIterable<ReportedTrack>;

/** Yields the results. Each names the input line of the track that it was found in. Annotated tracks keep the order of the input. */
export async function* inFedTracks(
  detector: Detector,
  work: DetectWork,
  feed: FeedForward,
  context: DetectContext,
): AsyncGenerator<ReportedTrack> {
  const { properties } = work;
  const { signal, warn, traceparent } = context;
  const about = {
    ...{ properties, signal, warn, working: () => context.working?.() },
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  if (detector.fed !== undefined) {
    yield* askDetector(detector, feed, about, context);
    return;
  }
  const tracks: FedTrack[] = [];
  for await (const { track } of tracksOf(feed, context)) tracks.push(track);
  const ask = asker(detector, work, feed, { tracks, context });
  for (const course of coursesOf(tracks, feed.allTracks)) {
    signal.throwIfAborted();
    const job: DetectionJob = feed.allTracks
      ? { ...about, allFed: tracks }
      : { ...about, fed: course.tracks[0]! };
    const found = numberTracks(ask(course, job), course);
    yield* feed.annotate ? annotateTracks(course, found) : found;
  }
}

/** Yields tracks and the byte lengths of their lines. */
async function* tracksOf(
  { input, lines }: FeedForward,
  context: WorkContext,
): AsyncGenerator<{ readonly track: FedTrack; readonly length: number }> {
  const bytes = lines === undefined ? await context.input(input) : Readable.from([lines]);
  for await (const { text } of splitLines(bytes, MAX_OWN_LINE_BYTES)) {
    context.signal.throwIfAborted();
    yield { track: JSON.parse(text) as FedTrack, length: Buffer.byteLength(text) + 1 };
  }
}

function coursesOf(tracks: readonly FedTrack[], together: boolean): Course[] {
  if (together) return tracks.length === 0 ? [] : [{ first: 0, tracks }];
  return tracks.map((track, first) => ({ first, tracks: [track] }));
}

/** Adds to each result the line of the fed track in which it was found. */
async function* numberTracks(found: AsyncIterable<ReportedTrack>, { first, tracks }: Course) {
  const ownerOf = ownerFinder(tracks);
  for await (const track of found) yield { ...track, fed: first + ownerOf(track) };
}

/** Runs a detector that processes only tracks and not the medium. It gets one track at a time, however many share the sub-job. */
async function* askDetector(
  detector: Detector,
  feed: FeedForward,
  job: DetectionJob,
  context: WorkContext,
): AsyncGenerator<ReportedTrack> {
  const { annotate, bytes } = feed;
  let [line, read] = [0, 0];
  for await (const { track, length } of tracksOf(feed, context)) {
    let whole = annotate ? withProperties(track, line, { properties: {} }, true) : undefined;
    for await (const more of detector.fed!(track, { ...job, fed: track })) {
      if (whole === undefined) yield withProperties(track, line, more, false);
      else whole = withProperties(whole, line, more, true);
    }
    if (whole !== undefined) yield whole;
    line += 1;
    context.progress((read += length), bytes);
  }
}

/** Returns the function that runs the detector on the tracks' part of the medium. It counts processed parts as progress. */
function asker(
  detector: Detector,
  work: DetectWork,
  { type }: FeedForward,
  { tracks, context }: { readonly tracks: readonly FedTrack[]; readonly context: WorkContext },
): Ask {
  const counter = (total: number) => {
    let done = 0;
    return (more: number) => context.progress((done += more), total);
  };
  switch (methodFor(detector, work.medium)) {
    case 'video': {
      const onProgress = counter(sum(tracks, (track) => framesOf([track]).length));
      return (course, job) => inFedVideo(detector, picturesOf(course, job, onProgress));
    }
    case 'image': {
      const onProgress = counter(tracks.length);
      const picture = imageAt(work.medium.path);
      return (course, job) => inFedImage(detector, picturesOf(course, job, onProgress), picture);
    }
    case 'audio': {
      const onProgress = counter(sum(tracks, ({ startTime, stopTime }) => stopTime - startTime + 1));
      return (course, job) => inFedSound(detector, work, course, job, onProgress);
    }
    case 'generic': {
      const onProgress = counter(0);
      return (_course, job) => inDocument(detector, work, job, () => onProgress(1));
    }
  }
  function picturesOf({ tracks }: Course, job: DetectionJob, onProgress: (more: number) => void): FedWork {
    return { work, type, tracks, job, onLooked: () => onProgress(1) };
  }
}

function inFedSound(
  detector: Detector,
  work: DetectWork,
  { tracks }: Course,
  job: DetectionJob,
  onProgress: (more: number) => void,
): AsyncIterable<ReportedTrack> {
  let before = 0;
  const stretches = tracks.map(({ startTime, stopTime }) => ({ startMs: startTime, stopMs: stopTime }));
  const frames = {
    start: tracks.reduce((least, { startFrame }) => Math.min(least, startFrame), Infinity),
    stop: tracks.reduce((most, { stopFrame }) => Math.max(most, stopFrame), 0),
  };
  return inSound(detector, work, job, {
    stretches: stretches.toSorted((a, b) => a.startMs - b.startMs),
    frames,
    heard: (ms) => {
      onProgress(ms - before);
      before = ms;
    },
  });
}

const sum = <T>(items: readonly T[], value: (item: T) => number): number =>
  items.reduce((total, item) => total + value(item), 0);
