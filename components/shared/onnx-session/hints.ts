/**
 * Hints about a model from properties and from files beside it. Each source has some hints. For each hint, the first source that has it
 * counts.
 */
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

/** Conversion of a picture to the network's input: value = (pixel * scale - mean) / deviation, with pixels from 0 to 255. */
export interface Preprocessing {
  readonly pixelFormat: (typeof PIXEL_FORMATS)[number];
  readonly resize: (typeof RESIZES)[number];
  /** True if the picture in a letterbox is at the top left; otherwise it is centred. */
  readonly corner: boolean;
  /** Brightness of the letterbox padding, 0 to 255. */
  readonly padding: number;
  readonly scale: number;
  /** One value for all channels, or one per channel. */
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
}

type Said<T> = { readonly [K in keyof T]?: T[K] | undefined };

export interface Hints extends Said<Preprocessing> {
  readonly type?: ModelType | undefined;
  /** Kind of task, if the exact type is unknown. */
  readonly task?: 'DETECTION' | 'CLASSIFICATION' | 'EMBEDDING' | undefined;
  /** True if masks or key points follow the values of a box. */
  readonly hasExtras?: boolean | undefined;
  readonly layout?: (typeof LAYOUTS)[number] | undefined;
  /** Name of the model's text half, in the form of MODEL_NAME. */
  readonly textModel?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Names of the classes by number. */
  readonly names?: readonly string[] | undefined;
  /** True if scores are a softmax whose last class means "no object" (DETR of 2020). Otherwise each score is independent. */
  readonly softmax?: boolean | undefined;
}

/** Merges hints. For each hint, the first source that has it counts. */
export function mergeHints(sources: readonly Hints[]): Hints {
  const all: Record<string, unknown> = {};
  for (const source of sources)
    for (const [matter, said] of Object.entries(source)) if (said !== undefined) all[matter] ??= said;
  return all;
}

export const wrongHint = (message: string) => new DetectionError('INVALID_PROPERTY', message);
