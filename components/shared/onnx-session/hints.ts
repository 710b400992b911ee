/** What is said of a model by a property, or by a file that belongs to it. Each source says a part; the first that says something counts. */
import { DetectionError } from '../../sdk/detector.ts';

export const MODEL_TYPES = [
  'YOLO',
  'YOLO_OBJECTNESS',
  'YOLOX',
  'NANODET',
  'END_TO_END',
  'DETR',
  'LABELS_BOXES_SCORES',
  'CLASSIFICATION',
  'EMBEDDING',
] as const;
export type ModelType = (typeof MODEL_TYPES)[number];
export const PIXEL_FORMATS = ['RGB', 'BGR', 'GRAY'] as const;
export const LAYOUTS = ['NCHW', 'NHWC'] as const;
export const RESIZES = ['LETTERBOX', 'STRETCH'] as const;

/** How a picture becomes the input of a network: value = (pixel * scale - mean) / deviation, pixels from 0 to 255. */
export interface Preprocessing {
  readonly pixelFormat: (typeof PIXEL_FORMATS)[number];
  readonly resize: (typeof RESIZES)[number];
  /** The part of a letterbox that shows the picture lies in the corner at the top left; else in the middle. */
  readonly corner: boolean;
  /** What is beside the picture in a letterbox, 0 to 255. */
  readonly padding: number;
  readonly scale: number;
  /** One for all channels, or one for each. */
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
}

type Said<T> = { readonly [K in keyof T]?: T[K] | undefined };

export interface Hints extends Said<Preprocessing> {
  readonly type?: ModelType | undefined;
  /** A detector or a classifier, where the form of it is not known. */
  readonly task?: 'DETECTION' | 'CLASSIFICATION' | 'EMBEDDING' | undefined;
  /** After what is read of a box come masks or key points. */
  readonly hasExtras?: boolean | undefined;
  readonly layout?: (typeof LAYOUTS)[number] | undefined;
  /** The text half of the model, by its name as MODEL_NAME is one. */
  readonly textModel?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Names of the classes, by their numbers. */
  readonly names?: readonly string[] | undefined;
  /** Scores are shares of one whole, whose last class means nothing (DETR of 2020); else each is judged alone. */
  readonly softmax?: boolean | undefined;
}

/** The first of the sources that says something about a matter decides it. */
export function mergeHints(sources: readonly Hints[]): Hints {
  const all: Record<string, unknown> = {};
  for (const source of sources)
    for (const [matter, said] of Object.entries(source)) if (said !== undefined) all[matter] ??= said;
  return all;
}

export const wrongHint = (message: string) => new DetectionError('INVALID_PROPERTY', message);
