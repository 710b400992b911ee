import { expect } from 'chai';
import loadFaceDetector from '../../../../components/detectors/faces/detector.ts';
import type { Detector, FoundTrack } from '../../../../components/sdk/detector.ts';
import { readImage } from '../../../../media/picture/image-frame.ts';
import type { Properties } from '../../../../domain/types.ts';
import { sample, withVideo } from '../../models/recorded-media.ts';
import { acceptsBroken, all, descriptorOf, jobOf, picture, spans } from '../../visual.ts';
import { iou } from '../../../../domain/geometry/geometry.ts';

/** `isLong`: includes larger variations and other values of the same cases. */
export function faces({ isLong }: { readonly isLong: boolean }): void {
  describe('The face component', () => {
    let detector: Detector;
    let handlersBefore: number[];
    const crashHandlers = (): number[] =>
      ['uncaughtException', 'unhandledRejection'].map((event) => process.listenerCount(event));
    before(async () => {
      handlersBefore = crashHandlers();
      detector = await loadFaceDetector();
    });
    after(async () => {
      await detector.close!();
    });

    async function facesOf(name: string, properties: Properties = {}): Promise<FoundTrack[]> {
      return all(detector.image!(await readImage(sample(name)), await jobOf('faces', properties)));
    }

    it('knows images and videos, no sound', () => {
      const known = (['image', 'video', 'audio'] as const).map((method) => typeof detector[method]);
      expect(known).to.deep.equal(['function', 'function', 'undefined']);
    });

    it('brings its pipelines', async () => {
      const { algorithm, actions, tasks, pipelines } = await descriptorOf('faces');
      expect([algorithm.name, algorithm.trackType]).to.deep.equal(['FACE', 'FACE']);
      expect(pipelines.map(({ name }) => name)).to.deep.equal([
        'FACE DETECTION PIPELINE',
        'FACE DETECTION WITH MARKUP PIPELINE',
        'MOTION THEN FACE DETECTION PIPELINE',
        'PERSON THEN FACE DETECTION PIPELINE',
      ]);
      expect(tasks[0]!.name).to.deep.equal(pipelines[0]!.tasks[0]);
      expect(tasks.flatMap((task) => task.actions)).to.deep.equal(actions.map(({ name }) => name));
    });

    it('leaves no handlers for the crashes of its process behind', () => {
      expect(crashHandlers()).to.deep.equal(handlersBefore);
    });

    for (const [name, box] of [
      ['astronaut.png', { x: 172, y: 74, width: 106, height: 106 }],
      ['grace_hopper_512x512.jpg', { x: 176, y: 110, width: 180, height: 190 }],
    ] as const)
      it(`finds the one face of ${name}`, async () => {
        const tracks = await facesOf(name);
        expect(tracks).to.have.length(1);
        expect(tracks[0]!.confidence).to.be.at.least(0.8);
        expect(iou(tracks[0]!.detections[0]!, box)).to.be.at.least(0.7);
      });

    for (const name of isLong ? ['chelsea.png', 'coffee.png', 'rocket.jpg'] : ['coffee.png'])
      it(`finds no face in ${name}, neither in all nor in parts of it`, async () => {
        expect(await facesOf(name)).to.deep.equal([]);
        expect(await facesOf(name, { FIND_SMALL_FACES: 'NEVER' })).to.deep.equal([]);
      });

    it('finds more, of which some are none, below the default threshold', async () => {
      const properties = { CONFIDENCE_THRESHOLD: '0.7', FIND_SMALL_FACES: 'NEVER' };
      expect(await facesOf('chelsea.png', properties)).to.have.length(1);
    });

    it('leaves out faces smaller than MIN_FACE_SIZE', async () => {
      expect(await facesOf('astronaut.png', { MIN_FACE_SIZE: '120' })).to.deep.equal([]);
    });

    it('finds a small face in a large image unless told not to look closely', async () => {
      const astronaut = await readImage(sample('astronaut.png'));
      const image = picture(1600, 900, (x, y) => {
        const [left, top] = [(x - 1000) * 2, (y - 400) * 2];
        if (left < 0 || top < 0 || left >= 512 || top >= 512) return [90, 110, 130];
        const i = (top * 512 + left) * 3;
        return [astronaut.data[i]!, astronaut.data[i + 1]!, astronaut.data[i + 2]!];
      });
      const find = async (where: string): Promise<FoundTrack[]> =>
        all(detector.image!(image, await jobOf('faces', { FIND_SMALL_FACES: where })));
      expect(await find('NEVER')).to.deep.equal([]);
      const tracks = await find('IMAGES');
      expect(tracks).to.have.length(1);
      expect(iou(tracks[0]!.detections[0]!, { x: 1086, y: 437, width: 53, height: 53 })).to.be.at.least(0.5);
    });

    it('follows the face of face_move.mp4 in every frame in which it is there, as one track', async () => {
      const job = await jobOf('faces');
      const tracks = await withVideo('face_move.mp4', {}, (video) => all(detector.video!(video, job)));
      expect(spans(tracks)).to.deep.equal([[10, 89]]);
      expect(tracks[0]!.detections).to.have.length(80);
      expect(tracks[0]!.confidence).to.equal(
        Math.max(...tracks[0]!.detections.map(({ confidence }) => confidence)),
      );
      for (const { frame, x, y, width, height } of tracks[0]!.detections) {
        expect(x + width / 2).to.be.closeTo(20 + 4 * (frame - 10) + 115, 12);
        expect(y + height / 2).to.be.closeTo(60 + 107, 12);
      }
    });

    it('keeps it one track when only every eighth frame is looked at', async () => {
      const job = await jobOf('faces');
      const tracks = await withVideo('face_move.mp4', { interval: 8 }, (video) =>
        all(detector.video!(video, job)),
      );
      expect(spans(tracks)).to.deep.equal([[16, 88]]);
      expect(tracks[0]!.detections).to.have.length(10);
    });

    if (isLong)
      it('ends the track of a face with its scene', async () => {
        const job = await jobOf('faces');
        const tracks = await withVideo('scenes_pd.mp4', {}, (video) => all(detector.video!(video, job)));
        expect(spans(tracks)).to.deep.equal([[0, 49]]);
      });

    it('reports nothing of a warm-up', async () => {
      const job = await jobOf('faces');
      const options = { range: { start: 40, stop: 60 }, contextFrames: 20 };
      const tracks = await withVideo('scenes_pd.mp4', options, (video) => all(detector.video!(video, job)));
      expect(spans(tracks)).to.deep.equal([[40, 49]]);
    });

    it('refuses values that are no numbers or none of the words', async () => {
      const frame = picture(32, 32, () => [0, 0, 0]);
      expect(await acceptsBroken('faces', (job) => detector.image!(frame, job))).to.deep.equal([]);
    });

    it('stops when the job is cancelled', async () => {
      const job = { ...(await jobOf('faces')), signal: AbortSignal.abort(new Error('cancelled')) };
      const run = all(
        detector.image!(
          picture(32, 32, () => [0, 0, 0]),
          job,
        ),
      );
      expect(await run.catch((error: Error) => error.message)).to.equal('cancelled');
    });
  });
}
