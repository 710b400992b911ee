/**
 * Compares the boxes of the ONNX models with those of the published TensorFlow models.
 * test/fixtures/network-boxes.json was recorded with TensorFlow.js 4.22.0 and the published files.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import loadFaceDetector from '../../../components/detectors/faces/detector.ts';
import loadObjectDetector from '../../../components/detectors/objects/detector.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import { sample } from '../models/recorded-media.ts';
import { all, jobOf } from '../visual.ts';

type Recorded = readonly [
  x: number,
  y: number,
  width: number,
  height: number,
  confidence: number,
  name?: string,
];
const recorded = JSON.parse(readFileSync('test/fixtures/network-boxes.json', 'utf8')) as Readonly<
  Record<'faces' | 'objects', Readonly<Record<string, readonly Recorded[]>>>
>;
/** Low thresholds, without tiles. */
const LOW = { CONFIDENCE_THRESHOLD: '0.3', TRACK_CONFIDENCE_THRESHOLD: '0.3', TILE_SIZE: '0' };

/** `isLong`: uses all pictures instead of every third. */
export function networkBoxes({ isLong }: { readonly isLong: boolean }): void {
  describe('A network that was made an ONNX model', () => {
    for (const [component, load, properties] of [
      ['faces', loadFaceDetector, { ...LOW, FIND_SMALL_FACES: 'ALWAYS', MIN_FACE_SIZE: '1' }],
      ['objects', loadObjectDetector, LOW],
    ] as const)
      it(`gives the boxes of the published one, within a pixel, right and wrong ones alike: ${component}`, async () => {
        const detector = await load();
        for (const [name, boxes] of Object.entries(recorded[component]).filter(
          (_, n) => isLong || n % 3 === 0,
        )) {
          const tracks = await all(
            detector.image!(await readImage(sample(name)), await jobOf(component, properties)),
          );
          expect(tracks, name).to.have.length(boxes.length);
          tracks.forEach(({ detections: [found] }, i) => {
            const [x, y, width, height, confidence, classification] = boxes[i]!;
            const wanted = { x, y, width, height };
            for (const side of ['x', 'y', 'width', 'height'] as const)
              expect(found![side], `${side} of box ${i} in ${name}`).to.be.closeTo(wanted[side], 1);
            expect(found!.confidence, name).to.be.closeTo(confidence, 0.001);
            expect(found!.properties?.['CLASSIFICATION'], name).to.equal(classification);
          });
        }
        await detector.close!();
      });
  });
}
