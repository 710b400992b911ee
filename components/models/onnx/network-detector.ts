/** Runs a network on pictures and videos, locally or on a server, and tracks its findings through videos. */
import type {
  DetectionJob,
  Detector,
  FoundDetection,
  FoundTrack,
  Frame,
  FrameSource,
} from '../../sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import { inVideos } from '../../shared/networks/tiles.ts';
import { clip } from '../../shared/tracking/boxes.ts';
import { asTrack, type TrackPart } from '../../shared/tracking/open-track.ts';
import { ClassTracks } from '../../shared/tracking/class-tracks.ts';
import { classFilter } from './class-filter.ts';
import { ONE_BY_ONE, type Finding, type Load, type LookedFrame, type Network } from './network.ts';
import type { SearchSettings } from './settings.ts';
import type { UnderstoodModel } from './understand-model.ts';
import { invalidProperty } from '../../shared/tracking/settings.ts';
import { addTo } from '../../../domain/grouping.ts';

/** A model with the settings of a sub-job. */
export interface AskedModel {
  readonly settings: SearchSettings;
  readonly network: Network;
  readonly load: Load;
}

interface Prepared extends AskedModel {
  reports(name: string): boolean;
}

/** Provides the networks that jobs name. */
export interface Models {
  /** Prepares a model. Throws DetectionError, and the reason of the job's signal. */
  prepare(job: DetectionJob): Promise<AskedModel>;
  close(): Promise<void>;
}

export class NetworkDetector implements Detector {
  readonly followsStreams = true;
  readonly #models: Models;

  constructor(models: Models) {
    this.#models = models;
  }

  async *video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
    const prepared = await this.#prepare(job);
    const { network, load, settings } = prepared;
    const following = { live: job.live, type: settings.trackType };
    const tracks = new ClassTracks(settings.rules, following, ofClass);
    job.live?.follow(tracks);
    // In a live stream, each frame is reported at once.
    const question = {
      search: settings.search,
      tiling: inVideos(settings.tiling),
      load: job.live === undefined ? load : ONE_BY_ONE,
      job,
    };
    for await (const { frame, found } of network.find(source.frames(), question)) {
      job.signal.throwIfAborted();
      warnOfScores(found, network.model, job);
      yield* tracks.next(frame.index, detectionsOf(frame, found, prepared));
    }
    yield* tracks.end();
  }

  async *image(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack> {
    const prepared = await this.#prepare(job);
    job.signal.throwIfAborted();
    const { network, load, settings } = prepared;
    const { search, tiling } = settings;
    const question = { search, tiling, load: tiling.size === 0 ? ONE_BY_ONE : load, job };
    for await (const { found } of network.find(only(frame), question)) {
      warnOfScores(found, network.model, job);
      for (const detections of detectionsOf(frame, found, prepared).values())
        yield* detections.map((detection) => ofClass({ detections: [detection], type: settings.trackType }));
    }
  }

  async close(): Promise<void> {
    await this.#models.close();
  }

  async #prepare(job: DetectionJob): Promise<Prepared> {
    job.signal.throwIfAborted();
    const asked = await this.#models.prepare(job);
    if (asked.settings.search.features) demandVectors(asked.network.model);
    return { ...asked, reports: classFilter(asked.settings.classes, asked.network.model) };
  }
}

/** Throws INVALID_PROPERTY with the shapes if the model makes no vectors. */
function demandVectors({ name, head, features, outputs }: UnderstoodModel): void {
  if (head.finds === 'vector' || features !== undefined) return;
  const ofWhat =
    head.finds === 'boxes' ? 'for each box, [1, boxes, numbers]' : 'of the picture, [1, numbers]';
  const answered = outputs.map((output) => `${output.name} [${output.dims.join(', ')}]`).join(', ');
  throw invalidProperty(
    `INCLUDE_FEATURES is TRUE, but the model ${name} has no output that surely is a vector ${ofWhat}: it answers ${answered}. Export it with one that is called embeddings or features, or set INCLUDE_FEATURES to FALSE.`,
  );
}

/** Maximum valid score, with a tolerance above 1. */
const LARGEST_SCORE = 1.001;

/** Warns of scores above 1, which show a wrong head. The findings are still reported. */
function warnOfScores(found: readonly Finding[], { name, head }: UnderstoodModel, job: DetectionJob): void {
  if (found.every(({ classes }) => !((classes[0]?.score ?? 0) > LARGEST_SCORE))) return;
  job.warn?.(
    `The model ${name} has scores above 1: its outputs are not what MODEL_TYPE ${head.type} means. Set another MODEL_TYPE, or export the model with scores from 0 to 1.`,
  );
}

async function* only(frame: Frame): AsyncGenerator<Frame> {
  yield frame;
}

/** Returns the detections of a frame, by class. */
function detectionsOf(
  frame: LookedFrame,
  found: readonly Finding[],
  { settings: { search }, network: { model }, reports }: Prepared,
): ReadonlyMap<string, readonly FoundDetection[]> {
  const byClass = new Map<string, FoundDetection[]>();
  for (const finding of found) {
    const box = clip(finding.box, frame.width, frame.height);
    if (box === undefined) continue;
    const classes = finding.classes.map(({ number, score }) => ({ name: model.nameOf(number), score }));
    const [best] = classes;
    const name = best?.name ?? '';
    if (best !== undefined && (!(best.score >= search.threshold) || !reports(name))) continue;
    const properties = {
      ...(best === undefined ? {} : classProperties(classes, search.top)),
      ...(finding.vector === undefined ? {} : vectorProperties(finding.vector, model)),
    };
    // A vector has no confidence.
    addTo(byClass, name, { frame: frame.index, ...box, confidence: best?.score ?? 1, properties });
  }
  return byClass;
}

function classProperties(
  classes: readonly { readonly name: string; readonly score: number }[],
  top: number,
): Properties {
  const CLASSIFICATION = classes[0]?.name ?? '';
  if (top === 1) return { CLASSIFICATION };
  return {
    CLASSIFICATION,
    'CLASSIFICATION LIST': classes.map(({ name }) => name).join('; '),
    'CLASSIFICATION CONFIDENCE LIST': classes.map(({ score }) => String(Number(score.toFixed(6)))).join('; '),
  };
}

/** Little-endian 32-bit floats, as base64. */
export const vectorProperties = (
  vector: Float32Array,
  { name, vectorModel = name }: UnderstoodModel,
): Properties => ({
  FEATURE: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64'),
  FEATURE_MODEL: vectorModel,
});

/** Returns a track with the confidence and properties of its best detection. */
function ofClass(part: TrackPart): FoundTrack {
  const best = part.detections.reduce((one, other) => (other.confidence > one.confidence ? other : one));
  return { ...asTrack(part), properties: best.properties ?? {} };
}
