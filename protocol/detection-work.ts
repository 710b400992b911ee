/** Work that finds tracks, and the choice of the tracks that it works on. */
import type { MediaSelector, Properties, Range, Track } from '../domain/types.ts';
import type { WorkMedium } from './media-work.ts';
import type { TrackSource } from './track-work.ts';

/** Run a detector over one range of one medium. Answer: a line of JSON per track (ReportedTrack) or warning (ReportedWarning). */
export interface DetectWork {
  readonly medium: WorkMedium;
  readonly trackType: string;
  readonly properties: Properties;
  /** Inclusive frames; 0 to -1 for a whole medium that is not a video. */
  readonly range: Range;
  /** Milliseconds of a sound that is heard in pieces, both included; the last piece goes on to the end. Absent: all of it. */
  readonly time?: Range;
  /** Of a document: the pages to look at, from 1, both ends included, ascending and apart. Absent: all of them. */
  readonly pages?: readonly Range[];
  /** Frames to decode before the range as a warm-up that is not reported. */
  readonly contextFrames: number;
  /** The frame before the range is the last one of another sub-job of the action: a cap of the rate goes on over the border. */
  readonly continues?: boolean;
  /** Tracks to work on in place of the range; absent: none are fed forward. */
  readonly feedForward?: FeedForward;
  /** Folder for files that a component makes of a document (derivative media); only for media that are no pictures or sound. */
  readonly outputFolder?: string;
  /** The server has started the component itself, so `outputFolder` is a folder of this host, to be made when it is needed. */
  readonly besideServer?: boolean;
}

/** What is counted in an answer. */
export interface DetectAnswer {
  readonly tracks: number;
  readonly detections: number;
  /** Tracks that bring a derivative medium. */
  readonly derived: number;
  /** Lines that say what could not be looked at. */
  readonly warnings: number;
}

/** Tracks of an earlier task (or what media selectors selected) that a component works on, each on its own unless `allTracks`. */
export interface FeedForward {
  /** FRAME: whole frames of the detections; REGION: each detection's box; SUPERSET_REGION: one box around all boxes of the track. */
  readonly type: 'FRAME' | 'REGION' | 'SUPERSET_REGION';
  readonly allTracks: boolean;
  /** The action annotates: it gives back the tracks it was fed, with more properties. */
  readonly annotate: boolean;
  /** GET it: a line of JSON per track, a FedTrack. */
  readonly input: string;
  /** Length of what is to be read there. */
  readonly bytes: number;
  /** The same, when it is little. */
  readonly lines?: string | undefined;
}

/** A track with its times and type; `detections` are those that are to be looked at. */
export interface FedTrack extends Track {
  /** Index of the task that found it; -1 for what a media selector selected. */
  readonly task: number;
  /** Number of its line among the tracks of that task on the medium. */
  readonly line: number;
  readonly selected?: Selected;
}

/** Where a track comes from when its medium has media selectors. */
export interface Selected {
  /** Index among the selectors of the medium. */
  readonly selector: number;
  readonly text: string;
}

/**
 * Choose what is fed to an action on one medium: tracks of earlier tasks that meet its TRIGGER and were not consumed, or what
 * the medium's selectors select. Answer: a line per FedTrack; then a line of fixed width per piece (`feedIndexLine`); last
 * {"summary": FeedSummary}. Errors: OTHER when selectors match nothing and that is an error.
 */
export interface FeedWork {
  readonly medium: WorkMedium;
  readonly properties: Properties;
  readonly sources: readonly TrackSource[];
  readonly selectors?: readonly MediaSelector[];
  /** More tracks than this share pieces. */
  readonly maxPieces: number;
}

export interface FeedSummary {
  readonly tracks: number;
  readonly pieces: number;
  /** Byte offset of the first index line. */
  readonly indexAt: number;
}
