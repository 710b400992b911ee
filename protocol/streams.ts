/**
 * The messages between the server and a component that watches a live stream. A stream is one long sub-job of the kind
 * STREAM. Its component claims it from the queue of its algorithm for streams and sends heartbeats as for any other sub-
 * job. Meanwhile it reports each full segment, events as they happen, and the newest picture on request. The work ends
 * when the component reports its end, fails, or is stopped. Frames are numbered from the start of the job, also over
 * restarts of the component.
 */
import type { RecordingWork } from './stream-fragments.ts';
import type { Properties, ReportedDetection, ReportedTrack } from '../domain/types.ts';
import type { ZoneEvent, ZonePlan } from '../domain/zones/types.ts';
import type { WatchState } from '../domain/zones/watch-state.ts';

/** Claimed by components that serve live streams of an algorithm, apart from its batch work. */
export const streamQueue = (algorithm: string): string => `${STREAM}${algorithm}`;
const STREAM = 'STREAM:';
/** The algorithm whose work a queue carries. */
export const algorithmOf = (queue: string): string =>
  queue.slice([STREAM, STREAM_TASKS].find((start) => queue.startsWith(start))?.length ?? 0);
export const isStreamQueue = (queue: string): boolean =>
  queue.startsWith(STREAM) || queue.startsWith(STREAM_TASKS);

/** The same for streams with several actions, the first of which is of this algorithm. Earlier releases do not serve it. */
export const streamTasksQueue = (algorithm: string): string => `${STREAM_TASKS}${algorithm}`;
const STREAM_TASKS = 'STREAM TASKS:';

/** Watch a stream. Answers: `POST .../segments/{n}`, `POST .../events`, at last `POST .../end` or `POST .../failure`. */
export interface StreamWork {
  readonly jobId: number;
  /** rtsp, rtsps, http or https; with user and password when the client gave them. */
  readonly uri: string;
  /** Whether loopback and private addresses may be connected to; link-local and metadata addresses never. */
  readonly allowPrivate: boolean;
  readonly trackType: string;
  /** Effective properties for videos, complete with defaults. */
  readonly properties: Properties;
  /** Several actions look at the stream, the first of which is described above as well. Absent: there is one. */
  readonly actions?: readonly StreamAction[];
  /** Frames of a segment: segment n has the frames from n * segmentSize to (n + 1) * segmentSize - 1. */
  readonly segmentSize: number;
  /** The first one that this component reports: its first frame is the first of this segment. */
  readonly firstSegment: number;
  readonly stall: StallRules;
  readonly reconnect: ReconnectRules;
  /** Absent: the component's own defaults hold. */
  readonly reading?: ReadingRules;
  /** Absent: nobody asked what happens in zones. */
  readonly zones?: ZoneWork;
  /** Coded pictures are to be sent as well (`PUT .../recording/{name}`); absent: they are not. */
  readonly recording?: RecordingWork;
}

/** One of several actions of a stream. They look at the same frames, in the order of their tasks. */
export interface StreamAction {
  /** Number of its task: a task works on what the tasks before it have found. */
  readonly task: number;
  readonly algorithm: string;
  readonly trackType: string;
  readonly properties: Properties;
}

/** Zones, lines and rules that a component looks at, and where another one left off. */
export interface ZoneWork {
  readonly plan: ZonePlan;
  readonly state: WatchState;
  /** Of the last message that the server has; the next one has the next number. */
  readonly seq: number;
}

/** `crop`: a JPEG of the box, in base64. */
export type WatchedEvent = ZoneEvent & { readonly crop?: string | undefined };

/** All in milliseconds without a frame. */
export interface StallRules {
  /** After so long the stream is STALLED. */
  readonly alertMs: number;
  /** After so long it is given up (specification 2.3); -1: never. Up to `alertMs` it is given up without being STALLED before. */
  readonly timeoutMs: number;
}

/** Pauses between two attempts to open the stream: doubled from the first one up to the longest. */
export interface ReconnectRules {
  readonly firstMs: number;
  readonly longestMs: number;
}

export interface ReadingRules {
  /** Time to connect, and for each answer of the sender until it sends (milliseconds). */
  readonly connectMs: number;
  /** Time until the first picture of a stream that was not seen before (milliseconds). */
  readonly firstPictureMs: number;
  /** Larger pictures are not decoded. */
  readonly maxPixels: number;
  /** Of the decoder. */
  readonly threads: number;
}

