/** Every detector for streams finds the same in a live stream as in the same video, split into parts. */
import { expect } from 'chai';
import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';
import loadBarcodeDetector from '../../../components/detectors/barcodes/detector.ts';
import loadFaceDetector from '../../../components/detectors/faces/detector.ts';
import loadKserve from '../../../components/models/kserve/detector.ts';
import loadMotionDetector from '../../../components/detectors/motion/detector.ts';
import loadObjectDetector from '../../../components/detectors/objects/detector.ts';
import loadOnnxDetector from '../../../components/models/onnx/detector.ts';
import loadSceneDetector from '../../../components/detectors/scenes/detector.ts';
import type { Detector, FoundTrack, Frame, FrameSource } from '../../../components/sdk/detector.ts';
import loadTextDetector from '../../../components/detectors/text/detector.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import type { Properties } from '../../../domain/types.ts';
import type { StreamTrack } from '../../../protocol/streams.ts';
import { KserveServer } from '../../support/servers/kserve-server.ts';
import type { StreamReceiver } from '../../support/servers/stream-receiver.ts';
import {
  BEGAN,
  liveSource,
  recordedStream,
  streamOf,
  watchToEnd,
  workOf,
  type StreamOf,
} from './live-stream.ts';
import { yoloModel } from '../models/onnx/own-model.ts';
import { sample } from '../models/recorded-media.ts';
import { all, jobOf, NO_MODELS, paintVideo } from '../visual.ts';

interface Clip {
  readonly component: string;
  /** Added to the title of the test. */
  readonly how?: string;
  readonly load: () => Promise<Detector>;
  readonly clip: () => Promise<StreamOf>;
  readonly segmentSize: number;
  readonly properties?: Properties | (() => Properties);
  /** One frame of a scene represents many, so the frames differ between parts. */
  readonly comparesSpans?: boolean;
}

/** Some properties are known only when the tests run. */
const propertiesOf = ({ properties = {} }: Clip): Properties =>
  typeof properties === 'function' ? properties() : properties;

type Spot = readonly [frame: number, x: number, y: number, width: number, height: number];

const spotsOf = (
  detections: readonly { frame: number; x: number; y: number; width: number; height: number }[],
) =>
  detections.map(
    ({ frame, x, y, width, height }): Spot => [frame, x, y, width, height].map(Math.round) as never,
  );

const inOrder = (tracks: readonly (readonly Spot[])[]) =>
  tracks.toSorted((a, b) => a[0]![0] - b[0]![0] || a[0]![1] - b[0]![1] || a.length - b.length);

/** The parts of tracks from all segments, grouped by track name. */
export function tracksOf({ segments }: StreamReceiver): StreamTrack[][] {
  const byName = new Map<string, StreamTrack[]>();
  for (const track of segments.flatMap(({ tracks }) => tracks))
    byName.set(track.liveId, [...(byName.get(track.liveId) ?? []), track]);
  return [...byName.values()];
}

async function inBatch(clip: Clip, stream: StreamOf): Promise<FoundTrack[]> {
  const detector = await clip.load();
  const frames: Frame[] = [];
  for await (const frame of stream.frames()) frames.push({ ...frame, data: new Uint8Array(frame.data) });
  const { width, height } = frames[0]!;
  const source: FrameSource = {
    width,
    height,
    fps: 25,
    start: 0,
    stop: frames.at(-1)!.index,
    async *frames() {
      yield* frames;
    },
  };
  try {
    return await all(detector.video!(source, await jobOf(clip.component, propertiesOf(clip))));
  } finally {
    await detector.close?.();
  }
}

/** Eight frames with a page that appears in the second and disappears in the seventh. */
async function page(name: string): Promise<StreamOf> {
  const shown = await readImage(sample(name));
  return {
    async *frames() {
      for (let index = 0; index < 8; index++) {
        const data = index === 0 || index > 6 ? new Uint8Array(shown.data.length).fill(255) : shown.data;
        yield { ...shown, data, index, time: index * 40 };
      }
    },
  };
}

/** A label that moves through the picture. */
async function label(text: string): Promise<StreamOf> {
  const writer = createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm');
  const wasmBinary = new Uint8Array(await readFile(writer)).buffer;
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  const { symbol } = await writeBarcode(text, { format: 'EAN-13', addQuietZones: false });
  const isInk = (x: number, y: number) =>
    x >= 0 && y >= 0 && x < symbol.width && y < symbol.height && symbol.data[y * symbol.width + x] === 0;
  return streamOf(
    paintVideo({ frames: 12, width: 420, height: 300 }, (x, y, frame) => {
      const level = isInk(Math.floor((x - 20 - 4 * frame) / 3), Math.floor((y - 60) / 3)) ? 20 : 240;
      return [level, level, level];
    }),
  );
}

/** A folder with a model that this test writes. */
const MODELS = mkdtempSync(path.join(tmpdir(), 'troupe-models-'));

/** A detector that compares frames, and one that processes each frame alone. */
const FEW = ['motion', 'onnx'];

/** A server with the same model. */
let served: KserveServer;

