/** The ground truth in a file of the user. */
import type { Stretch } from '../measures/speech-time.ts';
import type { BoxTable } from '../box-table.ts';

export const TRUTH_FORMATS = ['coco', 'cvat', 'mot', 'rttm', 'text', 'vtt', 'srt'] as const;
export type TruthFormat = (typeof TRUTH_FORMATS)[number];

interface Boxes {
  readonly boxes: BoxTable;
  /** Names of classes by their numbers; undefined: the file names none. */
  readonly classes: readonly string[] | undefined;
  /** Sentences about what of the file is not used. */
  readonly notes: readonly string[];
}

export interface TruthPicture {
  readonly name: string;
  /** 0 where the file does not say. */
  readonly width: number;
  readonly height: number;
  /** Of the video that `name` belongs to, where the file says so. */
  readonly frame: number | undefined;
}

/** Boxes in pictures that have names; a box has the number of its picture in the list. */
export interface PictureTruth extends Boxes {
  readonly kind: 'pictures';
  readonly pictures: readonly TruthPicture[];
}

/** Boxes in one video; a box has the number of its frame, from 0. */
export interface VideoTruth extends Boxes {
  readonly kind: 'video';
  /** As the file calls the video. */
  readonly name: string | undefined;
  /** Frames that the video has, where the file says so. */
  readonly frames: number | undefined;
  /** Frames that were looked at: each `step`-th from `first` on; `last` undefined: to the end of the video. */
  readonly first: number;
  readonly last: number | undefined;
  readonly step: number;
}

/** Who speaks when, by the name of a recording. */
export interface SpeechTruth {
  readonly kind: 'speech';
  readonly recordings: ReadonlyMap<string, readonly Stretch[]>;
}

export interface TextTruth {
  readonly kind: 'text';
  readonly text: string;
}

export type BoxTruth = PictureTruth | VideoTruth;
export type Truth = BoxTruth | SpeechTruth | TextTruth;
