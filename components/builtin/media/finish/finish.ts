/**
 * FINISH: writes the raw tracks of one (medium, action) in their final form and order. Tracks pass one at a time. Only their places in a
 * temporary file and their sort keys stay in memory.
 */
import { MediumError } from '../../../../media/medium-error.ts';
import { inChunks, type Place } from '../../../../results/lines.ts';
import { ComponentWarnings } from '../../../../domain/properties/component-warnings.ts';
import { thresholdWarnings } from '../../../../domain/tracks/quality.ts';
import { capRanges } from '../../../../domain/frames/segments.ts';
import type { Detection, Issue, MediaType, Range, Track } from '../../../../domain/types.ts';
import { MAX_TRACK_RANGES, type FinishSummary, type FinishWork } from '../../../../protocol/track-work.ts';
import type { WorkContext } from '../../../sdk/work/work-context.ts';
import { annotatedLines } from './annotated-lines.ts';
import { derivation, type Derivation } from './derived-media.ts';
import { mergedTracks } from './merge-tracks.ts';
import { rawTracks, type RawTrack } from './raw-tracks.ts';
import { readRollUp } from './roll-up.ts';
import { openScratch, type Scratch } from './scratch.ts';
import { selectorsOutput, type SelectorsOutput } from './selectors-output.ts';
import { trackShaper, type TrackShaper } from './shape-tracks.ts';
import { joinTrackText, trackWriter } from './track-line.ts';

/** Yields one line per track in document order, and then the summary line. */
export function finish(work: FinishWork, context: WorkContext): AsyncGenerator<string> {
  return inChunks(
    work.annotated === undefined ? finishedLines(work, context) : annotatedLines(work, context),
  );
}

/** State that processes tracks, besides their lines. */
interface Outcome {
  readonly shaper: TrackShaper;
  readonly rolledUp: (track: RawTrack) => RawTrack;
  readonly derived: Derivation | undefined;
  readonly selected: SelectorsOutput | undefined;
  /** Warnings of the component. */
  readonly said: ComponentWarnings;
}

async function openOutcome(work: FinishWork): Promise<Outcome> {
  return {
    shaper: trackShaper(work),
    rolledUp: await readRollUp(work.rollUp),
    derived: await derivation(work),
    selected: selectorsOutput(work),
    said: new ComponentWarnings(),
  };
}

async function* finishedLines(work: FinishWork, context: WorkContext): AsyncGenerator<string> {
  const scratch = openScratch();
  try {
    const outcome = await openOutcome(work);
    const finished = await finishTracks(work, context, scratch, outcome);
    finished.tracks.sort(inDocumentOrder);
    const types = new Map<string, number>();
    for (const track of finished.tracks) {
      context.signal.throwIfAborted();
      context.progress((finished.done += 1), 0);
      const index = types.get(track.type) ?? 0;
      types.set(track.type, index + 1);
      if (types.size > MAX_TYPES) throw tooManyTypes(work);
      const text = await scratch.read(track.place);
      yield `${joinTrackText(text.slice(0, ID_LENGTH), index, text.slice(ID_LENGTH))}\n`;
    }
    const selectorsOutputUri = await outcome.selected?.write();
    const extra = {
      ...(outcome.derived === undefined ? {} : { derived: outcome.derived.media() }),
      ...(selectorsOutputUri === undefined ? {} : { selectorsOutputUri }),
    };
    yield `${JSON.stringify({ summary: { ...summary(work, finished, types, outcome), ...extra } })}\n`;
  } finally {
    await scratch.close();
  }
}

/** Maximum number of track types of one action on one medium. The job's rows count each type separately. */
const MAX_TYPES = 1_000;

const tooManyTypes = ({ action }: FinishWork) =>
  new MediumError(
    'OTHER',
    `The action ${action} has found tracks of more than ${MAX_TYPES} types; put details of tracks into a property.`,
  );

const ID_LENGTH = 64;

/** The part of a finished track that stays in memory. */
interface Finished {
  readonly place: Place;
  readonly type: string;
  /** Frames of a video, otherwise milliseconds. */
  readonly start: number;
  readonly stop: number;
  readonly exemplarFrame: number;
  readonly x: number;
  readonly y: number;
}

async function finishTracks(
  work: FinishWork,
  context: WorkContext,
  scratch: Scratch,
  { shaper, rolledUp, derived, selected, said }: Outcome,
): Promise<{ tracks: Finished[]; detections: number; done: number }> {
  const textOf = trackWriter(work);
  const tracks: Finished[] = [];
  let detections = 0;
  let done = 0;
  const countPart = (): void => context.progress((done += 1), 0);
  for await (const track of mergedTracks(
    countTracks(rawTracks(work, context.signal, { onPart: countPart, warnings: said })),
    work,
  )) {
    context.progress((done += 1), 0);
    const shaped = shaper.shape(track);
    if (shaped === null) continue;
    const rolled = rolledUp(shaped);
    const final = derived === undefined ? rolled : await derived.adopt(rolled);
    selected?.add(final);
    const text = textOf(final);
    detections += text.detections;
    tracks.push(
      sortable(final, text.exemplar, await scratch.write(text.id + text.rest), work.medium.mediaType),
    );
  }
  return { tracks, detections, done };

  async function* countTracks(raw: AsyncIterable<RawTrack>): AsyncGenerator<RawTrack> {
    for await (const track of raw) {
      context.signal.throwIfAborted();
      context.progress((done += 1), 0);
      yield track;
    }
  }
}

function sortable(track: Track, exemplar: Detection, place: Place, mediaType: MediaType): Finished {
  const [start, stop] =
    mediaType === 'VIDEO' ? [track.startFrame, track.stopFrame] : [track.startTime, track.stopTime];
  return {
    place,
    type: track.type,
    start,
    stop,
    exemplarFrame: exemplar.frame,
    x: exemplar.x,
    y: exemplar.y,
  };
}

/** Compares tracks. Tracks that are equal in all keys keep the order in which they were reported. */
function inDocumentOrder(a: Finished, b: Finished): number {
  return (
    a.start - b.start ||
    a.stop - b.stop ||
    a.exemplarFrame - b.exemplarFrame ||
    a.x - b.x ||
    a.y - b.y ||
    (a.type < b.type ? -1 : a.type > b.type ? 1 : 0)
  );
}

function summary(
  work: FinishWork,
  { tracks, detections }: { readonly tracks: readonly Finished[]; readonly detections: number },
  types: ReadonlyMap<string, number>,
  { shaper, said }: Outcome,
): FinishSummary {
  const covered: readonly Range[] = work.medium.mediaType === 'VIDEO' ? tracks : [];
  return {
    tracks: tracks.length,
    detections,
    types: Object.fromEntries(types),
    warnings: [
      ...thresholdWarnings(work.properties),
      ...said.issues(),
      ...shaper.warnings(),
    ] satisfies Issue[],
    ranges: capRanges(covered, MAX_TRACK_RANGES).map(({ start, stop }) => ({ start, stop })),
  };
}