const CLIPS: readonly Clip[] = [
  {
    component: 'faces',
    load: loadFaceDetector,
    clip: () => Promise.resolve(recordedStream('face_move.mp4')),
    segmentSize: 20,
  },
  {
    component: 'motion',
    load: loadMotionDetector,
    clip: () => Promise.resolve(recordedStream('face_move.mp4', { interval: 2 })),
    segmentSize: 30,
  },
  {
    component: 'objects',
    load: loadObjectDetector,
    clip: () => Promise.resolve(recordedStream('scenes_pd.mp4', { interval: 12 })),
    segmentSize: 30,
  },
  {
    component: 'scenes',
    load: loadSceneDetector,
    clip: () => Promise.resolve(recordedStream('scenes_pd.mp4')),
    // A cut is confirmed 15 frames later. If it is close before a segment border, it begins at the border.
    segmentSize: 40,
    comparesSpans: true,
  },
  { component: 'barcodes', load: loadBarcodeDetector, clip: () => label('4006381333931'), segmentSize: 5 },
  {
    component: 'onnx',
    load: () => loadOnnxDetector({ models: { roots: [MODELS], loaded: 1, checkMs: 60_000 } }),
    clip: () =>
      Promise.resolve(streamOf(paintVideo({ frames: 9, width: 64, height: 32 }, () => [200, 200, 200]))),
    segmentSize: 3,
    properties: { MODEL_NAME: 'pets', DETECTION_FRAME_BATCH_SIZE: '4' },
  },
  {
    component: 'onnx',
    how: ' in tiles',
    load: () => loadOnnxDetector({ models: { roots: [MODELS], loaded: 1, checkMs: 60_000 } }),
    clip: () =>
      Promise.resolve(streamOf(paintVideo({ frames: 9, width: 160, height: 96 }, () => [200, 200, 200]))),
    segmentSize: 3,
    properties: { MODEL_NAME: 'pets', DETECTION_FRAME_BATCH_SIZE: '4', TILE_SIZE: '64' },
  },
  {
    component: 'kserve',
    load: () =>
      loadKserve({
        models: { roots: [], loaded: 1, checkMs: 1 },
        modelServers: { allowPrivate: true, allowedHosts: [], waitMs: 0 },
      }),
    clip: () =>
      Promise.resolve(streamOf(paintVideo({ frames: 9, width: 64, height: 32 }, () => [200, 200, 200]))),
    segmentSize: 3,
    properties: () => ({ TRITON_SERVER: served.address, MODEL_NAME: 'pets' }),
  },
  {
    component: 'text',
    load: () => loadTextDetector(NO_MODELS),
    clip: () => page('gen_text.png'),
    segmentSize: 3,
  },
];

/** `isLong`: includes larger variations and other values of the same cases. */
export function liveDetectors({ isLong }: { readonly isLong: boolean }): void {
  describe('A detector on a live stream', function () {
    this.timeout(240_000);
    before(async () => {
      await writeFile(path.join(MODELS, 'pets.onnx'), yoloModel());
      served = await KserveServer.start();
      await served.serve('pets', yoloModel(), { parameters: { CLASS_NAMES: '["cat", "dog"]' } });
    });
    after(async () => {
      await served.close();
      await rm(MODELS, { recursive: true });
    });

    for (const clip of CLIPS.filter(({ component }) => isLong || FEW.includes(component)))
      it(`finds the same with ${clip.component}${clip.how ?? ''}, in parts within segments, as in a video`, async () => {
        const { component, segmentSize, comparesSpans = false } = clip;
        const stream = await clip.clip();
        const batch = await inBatch(clip, stream);
        const detector = await clip.load();
        const work = await workOf(component, { segmentSize, properties: propertiesOf(clip) });
        const server = await watchToEnd({ detector, open: liveSource(stream), work });
        await detector.close?.();
        expect([server.failure, server.end?.reason]).to.deep.equal([undefined, 'ended']);
        const live = tracksOf(server);
        expect(live.length).to.be.at.least(1);
        if (comparesSpans)
          expect(live.map((parts) => [parts[0]!.startFrame, parts.at(-1)!.stopFrame])).to.deep.equal(
            batch.map(({ startFrame, stopFrame }) => [startFrame, stopFrame]),
          );
        else
          expect(
            inOrder(live.map((parts) => parts.flatMap(({ detections }) => spotsOf(detections)))),
          ).to.deep.equal(inOrder(batch.map(({ detections }) => spotsOf(detections))));
        expect(live.some((parts) => parts.length > 1)).to.equal(true);
        checkSegments(server, segmentSize);
      });
  });
}

/**
 * Checks that segments have no gaps, that parts are within their segment, and that times match the frames.
 */
function checkSegments({ segments }: StreamReceiver, size: number): void {
  expect(segments.map(({ number }) => number)).to.deep.equal(segments.map((_, index) => index));
  for (const { number, tracks, summary } of segments) {
    expect(summary.startFrame).to.equal(number * size);
    expect(summary.stopFrame).to.be.within(number * size, number * size + size - 1);
    for (const track of tracks) {
      expect(track.startFrame).to.be.at.least(summary.startFrame);
      expect(track.stopFrame).to.be.at.most(summary.stopFrame);
      for (const { frame, time } of track.detections) expect(time).to.be.at.least(BEGAN + frame * 30);
    }
  }
}
