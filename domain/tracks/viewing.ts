/**
 * Queries of a viewer about the media of a job, and their answers. A medium is identified by its mediaId. Frames count from 0, times are
 * milliseconds. While the job runs, answers contain the findings so far, and `partial` contains the progress.
 */
import type { ReportedRun, ZoneQuery, ZoneRun } from '../zones/dry-run.ts';
import type { Properties, Range } from '../types.ts';
import type { CountQuery, HeatMap, HeatQuery, TrackCounts } from './track-counts.ts';

/** Progress of an action on a medium. */
export interface ActionProgress {
  readonly task: string;
  readonly action: string;
  readonly state: 'WAITING' | 'RUNNING' | 'DONE';
  readonly percent: number;
  /** Unit of `done`. Null if the action processes the medium as a whole, or tracks of earlier tasks. */
  readonly unit: 'FRAMES' | 'MILLISECONDS' | null;
  /** Parts of the medium whose findings are in the answer, both ends included. */
  readonly done: readonly Range[];
}

/** Progress of a running job on a medium. */
export interface MediumProgress {
  readonly percent: number;
  /** In pipeline order. */
  readonly actions: readonly ActionProgress[];
}

export interface ViewedIssue {
  readonly kind: 'errors' | 'warnings';
  readonly source: string;
  readonly code: string;
  readonly message: string;
}

/** Tracks of one type and class. */
export interface ViewedFinding {
  readonly type: string;
  readonly class: string | null;
  readonly tracks: number;
}

export interface ViewedMedium {
  /** Position in the document, from 0. */
  readonly n: number;
  readonly mediaId: number;
  readonly parentMediaId: number;
  readonly uri: string;
  readonly mimeType: string;
  readonly mediaType: string;
  readonly length: number;
  readonly status: string;
  readonly metadata: Properties;
  readonly tracks: number;
  readonly detections: number;
  /** Most tracks first. */
  readonly findings: readonly ViewedFinding[];
  /** Number of tracks that subtitles contain. */
  readonly cues: number;
  /** Events in the zones of the job. Null if the job has none, if the medium has no pictures, or while the job runs. */
  readonly zoneEvents: number | null;
  readonly issues: readonly ViewedIssue[];
  readonly partial?: MediumProgress;
}

export interface MediaPage {
  readonly media: readonly ViewedMedium[];
  readonly total: number;
  /** Issues of the whole job. */
  readonly issues: readonly ViewedIssue[];
}

/** Tracks of one type that one action found in a medium. */
export interface Lane {
  readonly lane: number;
  readonly type: string;
  readonly action: string;
  readonly algorithm: string;
  readonly task: string | null;
  readonly tracks: number;
  readonly detections: number;
  /**
   * Number of detections in each part of the medium, from its start. A part is binMs long. The only detection of a track counts in every
   * part that the track covers.
   */
  readonly binMs: number;
  readonly bins: readonly number[];
  readonly partial?: ActionProgress;
}

export interface ViewedTrack {
  /** Number within the medium, from 0. */
  readonly n: number;
  readonly lane: number;
  readonly id: string;
  readonly startMs: number;
  readonly stopMs: number;
  readonly startFrame: number;
  readonly stopFrame: number;
  readonly confidence: number;
  /** The class or the text of the track. */
  readonly label: string | null;
  readonly properties: Properties;
  readonly exemplarFrame: number | null;
  readonly exemplarMs: number | null;
  readonly artifact: string | null;
}

export interface TrackPage {
  readonly tracks: readonly ViewedTrack[];
  /** Number of all matching tracks. */
  readonly total: number;
  readonly partial?: MediumProgress;
}

/** A detection with a box, in pixels of the stored frame. */
export interface ViewedBox {
  readonly frame: number;
  readonly track: number;
  readonly lane: number;
  readonly label: string | null;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
  /** `x,y x,y x,y x,y` for a box that is not upright in the frame. */
  readonly corners: string | null;
}

export interface BoxPage {
  readonly boxes: readonly ViewedBox[];
  /** The answer has boxes up to this frame. There were too many in later ones. */
  readonly toFrame: number;
  readonly partial?: MediumProgress;
}

export interface TrackQuery {
  readonly medium: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly lane: number | undefined;
  readonly minConfidence: number | undefined;
  /** Part of the class or the text of the track, case-insensitive. */
  readonly text: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

export type Question =
  | {
      readonly kind: 'media';
      readonly limit: number;
      readonly offset: number;
      readonly mediaId?: number | undefined;
    }
  | { readonly kind: 'lanes'; readonly medium: number }
  | ({ readonly kind: 'tracks' } & TrackQuery)
  | ({ readonly kind: 'counts' } & CountQuery)
  | ({ readonly kind: 'heat' } & HeatQuery)
  | ({ readonly kind: 'zones' } & ZoneQuery)
  | { readonly kind: 'zoneRun'; readonly medium: number }
  | {
      readonly kind: 'boxes';
      readonly medium: number;
      readonly fromFrame: number;
      readonly toFrame: number;
      readonly limit: number;
    };

/** The query has no answer. */
export interface Unavailable {
  readonly unavailable: true;
}
export const UNAVAILABLE: Unavailable = { unavailable: true };

export interface Answers {
  readonly media: MediaPage;
  readonly lanes: readonly Lane[];
  readonly tracks: TrackPage;
  readonly boxes: BoxPage;
  /** Unavailable if there are more than MOST_INTERVALS intervals. */
  readonly counts: (TrackCounts & { readonly partial?: MediumProgress }) | Unavailable;
  /** Unavailable if the medium has no pictures, or if nothing was found in it yet. */
  readonly heat: (HeatMap & { readonly partial?: MediumProgress }) | Unavailable;
  /** Unavailable if the medium has no pictures, or if nothing was found in it yet. */
  readonly zones: (ZoneRun & { readonly partial?: MediumProgress }) | Unavailable;
  /** Unavailable if the job has no zones, if the medium has no pictures, or while the job runs. */
  readonly zoneRun: ReportedRun | Unavailable;
}
export type AnswerTo<Q extends Question> = Answers[Q['kind']];
