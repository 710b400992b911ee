/** Shared by tests of user-supplied models: folders with models, and the detector that runs them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import loadOnnxDetector from '../../../../components/models/onnx/detector.ts';
import type {
  DetectionJob,
  Detector,
  FoundTrack,
  Frame,
  ModelSettings,
} from '../../../../components/sdk/detector.ts';
import type { Properties } from '../../../../domain/types.ts';
import {
  columnsOf,
  pictureModel,
  type Dims,
  type ElementType,
  type Metadata,
} from '../../../support/media/onnx-model.ts';
import { all, jobOf, picture } from '../../visual.ts';

/** A folder of models with a detector that uses it. `close` removes both. */
export class ModelFolder {
  readonly path: string;
  readonly detector: Detector;

  private constructor(folder: string, detector: Detector) {
    this.path = folder;
    this.detector = detector;
  }

  static async open(settings: Partial<ModelSettings> = {}): Promise<ModelFolder> {
    const folder = await mkdtemp(path.join(tmpdir(), 'troupe-models-'));
    const models = { roots: [folder], loaded: 2, checkMs: 60_000, ...settings };
    return new ModelFolder(folder, await loadOnnxDetector({ models }));
  }

  async close(): Promise<void> {
    await this.detector.close!();
    await rm(this.path, { recursive: true });
  }

  async write(name: string, content: Buffer | string | object): Promise<string> {
    const file = path.join(this.path, name);
    await mkdir(path.dirname(file), { recursive: true });
    const isText = typeof content === 'string' || Buffer.isBuffer(content);
    await writeFile(file, isText ? content : JSON.stringify(content));
    return file;
  }

  job(name: string, properties: Properties = {}): Promise<DetectionJob> {
    return jobOf('onnx', { MODEL_NAME: name, ...properties });
  }

  async inImage(name: string, frame: Frame = WHITE, properties: Properties = {}): Promise<FoundTrack[]> {
    return all(this.detector.image!(frame, await this.job(name, properties)));
  }

  /** The error for a picture. */
  async refusal(name: string, properties: Properties = {}): Promise<{ code: string; message: string }> {
    const outcome = await this.inImage(name, WHITE, properties).catch((error: unknown) => error);
    if (outcome instanceof Error) return outcome as Error & { code: string };
    throw new Error(`${name} was not refused: ${JSON.stringify(outcome)}`);
  }
}

/** 64 x 32 pixels, so a letterbox of 32 x 32 shows it 16 pixels high. */
export const WHITE = picture(64, 32, () => [255, 255, 255]);
export const BLACK = picture(64, 32, () => [0, 0, 0]);

export interface YoloModel {
  readonly dims?: Dims;
  readonly type?: ElementType;
  readonly metadata?: Metadata;
  /** Centre, size, scores. */
  readonly boxes?: readonly (readonly number[])[];
  /** Increase of the scores with the brightness of the picture. */
  readonly light?: number;
}

/** A cat in the centre of the 32 x 32 input, and a dog to its right with a score far above the threshold. */
export const CAT_AND_DOG = [
  [16, 16, 8, 8, 0.9, 0.05],
  [27, 16, 6, 12, 0.1, 0.8],
] as const;
export const NAMES = { names: "{0: 'cat', 1: 'dog'}", task: 'detect', imgsz: '[32, 32]', stride: '32' };

export function yoloModel(model: YoloModel = {}): Buffer {
  const { dims = [1, 3, 32, 32], type = 'float32', metadata = NAMES, boxes = CAT_AND_DOG, light = 0 } = model;
  const values = columnsOf(boxes);
  const rows = boxes[0]!.length;
  const grows = values.map((_, i) => (i >= 4 * boxes.length ? light : 0));
  return pictureModel({
    input: { name: 'images', dims, type },
    outputs: [{ name: 'output0', dims: [rows, boxes.length], values, light: grows }],
    metadata,
  });
}

/** Class, confidence and box of the first detection of each track. */
export const summaryOf = (tracks: readonly FoundTrack[]) =>
  tracks.map(({ properties, detections: [first] }) => {
    const { x, y, width, height, confidence } = first!;
    return [properties?.['CLASSIFICATION'], Number(confidence.toFixed(2)), x, y, width, height];
  });
