import { expect } from 'chai';
import loadObjectDetector from '../../../components/detectors/objects/detector.ts';
import type { Detector, FoundTrack, Frame, FrameSource } from '../../../components/sdk/detector.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import type { Properties } from '../../../domain/types.ts';
import { sample, withVideo } from '../models/recorded-media.ts';
import {
  acceptsBroken,
  all,
  descriptorOf,
  jobOf,
  paintVideo,
  picture,
  spans,
  type Colour,
} from '../visual.ts';
import { iou } from '../../../domain/geometry/geometry.ts';

const nameOf = (track: FoundTrack) => track.properties?.['CLASSIFICATION'];

describe('The object component', () => {
  let detector: Detector;
  before(async () => {
    detector = await loadObjectDetector();
  });
  after(async () => {
    await detector.close!();
  });

  async function objectsOf(name: string, properties: Properties = {}): Promise<FoundTrack[]> {
    return all(detector.image!(await readImage(sample(name)), await jobOf('objects', properties)));
  }

  it('knows images and videos, no sound', () => {
    const known = (['image', 'video', 'audio'] as const).map((method) => typeof detector[method]);
    expect(known).to.deep.equal(['function', 'function', 'undefined']);
  });

  it('brings pipelines for objects, persons and vehicles', async () => {
    const { algorithm, actions, pipelines } = await descriptorOf('objects');
    expect([algorithm.name, algorithm.trackType]).to.deep.equal(['OBJECT', 'CLASS']);
    expect(pipelines.map(({ name }) => name)).to.deep.equal([
      'OBJECT DETECTION PIPELINE',
      'PERSON DETECTION PIPELINE',
      'VEHICLE DETECTION PIPELINE',
      'MOTION THEN OBJECT DETECTION PIPELINE',
      'PERSON DETECTION WITH TRACKING AND MARKUP PIPELINE',
    ]);
    const frame = picture(32, 32, () => [0, 0, 0]);
    for (const { properties } of actions) {
      const job = await jobOf(
        'objects',
        Object.fromEntries(properties.map(({ name, value }) => [name, value])),
      );
      expect(await all(detector.image!(frame, job))).to.deep.equal([]);
    }
  });

  // Boxes marked by hand.
  for (const [name, classification, box] of [
    ['astronaut.png', 'person', { x: 20, y: 5, width: 350, height: 507 }],
    ['grace_hopper_512x512.jpg', 'person', { x: 10, y: 5, width: 502, height: 507 }],
    ['camera.png', 'person', { x: 10, y: 70, width: 310, height: 442 }],
    ['chelsea.png', 'cat', { x: 0, y: 0, width: 440, height: 300 }],
    ['red-car.jpg', 'car', { x: 18, y: 10, width: 205, height: 142 }],
    ['lp-bmw.jpg', 'car', { x: 110, y: 140, width: 600, height: 420 }],
  ] as const)
    it(`finds the ${classification} of ${name}`, async () => {
      const [best, ...others] = (await objectsOf(name)).toSorted((a, b) => b.confidence - a.confidence);
      expect(nameOf(best!)).to.equal(classification);
      expect(best!.detections[0]!.properties).to.deep.equal({ CLASSIFICATION: classification });
      expect(iou(best!.detections[0]!, box)).to.be.at.least(0.75);
      for (const other of others) expect(iou(other.detections[0]!, box)).to.be.below(0.75);
    });

  it('finds the runners and the spectators of race.jpg, and nothing but them', async () => {
    const tracks = await objectsOf('race.jpg');
    expect(new Set(tracks.map(nameOf))).to.deep.equal(new Set(['person']));
    expect(tracks.length).to.be.within(9, 16);
    for (const runner of [
      { x: 365, y: 14, width: 132, height: 408 },
      { x: 130, y: 32, width: 127, height: 354 },
      { x: 517, y: 41, width: 97, height: 233 },
    ])
      expect(Math.max(...tracks.map(({ detections }) => iou(detections[0]!, runner)))).to.be.at.least(0.8);
  });

  it('finds nothing in rocket.jpg', async () => {
    expect(await objectsOf('rocket.jpg')).to.deep.equal([]);
  });

  it('reports only the classes of CLASS_ALLOW_LIST, in whatever case they are written', async () => {
    const findObjects = async (list: string) =>
      (await objectsOf('grace_hopper_512x512.jpg', { CLASS_ALLOW_LIST: list })).map(nameOf);
    expect(await findObjects('')).to.include.members(['person', 'tie']);
    expect(await findObjects(' Person ;CAR')).to.deep.equal(['person']);
    expect(await findObjects('tie')).to.deep.equal(['tie']);
    expect(await findObjects('traffic light;')).to.deep.equal([]);
  });

  it('refuses a class that it does not know, and says which ones it knows', async () => {
    const refused = (await objectsOf('red-car.jpg', { CLASS_ALLOW_LIST: 'person;unicorn' }).catch(
      (error: unknown) => error,
    )) as { code: string; message: string };
    expect(refused.code).to.equal('INVALID_PROPERTY');
    expect(refused.message)
      .to.include('"unicorn"')
      .and.to.match(/Classes: person; bicycle; car;/);
  });

  it('finds more below the default threshold and less above it', async () => {
    const count = async (threshold: string) =>
      (await objectsOf('race.jpg', { CONFIDENCE_THRESHOLD: threshold })).length;
    const [few, usual, many] = [await count('0.7'), await count('0.4'), await count('0.2')];
    expect(few).to.be.within(1, usual - 1);
    expect(many).to.be.greaterThan(usual);
  });

  /** The colour at this point after the image is resized to this size. */
  const colourShown = (image: Frame, x: number, y: number, width: number, height: number): Colour => {
    const column = Math.floor((x * image.width) / width);
    const i = (Math.floor((y * image.height) / height) * image.width + column) * 3;
    return [image.data[i]!, image.data[i + 1]!, image.data[i + 2]!];
  };

  it('follows a person through a video, as one track', async () => {
    const race = await readImage(sample('race.jpg'));
    const leftOf = (frame: number) => 220 + frame * 4;
    const video = paintVideo({ width: 300, height: 428, frames: 24, interval: 4 }, (x, y, frame) =>
      colourShown(race, x + leftOf(frame), y, race.width, race.height),
    );
    const tracks = await all(detector.video!(video, await jobOf('objects')));
    const runner = (frame: number) => ({ x: 365 - leftOf(frame), y: 14, width: 132, height: 408 });
    const his = tracks.filter(({ detections }) =>
      detections.some((detection) => iou(detection, runner(detection.frame)) > 0.7),
    );
    expect(spans(his)).to.deep.equal([[0, 20]]);
    expect(his[0]!.detections).to.have.length(6);
    expect(his[0]!.confidence).to.equal(Math.max(...his[0]!.detections.map(({ confidence }) => confidence)));
    expect(his[0]!.properties).to.deep.equal({ CLASSIFICATION: 'person' });
    for (const detection of his[0]!.detections) {
      expect(iou(detection, runner(detection.frame))).to.be.at.least(0.7);
      expect(detection.properties).to.deep.equal({ CLASSIFICATION: 'person' });
    }
  });

  it('never makes one track of objects of two classes', async () => {
    const cat = await readImage(sample('chelsea.png'));
    const car = await readImage(sample('lp-bmw.jpg'));
    const video = paintVideo({ width: 400, height: 300, frames: 4 }, (x, y, frame) =>
      colourShown(frame < 2 ? cat : car, x, y, 400, 300),
    );
    const job = await jobOf('objects', { CONFIDENCE_THRESHOLD: '0.5', TRACKING_MAX_DISTANCE: '5' });
    const tracks = await all(detector.video!(video, job));
    expect(tracks.map((track) => [nameOf(track), ...spans([track])[0]!])).to.deep.equal([
      ['cat', 0, 1],
      ['car', 2, 3],
    ]);
  });

  it('takes frames of any size, as regions of tracks have them', async () => {
    const large = await readImage(sample('astronaut.png'));
    const small = picture(256, 200, (x, y) => {
      const i = (y * 2 * large.width + x * 2) * 3;
      return [large.data[i]!, large.data[i + 1]!, large.data[i + 2]!];
    });
    const frames = [large, { ...small, index: 1, time: 40 }, { ...picture(1, 1, () => [9, 9, 9]), index: 2 }];
    const source: FrameSource = {
      width: 512,
      height: 512,
      fps: 25,
      start: 0,
      stop: 2,
      async *frames() {
        yield* frames;
      },
    };
    const job = await jobOf('objects', { CLASS_ALLOW_LIST: 'person' });
    const boxes = (await all(detector.video!(source, job))).flatMap(({ detections }) => detections);
    expect(new Set(boxes.map(({ frame }) => frame))).to.deep.equal(new Set([0, 1]));
    expect(boxes).to.have.length(2);
    for (const { frame, x, y, width, height } of boxes) {
      expect(x + width).to.be.at.most(frames[frame]!.width);
      expect(y + height).to.be.at.most(frames[frame]!.height);
    }
  });

  it('reports nothing of a warm-up', async () => {
    const job = await jobOf('objects', { CLASS_ALLOW_LIST: 'person' });
    const options = { range: { start: 48, stop: 49 }, contextFrames: 2 };
    const tracks = await withVideo('scenes_pd.mp4', options, (video) => all(detector.video!(video, job)));
    expect(spans(tracks)).to.deep.equal([[48, 49]]);
  });

  it('refuses values that are no numbers or no classes', async () => {
    const frame = picture(32, 32, () => [0, 0, 0]);
    expect(await acceptsBroken('objects', (job) => detector.image!(frame, job))).to.deep.equal([]);
  });

  it('stops when the job is cancelled', async () => {
    const job = { ...(await jobOf('objects')), signal: AbortSignal.abort(new Error('cancelled')) };
    const frame = picture(32, 32, () => [0, 0, 0]);
    const run = all(detector.image!(frame, job));
    expect(await run.catch((error: Error) => error.message)).to.equal('cancelled');
  });
});
