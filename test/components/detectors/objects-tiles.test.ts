import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import loadFaceDetector from '../../../components/detectors/faces/detector.ts';
import loadObjectDetector from '../../../components/detectors/objects/detector.ts';
import type { Detector, FoundTrack, FrameSource } from '../../../components/sdk/detector.ts';
import { iou, type Box } from '../../../domain/geometry/geometry.ts';
import type { Properties } from '../../../domain/types.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import { writeContactSheet } from '../../bench/media/contact-sheet.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { sample } from '../models/recorded-media.ts';
import { all, jobOf } from '../visual.ts';

/** The persons in race.jpg, marked by hand: left, top, right and bottom. */
const PERSONS = [
  [12, 25, 42, 72], [6, 50, 45, 150], [15, 74, 60, 256], [32, 78, 100, 268], [58, 46, 88, 100], [82, 40, 122, 178],
  [109, 42, 135, 156], [118, 55, 172, 275], [138, 32, 256, 386], [228, 81, 272, 286], [265, 20, 300, 125],
  [280, 20, 304, 124], [310, 38, 352, 170], [352, 45, 378, 170], [375, 31, 398, 88], [368, 16, 496, 424],
  [520, 41, 611, 274], [602, 72, 640, 272],
] as const; // oxfmt-ignore

const boxesOf = (tracks: readonly FoundTrack[], name?: string): Box[] =>
  tracks
    .filter(({ properties }) => name === undefined || properties?.['CLASSIFICATION'] === name)
    .map(({ detections }) => detections[0]!);

/** How many persons have a box with an intersection over union of at least one half. */
const countFound = (truth: readonly Box[], found: readonly Box[]): number =>
  truth.filter((one) => found.some((box) => iou(box, one) >= 0.5)).length;

describe('Detectors with tiles', () => {
  const path = temporaryFolder();
  let objects: Detector;
  let faces: Detector;
  before(async () => {
    [objects, faces] = [await loadObjectDetector(), await loadFaceDetector()];
  });
  after(async () => {
    await objects.close!();
    await faces.close!();
  });

  const objectsIn = async (file: string, properties: Properties): Promise<FoundTrack[]> =>
    all(objects.image!(await readImage(file), await jobOf('objects', properties)));
  const facesIn = async (file: string, properties: Properties): Promise<FoundTrack[]> =>
    all(faces.image!(await readImage(file), await jobOf('faces', properties)));

  it('find more persons of a crowd, and not one of them twice', async () => {
    const truth = PERSONS.map(([x, y, right, bottom]) => ({ x, y, width: right - x, height: bottom - y }));
    const without = boxesOf(await objectsIn(sample('race.jpg'), { TILE_SIZE: '0' }), 'person');
    const found = boxesOf(await objectsIn(sample('race.jpg'), { TILE_SIZE: '320' }), 'person');
    expect(countFound(truth, without)).to.be.at.most(12);
    expect(countFound(truth, found)).to.be.at.least(15);
    for (const [i, one] of found.entries())
      for (const other of found.slice(i + 1)) expect(iou(one, other)).to.be.at.most(0.5);
  });

  it('find at least twice as many objects of 16 to 32 pixels, and hardly a wrong one', async () => {
    const truth = 'test/bench/media/truth/objects.json';
    const { picture, small } = await writeContactSheet(path('.'), truth, { width: 1_040, height: 780 });
    const { annotations } = JSON.parse(readFileSync(small, 'utf8')) as {
      annotations: { bbox: [number, number, number, number]; iscrowd: number }[];
    };
    const wanted = annotations
      .filter(({ iscrowd }) => iscrowd === 0)
      .map(({ bbox: [x, y, width, height] }) => ({ x, y, width, height }));
    const known = annotations.map(({ bbox: [x, y, width, height] }) => ({ x, y, width, height }));
    const without = boxesOf(await objectsIn(picture, { TILE_SIZE: '0' }));
    const found = boxesOf(await objectsIn(picture, {}));
    expect(countFound(wanted, found)).to.be.at.least(Math.max(30, 2 * countFound(wanted, without)));
    const wrong = found.filter((box) => known.every((one) => iou(one, box) < 0.2));
    expect(wrong.length).to.be.at.most(0.1 * found.length);
  });

  it('find nothing else in a photo of a house, where a single look finds benches and a plant', async () => {
    const photo = sample('Johnrogershousemay2020-extra-bytes.webp');
    expect(boxesOf(await objectsIn(photo, { TILE_SIZE: 'AUTO' }))).to.deep.equal([]);
  });

  it('find faces of 16 to 20 pixels in the same crowd', async () => {
    const small = (tracks: readonly FoundTrack[]) => boxesOf(tracks).filter(({ width }) => width <= 20);
    expect(small(await facesIn(sample('race.jpg'), { TILE_SIZE: '0' }))).to.deep.equal([]);
    expect(small(await facesIn(sample('race.jpg'), {})).length).to.be.at.least(2);
  });

  it('find the same as without in pictures of less than twice the size of the network', async () => {
    for (const name of ['race.jpg', 'lp-bmw.jpg', 'coffee.png'])
      expect(await objectsIn(sample(name), {}), name).to.deep.equal(
        await objectsIn(sample(name), { TILE_SIZE: '0' }),
      );
    expect(await facesIn(sample('astronaut.png'), {})).to.deep.equal(
      await facesIn(sample('astronaut.png'), { TILE_SIZE: '0' }),
    );
  });

  it('use tiles in a video when TILE_SIZE is a number, and not with AUTO', async () => {
    const truth = 'test/bench/media/truth/objects.json';
    const { picture } = await writeContactSheet(path('.'), truth, { width: 900, height: 300 });
    const frame = await readImage(picture);
    const { width, height } = frame;
    const source: FrameSource = {
      ...{ width, height, fps: 25, start: 0, stop: 0 },
      async *frames() {
        yield frame;
      },
    };
    const find = async (properties: Properties) =>
      all(objects.video!(source, await jobOf('objects', properties)));
    const without = await find({ TILE_SIZE: '0' });
    expect(await find({})).to.deep.equal(without);
    expect((await find({ TILE_SIZE: '416' })).length).to.be.greaterThan(without.length + 10);
  });
});
