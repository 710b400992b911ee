/** Rotated media: positions of faces in the stored picture and in the displayed picture. */
import { expect } from 'chai';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { openVideo } from '../../../../media/video/video-frames.ts';
import { iou, type Box } from '../../../../domain/geometry/geometry.ts';
import {
  Service,
  tracksOf,
  type DetectionDocument,
  type DocumentDetection,
  type DocumentMedium,
} from '../../../support/processes/service.ts';
import { PORTRAIT, turnedPicture, turnedVideo, uprightPicture } from '../../../support/media/turned-media.ts';
import { mediumOf, uriOf } from '../../results.ts';

/** `isLong`: conceals faces in every style. */
export function turnedMedia({ isLong }: { readonly isLong: boolean }): void {
  describe('Faces of media that are stored lying', () => {
    let service: Service;
    const names = ['upright.png', 'lying.jpg', 'lying.mp4'];
    let detailed: DetectionDocument;
    before(async () => {
      service = await Service.openShared();
      await uprightPicture(pathOf('upright.png'));
      await turnedPicture(pathOf('lying.jpg'));
      await turnedVideo(pathOf('lying.mp4'), 3);
      detailed = await service.run({
        media: names.map((name) => uriOf(service, name)),
        pipelineName: 'FACE DETECTION PIPELINE',
        jobProperties: { OUTPUT_DETAILS: 'TRUE' },
      });
      expect(detailed.status).to.equal('COMPLETE');
    });
    after(() => service.close());
    const pathOf = (name: string) => join(service.mediaDir, name);

    const faceOf = (medium: DocumentMedium) => {
      const [track, ...others] = tracksOf(medium, 'FACE');
      expect(others).to.deep.equal([]);
      return track!;
    };

    it('are in stored pixels with their rotation, and with OUTPUT_DETAILS as a viewer shows them', () => {
      const { exemplar: face } = faceOf(mediumOf(detailed, 'upright.png'));
      expect(face).to.not.have.property('uprightBox');
      for (const name of ['lying.jpg', 'lying.mp4']) {
        const medium = mediumOf(detailed, name);
        const { FRAME_WIDTH, FRAME_HEIGHT } = medium.mediaMetadata;
        expect([FRAME_WIDTH, FRAME_HEIGHT]).to.deep.equal(['512', '400']);
        const { exemplar, detections } = faceOf(medium);
        expect(detections).to.have.length(name === 'lying.mp4' ? 3 : 1);
        for (const detection of [exemplar, ...detections]) {
          expect(iou(uprightBoxOf(detection), face), `the face of ${name}`).to.be.greaterThan(0.8);
          expect(detection.detectionProperties['ROTATION']).to.equal('90');
          // Its displayed top left corner: the displayed y is the stored x, and the displayed x is measured
          // from the right.
          const { x, y, width, height } = uprightBoxOf(detection);
          expect([detection.x, detection.y]).to.deep.equal([y, PORTRAIT.width - x]);
          expect([detection.width, detection.height]).to.deep.equal([width, height]);
        }
      }
    });

    for (const style of isLong ? ['BLUR', 'PIXELATE'] : ['PIXELATE'])
      it(`are gone from a copy whose MARKUP_STYLE is ${style}, also from frames that nobody looked at`, async () => {
        await turnedVideo(pathOf('long.mp4'), 7);
        const document = await service.run({
          media: [uriOf(service, 'long.mp4'), uriOf(service, 'lying.jpg')],
          pipelineName: 'FACE DETECTION WITH MARKUP PIPELINE',
          jobProperties: { MARKUP_STYLE: style, FRAME_INTERVAL: '3' },
        });
        expect(document.status).to.equal('COMPLETE');
        const [video, picture] = [mediumOf(document, 'long.mp4'), mediumOf(document, 'lying.jpg')];
        const { detections } = faceOf(video);
        expect(detections.map(({ offsetFrame }) => offsetFrame)).to.deep.equal([0, 3, 6]);
        expect(detections[0], 'without OUTPUT_DETAILS').to.not.have.property('uprightBox');
        const copies = [video.markupResult!.path, picture.markupResult!.path];
        const face = uprightBoxOf(faceOf(mediumOf(detailed, 'lying.mp4')).exemplar);
        const original = await pixelsOf(pathOf('upright.png'));
        const frames = [...(await framesOf(copies[0]!)), await pixelsOf(fileURLToPath(copies[1]!))];
        expect(frames).to.have.length(8);
        for (const [n, frame] of frames.entries()) {
          const { inside, around } = changes(original, frame, face);
          expect(inside, `change of the face in frame ${n}`).to.be.greaterThan(15);
          expect(around, `change around it in frame ${n}`).to.be.lessThan(5);
        }
        await copyFile(fileURLToPath(copies[0]!), pathOf('copy.webm'));
        await copyFile(fileURLToPath(copies[1]!), pathOf('copy.png'));
        const media = ['copy.webm', 'copy.png'].map((name) => uriOf(service, name));
        const again = await service.run({
          ...{ media, pipelineName: 'FACE DETECTION PIPELINE' },
          jobProperties: { FRAME_INTERVAL: '2' },
        });
        for (const medium of again.media) expect(Object.keys(medium.output)).to.deep.equal(['NO TRACKS']);
      });
  });
}

const pixelsOf = (path: string): Promise<Uint8Array> => sharp(path).removeAlpha().raw().toBuffer();

/** Pixels of all frames of a copy. */
async function framesOf(uri: string): Promise<readonly Uint8Array[]> {
  const reader = await openVideo(fileURLToPath(uri));
  const frames: Uint8Array[] = [];
  try {
    for await (const { data } of reader.frames()) frames.push(Uint8Array.from(data));
  } finally {
    reader.close();
  }
  return frames;
}

/** Mean difference of pixels inside a box, and of those clearly outside. */
function changes(one: Uint8Array, other: Uint8Array, { x, y, width, height }: Box) {
  expect(other.length).to.equal(one.length);
  const sums = { inside: 0, around: 0 };
  const counts = { inside: 0, around: 0 };
  // Compares the green value of every seventh pixel.
  for (let pixel = 0; pixel * 3 < one.length; pixel += 7) {
    const at = pixel * 3 + 1;
    const [u, v] = [pixel % PORTRAIT.width, Math.floor(pixel / PORTRAIT.width)];
    const outside = Math.max(x - u, u - x - width, y - v, v - y - height);
    const where = outside < 0 ? 'inside' : outside > 4 ? 'around' : null;
    if (where === null) continue;
    sums[where] += Math.abs(one[at]! - other[at]!);
    counts[where]++;
  }
  return { inside: sums.inside / counts.inside, around: sums.around / counts.around };
}

function uprightBoxOf(detection: DocumentDetection): Box {
  const { uprightBox } = detection as { uprightBox?: Box };
  if (uprightBox === undefined) throw new Error('The detection has no upright box.');
  return uprightBox;
}
