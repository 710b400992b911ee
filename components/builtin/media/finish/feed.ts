/**
 * FEED: selects the input of an action for one medium. Tracks of earlier tasks pass through one at a time. For a document with media
 * selectors, the selected strings are fed as tracks.
 */
import { readFile, stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { MediumError } from '../../../../media/medium-error.ts';
import { feedIndexLine, type FeedPiece } from '../../../../results/feed-index.ts';
import { inChunks } from '../../../../results/lines.ts';
import { booleanOf, textOf } from '../../../../domain/properties/properties.ts';
import { fedDetections } from '../../../../domain/tracks/fed-detections.ts';
import { triggerIn, triggerMatches } from '../../../../domain/properties/trigger.ts';
import type { Properties } from '../../../../domain/types.ts';
import type { FedTrack, FeedSummary, FeedWork, Selected } from '../../../../protocol/detection-work.ts';
import type { WorkContext } from '../../../sdk/work/work-context.ts';
import { consumption, detectionOf, finishedLinesOf, parseFinished, selectedIn } from './finished-line.ts';

/** Maximum length of the reason why a document is not JSON. */
const MAX_REASON = 160;

/** Maximum size of a document that is read completely and searched. */
const MAX_SELECTED_BYTES = 64 * 1024 * 1024;

export function feed(work: FeedWork, context: WorkContext): AsyncGenerator<string> {
  return inChunks(fedLines(work, context));
}

async function* fedLines(work: FeedWork, context: WorkContext): AsyncGenerator<string> {
  const selected = work.selectors === undefined ? undefined : await selectedTexts(work, work.selectors);
  const pieces = new Pieces(work, selected?.length ?? sum(work.sources));
  const tracks = selected === undefined ? earlierTracks(work, context.signal) : selectedTracks(selected);
  let count = 0;
  for await (const track of tracks) {
    context.signal.throwIfAborted();
    context.progress((count += 1), 0);
    const line = `${JSON.stringify(track)}\n`;
    pieces.add(track, Buffer.byteLength(line));
    yield line;
  }
  if (count === 0 && work.selectors !== undefined) refuseNothing(work);
  for (const piece of pieces.all) yield feedIndexLine(piece);
  const summary: FeedSummary = { tracks: count, pieces: pieces.all.length, indexAt: pieces.bytes };
  yield `${JSON.stringify({ summary })}\n`;
}

function refuseNothing({ properties }: FeedWork): void {
  if (!booleanOf(properties, 'MEDIA_SELECTORS_NO_MATCHES_IS_ERROR')) return;
  throw new MediumError(
    'OTHER',
    'None of the media selectors matched anything in the document. Correct their expressions, or set MEDIA_SELECTORS_NO_MATCHES_IS_ERROR to FALSE to allow this.',
  );
}

/** Groups tracks into sub-jobs: one track each, unless there are too many or all are wanted together. */
class Pieces {
  readonly all: FeedPiece[] = [];
  bytes = 0;
  readonly #each: number;
  readonly #isVideo: boolean;
  #inLast = 0;

  constructor({ properties, maxPieces, medium }: FeedWork, most: number) {
    this.#each = booleanOf(properties, 'FEED_FORWARD_ALL_TRACKS')
      ? Infinity
      : Math.max(1, Math.ceil(most / maxPieces));
    this.#isVideo = medium.mediaType === 'VIDEO';
  }

  add({ startFrame, stopFrame, selected }: FedTrack, bytes: number): void {
    const last = this.all.at(-1);
    const selector = selected?.selector ?? -1;
    if (last === undefined || this.#inLast >= this.#each || last.selector !== selector) {
      const frames = this.#isVideo ? { start: startFrame, stop: stopFrame } : { start: 0, stop: -1 };
      this.all.push({ offset: this.bytes, bytes, selector, ...frames });
      this.#inLast = 0;
    } else {
      const frames = this.#isVideo
        ? { start: Math.min(last.start, startFrame), stop: Math.max(last.stop, stopFrame) }
        : {};
      this.all[this.all.length - 1] = { ...last, bytes: last.bytes + bytes, ...frames };
    }
    this.#inLast += 1;
    this.bytes += bytes;
  }
}

async function* earlierTracks(work: FeedWork, signal: AbortSignal): AsyncGenerator<FedTrack> {
  const { properties, sources } = work;
  const own = triggerIn(textOf(properties, 'TRIGGER', ''));
  const choose = chooser(work);
  for (const source of sources) {
    const isConsumed = consumption(source);
    for await (const { number, text } of finishedLinesOf(source, signal)) {
      const { track, rest } = parseFinished(text);
      if (isConsumed(track, rest)) continue;
      if (own !== null && !triggerMatches(own, track.trackProperties)) continue;
      const detections = choose(track.detections.map(detectionOf));
      if (detections.length === 0) continue;
      const selected = selectedIn(rest);
      yield {
        startFrame: track.startOffsetFrame,
        stopFrame: track.stopOffsetFrame,
        startTime: track.startOffsetTime,
        stopTime: track.stopOffsetTime,
        type: track.type,
        confidence: track.confidence,
        properties: track.trackProperties,
        detections,
        task: source.task,
        line: number,
        ...(selected === undefined ? {} : { selected }),
      };
    }
  }
}

/** Returns the function that selects the detections of a track: the best ones of a video, and those with a requested property. */
const chooser = ({ properties, medium }: FeedWork): ReturnType<typeof fedDetections> =>
  medium.mediaType === 'VIDEO' ? fedDetections(properties) : (all) => all;

const sum = (sources: FeedWork['sources']) => sources.reduce((all, { count }) => all + count, 0);

async function selectedTexts(
  { medium }: FeedWork,
  selectors: NonNullable<FeedWork['selectors']>,
): Promise<readonly Selected[]> {
  const { selectStrings } = await import('../../../../domain/text/media-selectors.ts');
  const document = JSON.parse(await readJsonText(medium.path)) as unknown;
  const all: Selected[] = [];
  for (const [number, selector] of selectors.entries()) {
    const strings = selectStrings(document, selector);
    if ('refused' in strings) throw new MediumError('OTHER', strings.refused);
    for (const text of strings) all.push({ selector: number, text });
    // An expression may take seconds. A cancel takes effect before the next one.
    await setImmediate();
  }
  return all;
}

function* selectedTracks(all: readonly Selected[]): Generator<FedTrack> {
  for (const [line, selected] of all.entries()) yield selectedTrack(selected, line);
}

function selectedTrack(selected: Selected, line: number): FedTrack {
  const properties: Properties = { TEXT: selected.text };
  const nowhere = { x: 0, y: 0, width: 0, height: 0, confidence: -1, properties };
  return {
    startFrame: 0,
    stopFrame: 0,
    startTime: 0,
    stopTime: 0,
    type: 'TEXT',
    confidence: -1,
    properties,
    detections: [{ frame: 0, time: 0, ...nowhere }],
    task: -1,
    line,
    selected,
  };
}

/** Returns the text of a JSON document. Throws OTHER if it is not JSON. */
export async function readJsonText(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > MAX_SELECTED_BYTES)
    throw new MediumError(
      'OTHER',
      `The document has ${size} bytes, but media selectors accept at most ${MAX_SELECTED_BYTES} bytes.`,
    );
  const bytes = await readFile(path);
  try {
    const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
    JSON.parse(text);
    return text;
  } catch (error) {
    throw new MediumError(
      'OTHER',
      `The document has media selectors but is not JSON: ${notJson(bytes, error)}.`,
      {
        cause: error,
      },
    );
  }
}

/** Returns the reason on one line and printable, because the parser's message quotes the document unchanged. */
function notJson(bytes: Buffer, error: unknown): string {
  // A byte order mark, or two ASCII characters, which begin all JSON.
  if (/^(fffe|feff|(00(?!00)..){2}|((?!00)..00){2})/.test(bytes.toString('hex', 0, 4)))
    return 'it seems to be UTF-16; save it as UTF-8';
  const reason = error instanceof Error ? error.message : String(error);
  const shown = reason.replace(/[\s\p{Z}]+/gu, ' ').replace(/[\p{C}\uFFFD]+/gu, '?');
  return shown.length <= MAX_REASON ? shown : `${shown.slice(0, MAX_REASON - 1)}…`;
}
