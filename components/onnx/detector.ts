/** Runs an ONNX model of the operator's own over pictures and videos, and follows through videos what it finds. */
import type {
  DetectionJob,
  Detector,
  DetectorHost,
  FoundDetection,
  FoundTrack,
  Frame,
  FrameSource,
} from '../sdk/detector.ts';
import type { Properties } from '../../domain/types.ts';
import { clip } from '../tracking/boxes.ts';
import { asTrack, type TrackPart } from '../tracking/open-track.ts';
import { Tracker } from '../tracking/tracker.ts';
import { classFilter } from './class-filter.ts';
import { ModelStore } from './model-store.ts';
import type { Finding, LookedFrame, Network } from './network.ts';
import { readSettings, type Settings } from './settings.ts';
import type { UnderstoodModel } from './understood.ts';

/** A model with what a sub-job wants of it. */
interface Prepared {
  readonly settings: Settings;
  readonly network: Network;
  reports(name: string): boolean;
}

class OnnxDetector implements Detector {
  readonly followsStreams = true;
  readonly #roots: readonly string[];
  readonly #store: ModelStore;

  constructor({ models }: DetectorHost) {
    this.#roots = models.roots;
    this.#store = new ModelStore(models);
  }

  /** A track is of one class: each class is followed on its own. */
  async *video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
    const prepared = await this.#prepare(job);
    const { network, settings } = prepared;
    const { rules, batch, search } = settings;
    const trackers = new Map<string, Tracker>();
    const ofAll = (parts: (tracker: Tracker) => readonly TrackPart[]): FoundTrack[] =>
      [...trackers.values()].flatMap((tracker) => parts(tracker).map(ofClass));
    job.live?.follow({ cut: () => ofAll((one) => one.cut()), end: () => ofAll((one) => one.finish()) });
    // Of a live stream each frame is told of at once.
    const most = job.live === undefined ? batch : 1;
    for await (const { frame, found } of network.find(source.frames(), most, search)) {
      job.signal.throwIfAborted();
      warnOfScores(found, network.model, job);
      const byClass = detectionsOf(frame, found, prepared);
      for (const name of byClass.keys()) if (!trackers.has(name)) trackers.set(name, new Tracker(rules, job));
      for (const [name, tracker] of trackers)
        yield* tracker.next(frame.index, byClass.get(name) ?? []).map(ofClass);
    }
    yield* ofAll((tracker) => tracker.finish());
  }

  async *image(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack> {
    const prepared = await this.#prepare(job);
    job.signal.throwIfAborted();
    const { network, settings } = prepared;
    for await (const { found } of network.find(only(frame), 1, settings.search)) {
      warnOfScores(found, network.model, job);
      for (const detections of detectionsOf(frame, found, prepared).values())
        yield* detections.map((detection) => ofClass({ detections: [detection] }));
    }
  }

  async close(): Promise<void> {
    await this.#store.close();
  }

  async #prepare({ properties, signal }: DetectionJob): Promise<Prepared> {
    signal.throwIfAborted();
    const settings = await readSettings(properties, this.#roots);
    const network = await this.#store.network(settings.wanted, signal);
    return { settings, network, reports: classFilter(settings.classes, network.model) };
  }
}

/** Networks judge from 0 to 1. */
const LARGEST_SCORE = 1.001;

/** Scores that no head with these outputs should have: they are told, and the operator is told as well. */
function warnOfScores(found: readonly Finding[], { file, head }: UnderstoodModel, job: DetectionJob): void {
  if (found.every(({ classes }) => !((classes[0]?.score ?? 0) > LARGEST_SCORE))) return;
  job.warn?.(
    `The model ${file.name} has scores above 1: its outputs are not what MODEL_TYPE ${head.type} means. Set another MODEL_TYPE, or export the model with scores from 0 to 1.`,
  );
}

async function* only(frame: Frame): AsyncGenerator<Frame> {
  yield frame;
}

/** What is reported of a frame, by class. */
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
    const properties =
      finding.vector === undefined ? classProperties(classes, search.top) : vectorProperties(finding.vector);
    // A vector has no confidence of its own.
    const detection = { frame: frame.index, ...box, confidence: best?.score ?? 1, properties };
    const same = byClass.get(name);
    if (same === undefined) byClass.set(name, [detection]);
    else same.push(detection);
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

/** Little-endian floats of 32 bits, as base64. */
const vectorProperties = (vector: Float32Array): Properties => ({
  FEATURE: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64'),
});

/** As confident as its best detection, and with the properties of that one. */
function ofClass(part: TrackPart): FoundTrack {
  const best = part.detections.reduce((one, other) => (other.confidence > one.confidence ? other : one));
  return { ...asTrack(part), properties: best.properties ?? {} };
}

export default async function loadOnnxDetector(host: DetectorHost): Promise<Detector> {
  return new OnnxDetector(host);
}
