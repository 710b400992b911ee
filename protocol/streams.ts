/**
 * Messages between the server and a component that watches a live stream. A stream is one long sub-job of the kind STREAM. Its component
 * claims it from the queue of its algorithm for streams and sends heartbeats as for any other sub-job. Meanwhile it reports each full
 * segment, events as they happen, and the newest picture on request. The work ends when the component reports its end, fails, or is
 * stopped. Frames are numbered from the start of the job, even across restarts of the component.
 */
import type { RecordingWork } from './stream-fragments.ts';
import type { Properties, ReportedDetection, ReportedTrack } from '../domain/types.ts';
import type { ZoneEvent, ZonePlan } from '../domain/zones/types.ts';
import type { WatchState } from '../domain/zones/watch-state.ts';

/** Queue of live streams of an algorithm, separate from its batch work. */
export const streamQueue = (algorithm: string): string => `${STREAM}${algorithm}`;
const STREAM = 'STREAM:';
/** The algorithm of a queue. */
export const algorithmOf = (queue: string): string =>
  queue.slice([STREAM, STREAM_TASKS].find((start) => queue.startsWith(start))?.length ?? 0);
export const isStreamQueue = (queue: string): boolean =>
  queue.startsWith(STREAM) || queue.startsWith(STREAM_TASKS);

/**
 * Queue of live streams with several actions, of which the first is of this algorithm. Components of earlier releases do not support it.
 */
export const streamTasksQueue = (algorithm: string): string => `${STREAM_TASKS}${algorithm}`;
const STREAM_TASKS = 'STREAM TASKS:';

/** Watch a stream. Answers: `POST .../segments/{n}`, `POST .../events`, at last `POST .../end` or `POST .../failure`. */
export interface StreamWork {
  readonly jobId: number;
  /** rtsp, rtsps, http or https, including the client's user and password. */
  readonly uri: string;
  /** True if connections to loopback and private addresses are allowed. Link-local and metadata addresses are never allowed. */
  readonly allowPrivate: boolean;
  readonly trackType: string;
  /** Effective properties for videos, including defaults. */
  readonly properties: Properties;
  /** All actions of a stream with several actions, including the one above. Absent: there is only one. */
  readonly actions?: readonly StreamAction[];
  /** Number of frames in a segment: segment n has the frames from n * segmentSize to (n + 1) * segmentSize - 1. */
  readonly segmentSize: number;
  /** The first segment that this component reports. It begins with the component's first frame. */
  readonly firstSegment: number;
  readonly stall: StallRules;
  readonly reconnect: ReconnectRules;
  /** Absent: the component uses its own defaults. */
  readonly reading?: ReadingRules;
  /** Absent if the request has no zones. */
  readonly zones?: ZoneWork;
  /** Coded pictures are also sent (`PUT .../recording/{name}`). Absent: they are not. */
  readonly recording?: RecordingWork;
}

/** One of several actions of a stream. They process the same frames, in the order of their tasks. */
export interface StreamAction {
  /** Index of its task. A task works on the findings of the earlier tasks. */
  readonly task: number;
  readonly algorithm: string;
  readonly trackType: string;
  readonly properties: Properties;
}

/** Zones, lines and rules for a component, and the state that an earlier component left. */
export interface ZoneWork {
  readonly plan: ZonePlan;
  readonly state: WatchState;
  /** Number of the last message that the server has. The next one has the next number. */
  readonly seq: number;
}

export type WatchedEvent = ZoneEvent & {
  /** A JPEG of the track, in base64. */
  readonly crop?: string | undefined;
  /** Number and time of the picture's frame. Absent: those of the event. */
  readonly cropFrame?: number | undefined;
  readonly cropAt?: number | undefined;
};

/** All times are milliseconds without a frame. */
export interface StallRules {
  /** Time after which the stream is STALLED. */
  readonly alertMs: number;
  /**
   * Time after which the stream ends (specification 2.3); -1: never. If it is at most `alertMs`, the stream ends without being STALLED
   * before.
   */
  readonly timeoutMs: number;
}

/** Pauses between two attempts to open the stream. They double from the first up to the longest. */
export interface ReconnectRules {
  readonly firstMs: number;
  readonly longestMs: number;
}

export interface ReadingRules {
  /** Timeout of connecting, and of each answer of the sender until it sends (milliseconds). */
  readonly connectMs: number;
  /** Timeout of the first picture of a new stream (milliseconds). */
  readonly firstPictureMs: number;
  /** Maximum number of pixels. Larger pictures are not decoded. */
  readonly maxPixels: number;
  /** Number of decoder threads. */
  readonly threads: number;
}