/** A line of a segment: what is known of a track within it. `startTime`, `stopTime`: milliseconds since the epoch. */
export interface StreamTrack extends Omit<ReportedTrack, 'detections' | 'startTime' | 'stopTime'> {
  /** The same in all segments that the track lies in; no other track of the job has it. */
  readonly liveId: string;
  readonly startTime: number;
  readonly stopTime: number;
  /** It may go on in the next segment. */
  readonly open?: boolean;
  /** Place of the action that found it among those of the stream; absent: the first one. */
  readonly action?: number;
  readonly detections: readonly StreamDetection[];
}
export interface StreamDetection extends ReportedDetection {
  /** When its frame came: milliseconds since the epoch. */
  readonly time: number;
}

/** The last line of a segment is `{"segment": SegmentSummary}`. */
export interface SegmentSummary {
  readonly startFrame: number;
  /** Before the end of the segment only when the stream ended in it. */
  readonly stopFrame: number;
  /** Milliseconds since the epoch at which its first and its last frame came. */
  readonly startTime: number;
  readonly stopTime: number;
  readonly counts: StreamCounts;
}

/** Since this component opened the stream for the first time. */
export interface StreamCounts {
  /** Decoded. */
  readonly read: number;
  /** Looked at by the detector. */
  readonly processed: number;
  /** Overtaken by newer ones before the detector was free. */
  readonly dropped: number;
  /** Not looked at as nothing moved (MOTION_GATE). */
  readonly skipped: number;
  /** Times that the connection was made anew. */
  readonly reconnects: number;
}

/** `POST .../events`: a list of them in the order in which they happened. `at`: milliseconds since the epoch. */
export type StreamEvent =
  /** The first frame came, or the first one of another size. */
  | {
      readonly type: 'opened';
      readonly at: number;
      readonly width: number;
      readonly height: number;
      readonly fps: number;
    }
  /** No frame for `alertMs`. `cause` says why, if that is known. */
  | { readonly type: 'stalled'; readonly at: number; readonly cause: string }
  /** Frames come again after a stall. */
  | { readonly type: 'running'; readonly at: number }
  | { readonly type: 'reconnecting'; readonly at: number; readonly cause: string }
  /** A segment has its first track, which starts with `frame`; at most once a segment. `at`: when that frame came. */
  | { readonly type: 'activity'; readonly at: number; readonly frame: number }
  /** What of the stream could not be looked at, or not as its properties ask: a sentence for people, without passwords. */
  | { readonly type: 'warning'; readonly at: number; readonly message: string }
  /** What happened in zones since the message before, and the state of the watch after it. Accepted once, by its number. */
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
      /** The last frame with a detection of it. */
      readonly frame: number;
    };

/** A track when it began. `at`: when the frame came, `x` to `height`: pixels of the stream's picture. */
export interface LiveTrack {
  readonly at: number;
  readonly liveId: string;
  /** Absent: that of the stream's algorithm. */
  readonly trackType?: string | undefined;
  /** Place of the action that found it among those of the stream; absent: there is one. */
  readonly action?: number | undefined;
  readonly frame: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
  readonly properties: Properties;
}

/** What clients hear of a track that begins. `task`, `action`: by which it was found, where there are several. */
export interface TrackBegan extends Omit<LiveTrack, 'action'> {
  readonly type: 'trackBegan';
  readonly task?: string;
  readonly action?: string;
}

export interface StreamEvents {
  readonly events: readonly StreamEvent[];
  /** The newest; absent: not told this time. */
  readonly counts?: StreamCounts | undefined;
}

/** The answer to a segment, to events and to a picture. */
export interface StreamAnswer {
  /** cancelled: the partial segment is wanted, then the end. */
  readonly go: 'on' | 'cancelled';
  /** Somebody looks: the newest picture is to be sent (`PUT .../frame`, image/jpeg) with the detections of its frame drawn. */
  readonly wantsFrame?: boolean;
}

/** `POST .../end` */
export interface StreamEnd {
  /** ended: by its sender; stalled: for longer than `timeoutMs`; cancelled: as the server asked for. */
  readonly reason: 'ended' | 'stalled' | 'cancelled';
  /** A sentence for people, without passwords. */
  readonly detail: string;
}
