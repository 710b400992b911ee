/** Work that finds tracks, and work that selects the tracks for a task. */
import type { MediaSelector, Properties, Range, Track } from '../domain/types.ts';
import type { WorkMedium } from './media-work.ts';
import type { TrackSource } from './track-work.ts';

/** Run a detector over one range of one medium. Answer: a line of JSON per track (ReportedTrack) or warning (ReportedWarning). */
export interface DetectWork {
  readonly medium: WorkMedium;
  readonly trackType: string;
  readonly properties: Properties;
  /** Inclusive frames. 0 to -1 for a whole medium that is not a video. */
  readonly range: Range;
  /** Milliseconds of a piece of sound, both ends included. The last piece continues to the end. Absent: the whole sound. */
  readonly time?: Range;
  /** Pages of a document, from 1, both ends included, ascending and disjoint. Absent: all pages. */
  readonly pages?: readonly Range[];
  /** Number of frames to decode before the range as a warm-up. They are not reported. */
  readonly contextFrames: number;
  /** True if the frame before the range is the last one of another sub-job of the action. A rate cap continues across the border. */
  readonly continues?: boolean;
  /** Tracks to process instead of the range. Absent: no feed-forward. */
  readonly feedForward?: FeedForward;
  /** Folder for files that a component extracts from a document (derivative media). Only for media that are no pictures or sound. */
  readonly outputFolder?: string;
  /** True if the server started the component itself. Then `outputFolder` is a folder of this host that the component creates if needed. */
  readonly besideServer?: boolean;
}

/** Counts of an answer. */
export interface DetectAnswer {
  readonly tracks: number;
  readonly detections: number;
  /** Number of tracks with a derivative medium. */
  readonly derived: number;
  /** Number of warnings about parts that could not be analyzed. */
  readonly warnings: number;
}

/** Tracks of an earlier task, or texts that media selectors selected, for a component. It processes each separately unless `allTracks`. */
export interface FeedForward {
  /** FRAME: whole frames of the detections. REGION: the box of each detection. SUPERSET_REGION: one box around all boxes of the track. */
  readonly type: 'FRAME' | 'REGION' | 'SUPERSET_REGION';
  readonly allTracks: boolean;
  /** True if the action annotates: it returns the fed tracks with more properties. */
  readonly annotate: boolean;
  /** URL to GET: a line of JSON per track, a FedTrack. */
  readonly input: string;
  /** Number of bytes at that URL. */
  readonly bytes: number;
  /** The same content, if it is small. */
  readonly lines?: string | undefined;
}

/** A track with its times and type. `detections` are those to be analyzed. */
export interface FedTrack extends Track {
  /** Index of the task that found it; -1 for a text that a media selector selected. */
  readonly task: number;
  /** Number of its line among the tracks of that task on the medium. */
  readonly line: number;
  readonly selected?: Selected;
}

/** Origin of a track if its medium has media selectors. */
export interface Selected {
  /** Index among the selectors of the medium. */
  readonly selector: number;
  readonly text: string;
}

/**
 * Select what is fed to an action on one medium: unconsumed tracks of earlier tasks that meet its TRIGGER, or texts that the medium's
 * selectors select. Answer: a line per FedTrack; then a line of fixed width per piece (`feedIndexLine`); last {"summary": FeedSummary}.
 * Errors: OTHER if selectors match nothing and that is an error.
 */
export interface FeedWork {
  readonly medium: WorkMedium;
  readonly properties: Properties;
  readonly sources: readonly TrackSource[];
  readonly selectors?: readonly MediaSelector[];
  /** Maximum number of pieces. More tracks than this share pieces. */
  readonly maxPieces: number;
}

export interface FeedSummary {
  readonly tracks: number;
  readonly pieces: number;
  /** Byte offset of the first index line. */
  readonly indexAt: number;
}