/** A line of a segment: the data of a track within it. `startTime`, `stopTime`: milliseconds since the epoch. */
export interface StreamTrack extends Omit<ReportedTrack, 'detections' | 'startTime' | 'stopTime'> {
  /** The same in all segments of the track. No other track of the job has it. */
  readonly liveId: string;
  readonly startTime: number;
  readonly stopTime: number;
  /** True if the track may continue in the next segment. */
  readonly open?: boolean;
  /** Index of the action that found it among those of the stream. Absent: the first one. */
  readonly action?: number;
  readonly detections: readonly StreamDetection[];
}
export interface StreamDetection extends ReportedDetection {
  /** Arrival of its frame in milliseconds since the epoch. */
  readonly time: number;
}

/** The last line of a segment is `{"segment": SegmentSummary}`. */
export interface SegmentSummary {
  readonly startFrame: number;
  /** Before the end of the segment only if the stream ended in it. */
  readonly stopFrame: number;
  /** Arrival of its first and its last frame in milliseconds since the epoch. */
  readonly startTime: number;
  readonly stopTime: number;
  readonly counts: StreamCounts;
}

/** Counts since this component first opened the stream. */
export interface StreamCounts {
  /** Decoded frames. */
  readonly read: number;
  /** Frames that the detector processed. */
  readonly processed: number;
  /** Frames that newer ones replaced before the detector was free. */
  readonly dropped: number;
  /** Frames skipped because nothing moved (MOTION_GATE). */
  readonly skipped: number;
  /** Number of reconnections. */
  readonly reconnects: number;
}

/** `POST .../events`: a list of them in order. `at`: milliseconds since the epoch. */
export type StreamEvent =
  /** The first frame arrived, or the first one of another size. */
  | {
      readonly type: 'opened';
      readonly at: number;
      readonly width: number;
      readonly height: number;
      readonly fps: number;
    }
  /** No frame arrived for `alertMs`. `cause` says why, if known. */
  | { readonly type: 'stalled'; readonly at: number; readonly cause: string }
  /** Frames arrive again after a stall. */
  | { readonly type: 'running'; readonly at: number }
  | { readonly type: 'reconnecting'; readonly at: number; readonly cause: string }
  /** A segment has its first track, which starts with `frame`. At most once per segment. `at`: arrival of that frame. */
  | { readonly type: 'activity'; readonly at: number; readonly frame: number }
  /** A part of the stream that could not be analyzed, or not as requested: a sentence for users, without passwords. */
  | { readonly type: 'warning'; readonly at: number; readonly message: string }
  /** Events in zones since the previous message, and the new state of the watch. Its number ensures that it is accepted once. */
  | {
      readonly type: 'zones';
      readonly at: number;
      readonly seq: number;
      readonly events: readonly WatchedEvent[];
      readonly state: WatchState;
    }
  | ({ readonly type: 'trackBegan' } & LiveTrack)
  | {
      readonly type: 'trackEnded';
      readonly at: number;
      readonly liveId: string;
      /** The last frame with a detection of the track. */
      readonly frame: number;
    };

/** A track at its beginning. `at`: arrival of the frame. `x` to `height`: pixels of the stream's picture. */
export interface LiveTrack {
  readonly at: number;
  readonly liveId: string;
  /** Absent: that of the stream's algorithm. */
  readonly trackType?: string | undefined;
  /** Index of the action that found it among those of the stream. Absent: there is one. */
  readonly action?: number | undefined;
  readonly frame: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
  readonly properties: Properties;
}

/** Message to clients when a track begins. `task`, `action`: those that found it, if there are several. */
export interface TrackBegan extends Omit<LiveTrack, 'action'> {
  readonly type: 'trackBegan';
  readonly task?: string;
  readonly action?: string;
}

export interface StreamEvents {
  readonly events: readonly StreamEvent[];
  /** The newest counts. Absent: not reported this time. */
  readonly counts?: StreamCounts | undefined;
}

/** The answer to a segment, to events and to a picture. */
export interface StreamAnswer {
  /** cancelled: the component sends the partial segment, then the end. */
  readonly go: 'on' | 'cancelled';
  /** True if a client watches. The component sends the newest picture (`PUT .../frame`, image/jpeg) with its detections drawn. */
  readonly wantsFrame?: boolean;
}

/** `POST .../end` */
export interface StreamEnd {
  /** ended: by its sender. stalled: for longer than `timeoutMs`. cancelled: by the server. */
  readonly reason: 'ended' | 'stalled' | 'cancelled';
  /** A sentence for users, without passwords. */
  readonly detail: string;
}
