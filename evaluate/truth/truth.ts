/** The ground truth in a file of the user. */
import type { Stretch } from '../measures/speech-time.ts';
import type { BoxTable } from '../box-table.ts';

export const TRUTH_FORMATS = ['coco', 'cvat', 'mot', 'rttm', 'text', 'vtt', 'srt'] as const;
export type TruthFormat = (typeof TRUTH_FORMATS)[number];

interface Boxes {
  readonly boxes: BoxTable;
  /** Names of classes by their numbers. Undefined if the file names none. */
  readonly classes: readonly string[] | undefined;
  /** Sentences about unused parts of the file. */
  readonly notes: readonly string[];
}

export interface TruthPicture {
  readonly name: string;
  /** 0 if the file does not contain the size. */
  readonly width: number;
  readonly height: number;
  /** Number of the frame in the video `name`, if the file contains it. */
  readonly frame: number | undefined;
}

/** Boxes in named pictures. A box has the index of its picture in the list. */
export interface PictureTruth extends Boxes {
  readonly kind: 'pictures';
  readonly pictures: readonly TruthPicture[];
}

/** Boxes in one video. A box has the number of its frame, from 0. */
export interface VideoTruth extends Boxes {
  readonly kind: 'video';
  /** Name of the video in the file. */
  readonly name: string | undefined;
  /** Number of frames in the video, if the file contains it. */
  readonly frames: number | undefined;
  /** Annotated frames: each `step`-th from `first` on. `last` undefined: until the end of the video. */
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
