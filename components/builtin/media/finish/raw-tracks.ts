/** Reads raw results of sub-jobs as tracks. Completes types, times and whole pixels, and drops tracks below the quality threshold. */
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { LineReader, MAX_OWN_LINE_BYTES, readLines, splitLines } from '../../../../results/lines.ts';
import { timeOfFrame } from '../../../../domain/frames/frame-times.ts';
import type { ComponentWarnings } from '../../../../domain/properties/component-warnings.ts';
import { aboveThreshold, qualityRule } from '../../../../domain/tracks/quality.ts';
import type {
  Detection,
  FrameTimes,
  MediaType,
  ReportedDetection,
  ReportedTrack,
  ReportedWarning,
  Track,
} from '../../../../domain/types.ts';
import type { FedTrack, Selected } from '../../../../protocol/detection-work.ts';
import { readPrepared } from './prepared-line.ts';
import type { FinishPart, FinishWork } from '../../../../protocol/track-work.ts';

/** A track with its origin. */
export interface RawTrack extends Track {
  /** The fed track. */
  readonly source?: Pick<FedTrack, 'task' | 'line'>;
  readonly selected?: Selected;
}

/** Receives data that is read besides tracks. */
export interface Listener {
  /** Called for each part and each warning, because many parts may have no tracks. */
  readonly onPart: () => void;
  readonly warnings: ComponentWarnings;
}

/** Yields tracks in the order of parts and their lines. */
export async function* rawTracks(
  work: FinishWork,
  signal: AbortSignal,
  { onPart, warnings }: Listener,
): AsyncGenerator<RawTrack> {
  const { mediaType } = work.medium;
  const rule = qualityRule(work.properties);
  const complete = completer(mediaType, work.trackType, await frameTimesOf(work));
  const origins = new Origins();
  try {
    for (const part of work.parts) {
      signal.throwIfAborted();
      onPart();
      const fed = await origins.of(part, signal);
      for await (const { text } of readLines(part.path, undefined, signal)) {
        const raw = JSON.parse(text) as ReportedTrack | ReportedWarning;
        if (!('detections' in raw)) {
          warnings.add(raw.warning);
          onPart();
          continue;
        }
        const track = aboveThreshold(complete(raw), rule, mediaType);
        if (track !== null) yield fed === undefined ? track : { ...track, ...originOf(fed, raw) };
      }
    }
  } finally {
    await origins.close();
  }
}

/** Origin of a fed track. */
type Origin = Pick<FedTrack, 'task' | 'line' | 'selected'>;

/** Maximum number of bytes of fed tracks that are read at once. */
const AT_ONCE = 1024 * 1024;

/** Reads the fed tracks of parts. All parts share one file, which is opened once, because there may be a hundred thousand parts. */
class Origins {
  #file: { readonly path: string; readonly handle: FileHandle; readonly reader: LineReader } | undefined;

  /** Returns only the origin of each fed track. */
  async of({ fed }: FinishPart, signal: AbortSignal): Promise<readonly Origin[] | undefined> {
    if (fed === undefined) return undefined;
    if (fed.bytes === 0) return [];
    if (fed.bytes <= AT_ONCE) {
      const text = await (await this.#readerOf(fed.path)).read(fed);
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map(originIn);
    }
    const origins: Origin[] = [];
    const stream = createReadStream(fed.path, { start: fed.offset, end: fed.offset + fed.bytes - 1, signal });
    for await (const { text } of splitLines(stream, MAX_OWN_LINE_BYTES)) origins.push(originIn(text));
    return origins;
  }

  async close(): Promise<void> {
    await this.#file?.handle.close();
    this.#file = undefined;
  }

  async #readerOf(path: string): Promise<LineReader> {
    if (this.#file?.path === path) return this.#file.reader;
    await this.close();
    const handle = await open(path);
    this.#file = { path, handle, reader: new LineReader(handle) };
    return this.#file.reader;
  }
}

function originIn(text: string): Origin {
  const { task, line, selected } = JSON.parse(text) as FedTrack;
  return { task, line, ...(selected === undefined ? {} : { selected }) };
}

function originOf(
  fed: readonly Origin[],
  { fed: number = 0 }: ReportedTrack,
): Pick<RawTrack, 'source' | 'selected'> {
  const from = fed[number];
  if (from === undefined) return {};
  const { selected, ...source } = from;
  return { source, ...(selected === undefined ? {} : { selected }) };
}

/** Reads the frame times. Only the answer of PREPARE has the table of a variable rate. */
async function frameTimesOf({ medium, prepared }: FinishWork): Promise<FrameTimes> {
  const unknown = { fps: medium.fps, constantRate: true, startTime: 0 };
  if (medium.mediaType !== 'VIDEO') return unknown;
  return (await readPrepared(prepared))?.facts.frameTimes ?? unknown;
}

/** Completes data that a component may omit. Video tracks get frames and times; other media get no frames. */
function completer(
  mediaType: MediaType,
  trackType: string,
  frameTimes: FrameTimes,
): (raw: ReportedTrack) => Track {
  const video = mediaType === 'VIDEO';
  const frameOf = (frame: number): number => (video ? frame : 0);
  const timeOf = (given: number | undefined, frame: number, fallback: number): number => {
    if (mediaType === 'IMAGE' || mediaType === 'UNKNOWN') return 0;
    if (given !== undefined) return Math.round(given);
    return video ? timeOfFrame(frameTimes, frame) : fallback;
  };
  return (raw) => {
    const startTime = timeOf(raw.startTime, raw.startFrame, 0);
    const stopTime = timeOf(raw.stopTime, raw.stopFrame, startTime);
    return {
      startFrame: frameOf(raw.startFrame),
      stopFrame: frameOf(raw.stopFrame),
      startTime,
      stopTime,
      type: raw.type ?? trackType,
      confidence: raw.confidence,
      properties: raw.properties,
      detections: raw.detections.map((one) =>
        completeDetection(one, frameOf(one.frame), timeOf(one.time, one.frame, startTime)),
      ),
    };
  };
}

/** Returns a reported detection with its frame and time, in whole pixels. */
export function completeDetection(raw: ReportedDetection, frame: number, time: number): Detection {
  return {
    frame,
    time,
    x: wholePixels(raw.x),
    y: wholePixels(raw.y),
    width: wholePixels(raw.width),
    height: wholePixels(raw.height),
    confidence: raw.confidence,
    properties: raw.properties,
  };
}

const MAX_PIXELS = 2 ** 31 - 1;

/** Rounds half up, never to -0, within the range of a 32-bit integer. */
function wholePixels(value: number): number {
  return Math.max(-MAX_PIXELS, Math.min(MAX_PIXELS, Math.round(value) + 0));
}
