/** Recordings of live streams: their list, clips, and single pictures. */
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathOf } from '../../results/file-keys.ts';
import { framesFolder, recordingFolder } from '../../results/layout.ts';
import { clipOf, type Clip, type ClipRange } from '../../results/recording/clip.ts';
import {
  endOf,
  fragmentsOfHour,
  hourOf,
  recordedHours,
  recordedUntil,
  type StoredFragment,
} from '../../results/recording/fragment-files.ts';
import { localIso } from '../../results/local-iso.ts';
import { openServed } from '../../results/served-file.ts';
import type { Store } from '../../store/store.ts';
import { delay, type Clock } from '../basics/clock.ts';
import type { JobFile, Missing } from '../job-files/job-files.ts';
import type { RecordingStore } from '../streaming-job/recordings/recording-store.ts';
import { isEnded, type StreamingJobRecord } from '../streaming-job/state.ts';
import { storedStream } from '../streaming-job/stored-stream.ts';
import type { FrameService } from './frame-service.ts';
import type { Busy } from './job-frames.ts';

/** A continuous recording. Times are milliseconds since the epoch. */
export interface RecordedStretch {
  readonly start: number;
  readonly stop: number;
  /** Frames of the stream. Null if the recorded address is not the analyzed one. */
  readonly startFrame: number | null;
  readonly stopFrame: number | null;
}

/** Times as in the list for clients. */
type ListedStretch = Pick<RecordedStretch, 'startFrame' | 'stopFrame'> &
  Readonly<Record<'startTime' | 'stopTime', string>>;

export interface RecordingList {
  readonly bytes: number;
  readonly stretches: readonly ListedStretch[];
}

/** A time (milliseconds since the epoch), or the number of a frame. */
export type Moment = { readonly at: number } | { readonly frame: number };

export interface StreamRecordingsDeps {
  readonly store: Store;
  readonly recordings: Pick<RecordingStore, 'bytesOf'>;
  readonly frames: FrameService;
  readonly dataDir: string;
  readonly clock: Clock;
}

/** Shorter pauses do not end a stretch. */
const BREAK_MS = 2_000;
/** Maximum length of a clip in milliseconds. */
export const MAX_CLIP_MS = 3_600_000;
/**
 * Maximum time in milliseconds for which a clip waits for its end: 5 seconds after an event, 10 seconds of a fragment (see
 * `media/live/recording/recorder.ts`), and its way to this server.
 */
const MOST_WAIT_MS = 16_000;
/** Interval of checks whether the end of a clip is recorded. */
const LOOK_MS = 250;
/** Maximum number of stretches in the list; the newest are kept. */
const MOST_STRETCHES = 1_000;
const NOT_RECORDED = 'The stream is not recorded: its request has no member `recording`.';
const NOTHING_THEN = 'Nothing is recorded of that time. GET .../recordings lists what there is.';

export class StreamRecordings {
  readonly #deps: StreamRecordingsDeps;

  constructor(deps: StreamRecordingsDeps) {
    this.#deps = deps;
  }

  /** Returns undefined if there is no such job. */
  async list(number: number, { from, to }: ClipRange): Promise<RecordingList | undefined> {
    const { store, dataDir, recordings } = this.#deps;
    if ((await storedStream(store, number)) === undefined) return undefined;
    const folder = recordingFolder(dataDir, number);
    const stretches: RecordedStretch[] = [];
    for (const hour of await recordedHours(folder)) {
      if (hour < hourOf(from) - 1 || hour > hourOf(to)) continue;
      for (const one of await fragmentsOfHour(folder, hour))
        if (endOf(one) > from && one.at < to) extend(stretches, one);
    }
    return {
      bytes: await recordings.bytesOf(number),
      stretches: stretches.slice(-MOST_STRETCHES).map(listedOf),
    };
  }

