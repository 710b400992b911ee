/**
 * Detectors of persons and vehicles, pictures in other formats, and pipelines where one picture detector
 * feeds the next.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import sharp from 'sharp';
import { bitmapOf } from '../../support/media/bitmap.ts';
import { sampleUri, Service, tracksOf, type DetectionDocument } from '../../support/processes/service.ts';
import { classesOf } from './picture-classes.ts';

describe('The built-in pipelines for persons and for what moves', () => {
  let service: Service;
  before(async () => {
    service = await Service.here();
  });
  after(() => service.close());

  const run = (name: string, ...media: string[]): Promise<DetectionDocument> =>
    service.run({ media, pipelineName: `${name} DETECTION PIPELINE` });

  it('look for persons alone, or for vehicles alone', async () => {
    const media = ['race.jpg', 'red-car.jpg', 'chelsea.png'].map(sampleUri);
    expect(classesOf(await run('PERSON', ...media))).to.deep.equal([['person'], [], []]);
    expect(classesOf(await run('VEHICLE', ...media))).to.deep.equal([[], ['car'], []]);
  });

  it('find faces in the regions of persons', async () => {
    const document = await run('PERSON THEN FACE', sampleUri('race.jpg'));
    const [medium] = document.media;
    const persons = tracksOf(medium, 'CLASS').map(({ exemplar }) => exemplar);
    const faces = tracksOf(medium, 'FACE').map(({ exemplar }) => exemplar);
    expect(faces.length).to.be.at.least(3);
    for (const face of faces) {
      const [x, y] = [face.x + face.width / 2, face.y + face.height / 2];
      const inside = persons.some(
        (person) =>
          x > person.x && x < person.x + person.width && y > person.y && y < person.y + person.height,
      );
      expect(inside, `the face at ${x}, ${y} is somebody's`).to.equal(true);
    }
  });

  it('look for faces where something moves', async () => {
    const document = await run('MOTION THEN FACE', sampleUri('face_move.mp4'));
    const [medium] = document.media;
    const [motion, face] = ['MOTION', 'FACE'].map((type) => tracksOf(medium, type));
    expect([motion!.length, face!.length]).to.deep.equal([1, 1]);
    expect(face![0]!.startOffsetFrame).to.be.at.least(motion![0]!.startOffsetFrame);
    expect(face![0]!.stopOffsetFrame).to.be.at.most(motion![0]!.stopOffsetFrame);
    expect(face![0]!.detections.length).to.be.at.least(70);
  });

  it('find the same in a BMP as in a PNG of the same picture, with artifacts and a markup copy', async () => {
    const [png, bmp] = ['odd.png', 'odd.bmp'].map((name) => join(service.mediaDir, name));
    const cropped = sharp(fileURLToPath(sampleUri('astronaut.png'))).extract({
      left: 0,
      top: 0,
      width: 511,
      height: 401,
    });
    await cropped.png().toFile(png!);
    await writeFile(bmp!, bitmapOf(await cropped.removeAlpha().raw().toBuffer(), 511, 401));
    const document = await service.run({
      media: [png!, bmp!].map((path) => pathToFileURL(path).href),
      pipelineName: 'FACE DETECTION WITH MARKUP PIPELINE',
    });
    expect(document.status).to.equal('COMPLETE');
    const [ofPng, ofBmp] = document.media.map((medium) => ({
      faces: tracksOf(medium, 'FACE').map(({ exemplar: { artifactPath: _, ...exemplar } }) => exemplar),
      picture: tracksOf(medium, 'FACE')[0]!.exemplar.artifactPath,
      copy: medium.markupResult!.path,
    }));
    expect(ofBmp!.faces).to.have.length(1).and.to.deep.equal(ofPng!.faces);
    for (const part of ['picture', 'copy'] as const) {
      const [one, other] = await Promise.all(
        [ofPng, ofBmp].map((of) => sharp(fileURLToPath(of![part]!)).raw().toBuffer()),
      );
      expect(Buffer.compare(one!, other!), part).to.equal(0);
    }
  });
});
