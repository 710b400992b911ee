/** Makes a vector of each face that an earlier task has found. Vectors of the same person are similar. */
import type {
  DetectionJob,
  Detector,
  DetectorHost,
  FoundDetection,
  FoundTrack,
  Frame,
  FrameSource,
} from '../../sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import { asTrack } from '../../shared/tracking/open-track.ts';
import { invalidProperty } from '../../shared/tracking/settings.ts';
import { loadFaceNetwork } from '../../detectors/faces/model.ts';
import { cutSquare, mirror, squareOf } from './align.ts';
import { frameChoice, sizeOf } from './choose-frames.ts';
import { Embeddings, type Embedding } from './embedding-networks.ts';
import { MarkFinder } from './find-marks.ts';
import { settingsOf, type Settings } from './settings.ts';

/** Margin around a box as a share of its size. The face network finds eyes and mouth best in pictures of the whole head. */
const MARGIN = 0.75;

/** Parts that process the pictures of one call. */
interface Course {
  readonly settings: Settings;
  readonly embedding: Embedding;
  readonly job: DetectionJob;
}

class FaceEmbedder implements Detector {
  readonly fedMargin = MARGIN;
  readonly #marks: MarkFinder;
  readonly #embeddings: Embeddings;

  constructor(marks: MarkFinder, embeddings: Embeddings) {
    this.#marks = marks;
    this.#embeddings = embeddings;
  }

  async *video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
    const course = await this.#begin(job);
    const choice = frameChoice(job, course.settings.perTrack);
    const found: FoundDetection[] = [];
    for await (const frame of source.frames()) {
      job.signal.throwIfAborted();
      if (frame.warmUp || !choice.wants(frame.index)) continue;
      const face = await this.#embed(frame, course);
      if (face === undefined) continue;
      choice.note(frame.index);
      found.push(face);
    }
    if (found.length > 0) yield trackOf(found);
  }

  async *image(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack> {
    const course = await this.#begin(job);
    job.signal.throwIfAborted();
    const face = await this.#embed(frame, course);
    if (face !== undefined) yield trackOf([face]);
  }

  async close(): Promise<void> {
    await this.#embeddings.close();
    await this.#marks.close();
  }

  async #begin(job: DetectionJob): Promise<Course> {
    const settings = settingsOf(job.properties);
    if (job.fed !== undefined || job.allFed !== undefined) demandSingleFaces(job);
    return { settings, job, embedding: await this.#embeddings.open(settings.modelName, job) };
  }

  /** Returns undefined if the face is too small, or its eyes are not found. */
  async #embed(frame: Frame, { settings, embedding, job }: Course): Promise<FoundDetection | undefined> {
    const { index, width, height } = frame;
    const fed = job.fed?.detections.find((one) => one.frame === index);
    if (sizeOf(fed ?? frame) < settings.minSize) return undefined;
    job.working?.();
    const marks = await this.#marks.find(frame);
    if (marks === undefined) return undefined;
    const face = cutSquare(frame, squareOf(marks), embedding.side);
    const vector = await embedding.vector(face, job);
    const mirrored = await embedding.vector(mirror(face), job);
    const properties = vectorProperties(meanOf(vector, mirrored), embedding);
    return { frame: index, x: 0, y: 0, width, height, confidence: fed?.confidence ?? 1, properties };
  }
}

/** Throws INVALID_PROPERTY if several faces would be processed together. */
function demandSingleFaces({ allFed, properties }: DetectionJob): void {
  const type = properties['FEED_FORWARD_TYPE'] ?? 'REGION';
  if (type !== 'REGION')
    throw invalidProperty(`FEED_FORWARD_TYPE is ${type}. FACE EMBEDDING needs REGION, the box of each face.`);
  if (allFed !== undefined)
    throw invalidProperty(
      'FEED_FORWARD_ALL_TRACKS is TRUE. FACE EMBEDDING needs FALSE, one face after the other.',
    );
}

const meanOf = (one: Float32Array, other: Float32Array) => one.map((value, i) => (value + other[i]!) / 2);

/**
 * Returns a track with the vector of its most confident detection. A mean of different pictures would be similar to other people's vectors.
 */
function trackOf(detections: readonly FoundDetection[]): FoundTrack {
  const best = detections.reduce((one, other) => (other.confidence > one.confidence ? other : one));
  return { ...asTrack({ detections }), properties: best.properties ?? {} };
}

/** Little-endian 32-bit floats, as base64. */
const vectorProperties = (vector: Float32Array, { model }: Embedding): Properties => ({
  FEATURE: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64'),
  FEATURE_MODEL: model,
});

export default async function loadFaceEmbedder({ models }: DetectorHost): Promise<Detector> {
  return new FaceEmbedder(new MarkFinder(await loadFaceNetwork()), new Embeddings(models));
}