  /**
   * A clip from one moment to another, extended by `before` and `after` milliseconds. If its end is about to be recorded, this waits for it,
   * unless `gone` aborts. Returns undefined if there is no such job.
   */
  async clip(
    number: number,
    [start, stop]: readonly [Moment, Moment],
    { before, after }: { readonly before: number; readonly after: number },
    gone: AbortSignal,
  ): Promise<JobFile | Missing | undefined> {
    const record = await this.#recordOf(number);
    if (record === undefined || 'missing' in record) return record;
    const [first, last] = [await this.#timeOf(number, start), await this.#timeOf(number, stop)];
    if (first === undefined || last === undefined) return { missing: NOTHING_THEN };
    const [from, to] = [first - before, last + after];
    if (to < from) return { missing: 'The clip ends before it begins.' };
    if (to - from > MAX_CLIP_MS) return { missing: 'A clip has at most one hour. Get it in several parts.' };
    await this.#awaitEnd(number, to, gone);
    const clip = await clipOf(recordingFolder(this.#deps.dataDir, number), { from, to });
    if (clip === undefined) return { missing: NOTHING_THEN };
    return { file: clip.file, mimeType: 'video/mp4', name: `stream-${number}-${Math.round(clip.from)}.mp4` };
  }

  /** The picture shown at a moment. Returns undefined if there is no such job. */
  async picture(number: number, moment: Moment): Promise<JobFile | Missing | Busy | undefined> {
    const record = await this.#recordOf(number);
    if (record === undefined || 'missing' in record) return record;
    const at = await this.#timeOf(number, moment);
    if (at === undefined) return { missing: NOTHING_THEN };
    const clip = await clipOf(recordingFolder(this.#deps.dataDir, number), { from: at, to: at });
    if (clip === undefined) return { missing: NOTHING_THEN };
    return this.#pictureOf(number, clip, at);
  }

  async #pictureOf(number: number, clip: Clip, at: number): Promise<JobFile | Missing | Busy> {
    // The tolerance of half a millisecond prevents that rounding selects the previous picture.
    const frame = Math.max(
      0,
      clip.shownAt.findLastIndex((shown) => shown <= at + 0.5),
    );
    const name = `${Math.round(clip.shownAt[frame]!)}`;
    const folder = framesFolder(`stream-${number}`);
    const part = pathOf(this.#deps.dataDir, join(folder, `${name}.mp4`));
    await mkdir(dirname(part), { recursive: true });
    await pipeline(clip.file.stream(), createWriteStream(part));
    const medium = { mediaId: 0, mediaType: 'VIDEO', mimeType: 'video/mp4', path: part, length: clip.shownAt.length, metadata: {}, fps: 0, inspected: true } as const; // oxfmt-ignore
    const made = await this.#deps.frames.makeFile(join(folder, `${name}.jpg`), { medium, frame });
    if (made.kind === 'busy') return { busy: made.message };
    await rm(part, { force: true });
    if (made.kind === 'failed') return { missing: made.message };
    const file = await openServed(made.path);
    if (file === undefined) return { busy: 'The picture was deleted. Request it again.' };
    return { file, mimeType: 'image/jpeg', name: `stream-${number}-${name}.jpg` };
  }

  /** Resolves when the stream is recorded up to this time, or when it is not going to be soon. */
  async #awaitEnd(number: number, to: number, gone: AbortSignal): Promise<void> {
    const { clock, store, dataDir } = this.#deps;
    const now = clock.now();
    if (to > now + MOST_WAIT_MS) return;
    const deadline = clock.steady() + Math.min(0, to - now) + MOST_WAIT_MS;
    while (clock.steady() < deadline && !gone.aborted) {
      const stored = await storedStream(store, number);
      if (stored === undefined || isEnded(stored.state.status)) return;
      if ((await recordedUntil(recordingFolder(dataDir, number))) >= to) return;
      await delay(clock, LOOK_MS);
    }
  }

  async #recordOf(number: number): Promise<StreamingJobRecord | Missing | undefined> {
    const stored = await storedStream(this.#deps.store, number);
    if (stored === undefined) return undefined;
    return stored.record.recording === undefined ? { missing: NOT_RECORDED } : stored.record;
  }

  /** The time at which a frame arrived. Returns undefined if the frame is not recorded. */
  async #timeOf(number: number, moment: Moment): Promise<number | undefined> {
    if ('at' in moment) return moment.at;
    const folder = recordingFolder(this.#deps.dataDir, number);
    for (const hour of (await recordedHours(folder)).toReversed())
      for (const { at, firstFrame, frames, durationMs } of (await fragmentsOfHour(folder, hour)).toReversed())
        // oxfmt-ignore
        if (firstFrame !== null && moment.frame >= firstFrame && moment.frame < firstFrame + frames)
          return at + ((moment.frame - firstFrame) / frames) * durationMs;
    return undefined;
  }
}

const listedOf = ({ start, stop, ...frames }: RecordedStretch): ListedStretch => ({
  startTime: localIso(start),
  stopTime: localIso(stop),
  ...frames,
});

function extend(stretches: RecordedStretch[], fragment: StoredFragment): void {
  const { at, firstFrame, frames } = fragment;
  const last = stretches.at(-1);
  const stop = endOf(fragment);
  const stopFrame = firstFrame === null ? null : firstFrame + frames - 1;
  if (last !== undefined && at - last.stop <= BREAK_MS)
    stretches[stretches.length - 1] = { ...last, stop: Math.max(last.stop, stop), stopFrame };
  else stretches.push({ start: at, stop, startFrame: firstFrame, stopFrame });
}
