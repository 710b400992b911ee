/**
 * A detector that finds exactly what STAGE tells it to find, as far as it lies in the frames that it is shown. Without a stage
 * it tells what it was shown: one track with a detection for each picture.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  DetectionJob,
  Detector,
  FoundDetection,
  FoundPart,
  FoundTrack,
  Frame,
  FrameSource,
  GenericSource,
} from '../../../../components/sdk/detector.ts';
import type { FedTrack } from '../../../../protocol/detection-work.ts';
import type { Properties } from '../../../../domain/types.ts';

/** Between two looks for a file. */
const LOOK_MS = 20;

/** A track to be found: a detection in each of its frames. */
export interface StagedTrack {
  readonly frames?: readonly number[];
  /** x, y, width and height; of each detection its own when there are several. */
  readonly boxes?: readonly (readonly [number, number, number, number])[];
  readonly confidence?: number;
  /** Of each detection; the track's when absent. */
  readonly confidences?: readonly number[];
  /** Of the track and of its detections. */
  readonly properties?: Properties;
  /** Of single detections, by frame. */
  readonly more?: Readonly<Record<number, Properties>>;
}

export default function loadStaged(): Promise<Detector> {
  return Promise.resolve({ video, image, generic });
}

async function* video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
  warn(job);
  const { HOLD_FROM = '', HOLD_FILE = '' } = job.properties;
  if (HOLD_FROM !== '' && source.start >= Number(HOLD_FROM))
    while (!existsSync(HOLD_FILE)) await sleep(LOOK_MS);
  const shown: FoundDetection[] = [];
  for await (const frame of source.frames()) if (!frame.warmUp) shown.push(sightOf(frame));
  const { start, stop } = source;
  yield* stagedTracks(shown, job) ?? reportStage(shown, job, { START: String(start), STOP: String(stop) });
}

async function* image(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack> {
  await Promise.resolve();
  warn(job);
  const shown = [sightOf(frame)];
  yield* stagedTracks(shown, job) ?? reportStage(shown, job, {});
}

async function* generic(_: GenericSource, job: DetectionJob): AsyncIterable<FoundPart> {
  await Promise.resolve();
  warn(job);
  for (const track of stageOf(job.properties) ?? [])
    yield { confidence: track.confidence ?? -1, properties: track.properties ?? {} };
}

function warn({ properties: { WARN = '' }, warn: say }: DetectionJob): void {
  for (const warning of WARN.split('|')) say?.(warning);
}

const stageOf = ({ STAGE = '' }: Properties) =>
  STAGE === '' ? undefined : (JSON.parse(STAGE) as readonly StagedTrack[]);

function sightOf({ index, width, height }: Frame): FoundDetection {
  const properties = { SIZE: `${width}x${height}` };
  return { frame: index, x: 0, y: 0, width, height, confidence: 0.5, properties };
}

function stagedTracks(
  shown: readonly FoundDetection[],
  job: DetectionJob,
): readonly FoundTrack[] | undefined {
  const frames = new Set(shown.map(({ frame }) => frame));
  return stageOf(job.properties)?.flatMap((track) => {
    const detections = detectionsOf(track).filter(({ frame }) => frames.has(frame));
    const { confidence = 0.5, properties = {} } = track;
    return detections.length === 0 ? [] : [{ confidence, properties, detections }];
  });
}

function detectionsOf(track: StagedTrack): readonly FoundDetection[] {
  const { frames = [0], boxes = [[10, 10, 20, 20]], confidence = 0.5, properties = {} } = track;
  return frames.map((frame, n) => {
    const [x, y, width, height] = boxes[n] ?? boxes[0]!;
    return {
      frame,
      x,
      y,
      width,
      height,
      confidence: track.confidences?.[n] ?? confidence,
      properties: { ...properties, ...track.more?.[frame] },
    };
  });
}

function reportStage(
  shown: readonly FoundDetection[],
  { properties, fed, allFed }: DetectionJob,
  more: Properties,
): readonly FoundTrack[] {
  if (shown.length === 0) return [];
  const names = (properties['TELL'] ?? '').split(';').filter((name) => name !== '');
  const tracks: readonly FedTrack[] = allFed ?? (fed === undefined ? [] : [fed]);
  const track = {
    ...more,
    SHOWN: shown.map(({ frame }) => frame).join(','),
    SIZES: [...new Set(shown.map((one) => one.properties?.['SIZE']))].join(','),
    FED: tracks.map((one) => one.properties['NAME'] ?? '?').join(','),
    ...Object.fromEntries(names.map((name) => [name, properties[name] ?? 'unset'])),
  };
  return [{ confidence: 0.5, properties: track, detections: shown }];
}
