import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import loadFaces from '../../../components/detectors/faces/detector.ts';
import loadMotion from '../../../components/detectors/motion/detector.ts';
import { shrinker } from '../../../components/detectors/motion/shrink.ts';
import loadScenes from '../../../components/detectors/scenes/detector.ts';
import loadText from '../../../components/detectors/text/detector.ts';
import type { Detector, Frame } from '../../../components/sdk/detector.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import { openVideo } from '../../../media/video/video-frames.ts';
import type { ReportedDetection } from '../../../domain/types.ts';
import {
  answerTo,
  defaultsOf,
  FACE_VIDEO,
  fedTrack,
  medium,
  seenAt,
  video,
  witness,
  type Shown,
} from './feed-forward-parts.ts';
import { sample } from '../models/recorded-media.ts';
import { NO_MODELS, picture } from '../visual.ts';
import { iou } from '../../../domain/geometry/geometry.ts';

/** The face in face_move.mp4 with some margin. */
const faceAt = (frame: number) => ({ x: 75 + 4 * (frame - 10), y: 100, width: 130, height: 130 });
/** The face in astronaut.png. */
const ASTRONAUT = { x: 172, y: 74, width: 106, height: 106 };
/** The second line of gen_text.png. */
const SECOND_LINE = 'The quick brown fox jumps.';
const WHOLE = { x: 0, y: 0, width: 640, height: 360 };

const centre = ({ x, y, width, height }: ReportedDetection) => ({ x: x + width / 2, y: y + height / 2 });
const boxOf = ({ x, y, width, height }: ReportedDetection) => ({ x, y, width, height });
const callsOf = (shown: readonly Shown[]) => shown.map(({ call, index }) => [call, index]);

async function framesOf(path: string): Promise<Frame[]> {
  const frames: Frame[] = [];
  const reader = await openVideo(path);
  for await (const frame of reader.frames()) frames.push({ ...frame, data: Uint8Array.from(frame.data) });
  return frames;
}

/** Copies a part of an upright picture pixel by pixel. */
function partOf({ data, width }: Frame, box: typeof WHOLE): Uint8Array {
  const rows = Array.from({ length: box.height }, (_, row) => {
    const at = ((box.y + row) * width + box.x) * 3;
    return data.subarray(at, at + box.width * 3);
  });
  return Uint8Array.from(Buffer.concat(rows));
}

/** `isLong`: includes larger variations and other values of the same cases. */
export function feedForward({ isLong }: { readonly isLong: boolean }): void {
  describe('Tracks that are fed forward', () => {
    let faces: Detector;
    let text: Detector;
    let folder = '';
    /** All frames of FACE_VIDEO. */
    let all: readonly Frame[];
    before(async () => {
      all = await framesOf(sample('face_move.mp4'));
      folder = mkdtempSync(join(tmpdir(), 'troupe-fed-'));
      [faces, text] = [await loadFaces(), await loadText(NO_MODELS)];
    });
    after(async () => {
      await Promise.all([faces.close!(), text.close!()]);
      rmSync(folder, { recursive: true, force: true });
    });

    describe('as FRAME', () => {
      it('show the frames of their detections, whole, and no others', async () => {
        const detector = witness();
        const track = fedTrack([3, 4, 70, 99].map((frame) => seenAt(frame, faceAt(10))));
        await answerTo(detector, { medium: FACE_VIDEO, feed: { type: 'FRAME' } }, [track]);
        expect(callsOf(detector.shown)).to.deep.equal([[0, 3], [0, 4], [0, 70], [0, 99]]); // oxfmt-ignore
        for (const { index, time, width, height, data, warmUp } of detector.shown) {
          expect([time, width, height, warmUp]).to.deep.equal([index * 40, 640, 360, false]);
          expect(Buffer.compare(data, all[index]!.data)).to.equal(0);
        }
      });

      it('leave FRAME_INTERVAL, USE_KEY_FRAMES and SEARCH_REGION aside', async () => {
        const detector = witness();
        const properties = {
          FRAME_INTERVAL: '10',
          USE_KEY_FRAMES: 'true',
          SEARCH_REGION_ENABLE_DETECTION: 'true',
          SEARCH_REGION_TOP_LEFT_X_DETECTION: '100',
        };
        const track = fedTrack([seenAt(5, WHOLE), seenAt(6, WHOLE)]);
        await answerTo(detector, { medium: FACE_VIDEO, properties, feed: { type: 'FRAME' } }, [track]);
        expect(detector.shown.map(({ index, width }) => [index, width])).to.deep.equal([[5, 640], [6, 640]]); // oxfmt-ignore
      });

      it('are turned as the properties say, and what is found is put back into the medium', async () => {
        const detector = witness({ x: 10, y: 20, width: 30, height: 40 });
        const track = fedTrack([seenAt(5, WHOLE)]);
        const work = { medium: FACE_VIDEO, properties: { ROTATION: '90' }, feed: { type: 'FRAME' } } as const;
        const { tracks } = await answerTo(detector, work, [track]);
        expect([detector.shown[0]!.width, detector.shown[0]!.height]).to.deep.equal([360, 640]);
        const { properties, ...box } = tracks[0]!.detections[0]!;
        expect(box).to.include({ x: 20, y: 350, width: 30, height: 40 });
        expect(properties['ROTATION']).to.equal('90');
      });
    });

    describe('as REGION', () => {
      it('show each detection cut out of its frame', async () => {
        const detector = witness();
        const boxes = [
          { x: 5, y: 6, width: 70, height: 80 },
          { x: 600, y: 300, width: 100, height: 100 },
        ];
        await answerTo(detector, { medium: FACE_VIDEO }, [
          fedTrack([seenAt(50, boxes[0]!), seenAt(51, boxes[1]!)]),
        ]);
        const [first, second] = detector.shown;
        expect(Buffer.compare(first!.data, partOf(all[50]!, boxes[0]!))).to.equal(0);
        const clipped = { x: 600, y: 300, width: 40, height: 60 };
        expect(Buffer.compare(second!.data, partOf(all[51]!, clipped))).to.equal(0);
        expect([second!.width, second!.height]).to.deep.equal([40, 60]);
        const { width, height, start, stop } = detector.sources[0]!;
        expect([width, height, start, stop]).to.deep.equal([70, 80, 50, 51]);
      });

      it('let the face be found that is in them, at its place in the medium', async () => {
        const frames = Array.from({ length: 20 }, (_, i) => 4 * i + 10);
        const track = fedTrack(frames.map((frame) => seenAt(frame, faceAt(frame))));
        const work = { medium: FACE_VIDEO, properties: await defaultsOf('faces') };
        const { tracks, progress } = await answerTo(faces, work, [track]);
        expect(tracks).to.have.length(1);
        expect(tracks[0]).to.include({ fed: 0, startFrame: 10, stopFrame: 86 });
        expect(tracks[0]).to.not.have.property('type');
        expect(tracks[0]!.detections.map(({ frame }) => frame)).to.deep.equal(frames);
        for (const detection of tracks[0]!.detections) {
          expect(centre(detection).x).to.be.closeTo(20 + 4 * (detection.frame - 10) + 115, 15);
          expect(centre(detection).y).to.be.closeTo(60 + 107, 15);
        }
        expect(progress.at(0)).to.deep.equal([1, 20]);
        expect(progress.at(-1)).to.deep.equal([20, 20]);
      });

      it('stand upright in a picture that is turned or mirrored', async () => {
        const upright = await readImage(sample('astronaut.png'));
        const turned = join(folder, 'turned.png');
        await sharp(sample('astronaut.png')).rotate(270).toFile(turned);
        const mirrored = join(folder, 'mirrored.png');
        await sharp(sample('astronaut.png')).flop().toFile(mirrored);
        const { x, y, width, height } = ASTRONAUT;
        const cases = [
          [turned, { x: y, y: 512 - x, width, height }, { ROTATION: '90' }],
          [mirrored, { x: 512 - x, y, width, height }, { HORIZONTAL_FLIP: 'TRUE' }],
        ] as const;
        for (const [path, box, properties] of cases) {
          const detector = witness({ x: 0, y: 0, width, height });
          const track = fedTrack([seenAt(0, box, properties)]);
          const { tracks } = await answerTo(detector, { medium: medium('IMAGE', path) }, [track]);
          expect(Buffer.compare(detector.shown[0]!.data, partOf(upright, ASTRONAUT)), path).to.equal(0);
          const [found] = tracks[0]!.detections;
          expect(boxOf(found!), path).to.deep.equal(box);
          expect(found!.properties).to.include(properties);
        }
      });

      it('let a line be read that lies aslant, and say how it lies', async () => {
        const aslant = join(folder, 'aslant.png');
        await sharp(sample('gen_text.png')).flatten().rotate(-150, { background: 'white' }).toFile(aslant);
        const [upright, turned] = [await readImage(sample('gen_text.png')), await readImage(aslant)];
        const [sin, cos] = [Math.sin((150 * Math.PI) / 180), Math.cos((150 * Math.PI) / 180)];
        const storedBox = (x: number, y: number) => {
          const [right, down] = [x - upright.width / 2, y - upright.height / 2];
          return {
            x: turned.width / 2 + right * cos + down * sin,
            y: turned.height / 2 - right * sin + down * cos,
          };
        };
        // The letters of the second line reach from (21, 125) to (459, 157).
        const line = { ...storedBox(11, 115), width: 458, height: 52 };
        const work = { medium: medium('IMAGE', aslant), properties: await defaultsOf('text') };
        const { tracks } = await answerTo(text, work, [fedTrack([seenAt(0, line, { ROTATION: '150' })])]);
        expect(tracks.map(({ properties }) => properties['TEXT'])).to.deep.equal([SECOND_LINE]);
        const found = tracks[0]!.detections[0]!;
        expect(found.properties['ROTATION']).to.equal('150');
        const corner = storedBox(21, 125);
        expect(Math.hypot(found.x - corner.x, found.y - corner.y)).to.be.at.most(10);
        expect(found.width).to.be.closeTo(438, 16);
      });

      it('tell how a slanting line lies in the stored picture, however its frame is rotated', async () => {
        const [aslant, mirrored] = [join(folder, 'slanting.png'), join(folder, 'mirrored.png')];
        await sharp(sample('gen_text.png')).flatten().rotate(-150, { background: 'white' }).toFile(aslant);
        await sharp(aslant).flop().toFile(mirrored);
        const { width, height } = await readImage(aslant);
        const [sin, cos] = [Math.sin((150 * Math.PI) / 180), Math.cos((150 * Math.PI) / 180)];
        // The letters of the second line begin at (21, 125) of 640 x 200.
        const [right, down] = [21 - 320, 125 - 100];
        const corner = { x: width / 2 + right * cos + down * sin, y: height / 2 - right * sin + down * cos };
        for (const [uri, lies, flip] of [
          ...(isLong
            ? ([
                [aslant, {}, undefined],
                [aslant, { ROTATION: '90' }, undefined],
                [aslant, { ROTATION: '200' }, undefined],
              ] as const)
            : []),
          [mirrored, { HORIZONTAL_FLIP: 'TRUE', ROTATION: '40' }, 'TRUE'],
        ] as const) {
          const properties = { ...(await defaultsOf('text')), ...lies };
          const all = { x: 0, y: 0, width, height };
          const work = { medium: medium('IMAGE', uri), properties, feed: { type: 'FRAME' } } as const;
          const { tracks } = await answerTo(text, work, [fedTrack([seenAt(0, all)])]);
          const found = tracks.find((track) => track.properties['TEXT'] === SECOND_LINE)?.detections[0];
          expect(found, JSON.stringify(lies)).to.not.equal(undefined);
          expect(Number(found!.properties['ROTATION'])).to.be.closeTo(150, 1.5);
          expect(found!.properties['HORIZONTAL_FLIP']).to.equal(flip);
          const x = flip === undefined ? found!.x : width - found!.x;
          expect(Math.hypot(x - corner.x, found!.y - corner.y), JSON.stringify(lies)).to.be.at.most(20);
        }
      });

      it('leave out what lies outside of the picture, and ask nothing when nothing is left', async () => {
        const outside = { x: 700, y: 10, width: 50, height: 50 };
        const detector = witness({ x: 0, y: 0, width: 5, height: 5 });
        const tracks = [
          fedTrack([seenAt(4, outside), seenAt(5, faceAt(20)), seenAt(6, { ...outside, x: 5, width: 0 })]),
          fedTrack([seenAt(7, outside)]),
          fedTrack([seenAt(8, faceAt(20))]),
        ];
        const answer = await answerTo(detector, { medium: FACE_VIDEO }, tracks);
        expect(callsOf(detector.shown)).to.deep.equal([[0, 5], [1, 8]]); // oxfmt-ignore
        expect(answer.tracks.map(({ fed }) => fed)).to.deep.equal([0, 2]);
      });
    });

    describe('as SUPERSET_REGION', () => {
      it('show the one box around all of their boxes', async () => {
        const detector = witness({ x: 1, y: 2, width: 3, height: 4 });
        const track = fedTrack([
          seenAt(20, { x: 100, y: 50, width: 20, height: 30 }),
          seenAt(30, { x: 40, y: 70, width: 50, height: 100 }),
        ]);
        const work = { medium: FACE_VIDEO, feed: { type: 'SUPERSET_REGION' } } as const;
        const { tracks } = await answerTo(detector, work, [track]);
        const around = { x: 40, y: 50, width: 80, height: 120 };
        for (const { index, data } of detector.shown)
          expect(Buffer.compare(data, partOf(all[index]!, around))).to.equal(0);
        expect(tracks.map(({ detections }) => boxOf(detections[0]!))).to.deep.equal([
          { x: 41, y: 52, width: 3, height: 4 },
          { x: 41, y: 52, width: 3, height: 4 },
        ]);
      });

      it('lie as the first of their boxes', async () => {
        const detector = witness();
        const track = fedTrack([
          seenAt(20, { x: 100, y: 200, width: 60, height: 30 }, { ROTATION: '90' }),
          seenAt(21, { x: 120, y: 150, width: 40, height: 20 }),
        ]);
        await answerTo(detector, { medium: FACE_VIDEO, feed: { type: 'SUPERSET_REGION' } }, [track]);
        // In stored pixels, the first covers x 100 to 130 and y 140 to 200, the second x 120 to 160 and y 150
        // to 170.
        expect(detector.shown.map(({ width, height }) => [width, height])).to.deep.equal([[60, 60], [60, 60]]); // oxfmt-ignore
      });
    });

    it('are worked on one by one, each with what is known of it', async () => {
      const fed: unknown[] = [];
      const detector = witness({ x: 0, y: 0, width: 5, height: 5 });
      const asked: Detector = {
        video: (source, job) => {
          fed.push(job.fed?.properties['NAME'], job.allFed);
          return detector.video!(source, job);
        },
      };
      const trackNamed = (NAME: string, frame: number) =>
        fedTrack([seenAt(frame, faceAt(20))], { properties: { NAME } });
      const { tracks } = await answerTo(asked, { medium: FACE_VIDEO }, [
        trackNamed('a', 40),
        trackNamed('b', 30),
      ]);
      expect(fed).to.deep.equal(['a', undefined, 'b', undefined]);
      expect(callsOf(detector.shown)).to.deep.equal([[0, 40], [1, 30]]); // oxfmt-ignore
      expect(tracks.map(({ fed: line, startFrame }) => [line, startFrame])).to.deep.equal([[0, 40], [1, 30]]); // oxfmt-ignore
    });

    it('are processed together with FEED_FORWARD_ALL_TRACKS; results belong to their track', async () => {
      const faceAndCorner = [
        fedTrack([20, 40].map((frame) => seenAt(frame, { x: 560, y: 300, width: 60, height: 50 }))),
        fedTrack([20, 30].map((frame) => seenAt(frame, faceAt(frame)))),
      ];
      const work = { medium: FACE_VIDEO, properties: await defaultsOf('faces'), feed: { allTracks: true } };
      const detector = witness();
      const together: (number | undefined)[] = [];
      const asked: Detector = {
        video: (source, job) => {
          together.push(job.allFed?.length);
          return detector.video!(source, job);
        },
      };
      await answerTo(asked, work, faceAndCorner);
      expect(together).to.deep.equal([2]);
      expect(callsOf(detector.shown)).to.deep.equal([[0, 20], [0, 30], [0, 40]]); // oxfmt-ignore
      const { tracks } = await answerTo(faces, work, faceAndCorner);
      expect(tracks.length).to.be.at.least(1);
      for (const { fed, detections } of tracks) {
        expect(fed).to.equal(1);
        for (const detection of detections)
          expect(iou(detection, faceAt(detection.frame))).to.be.at.least(0.4);
      }
    });

    it('come back with more properties when the action annotates, changed or not', async () => {
      const picture = medium('IMAGE', sample('gen_text.png'));
      const work = { medium: picture, properties: await defaultsOf('text'), feed: { annotate: true } };
      const line = { x: 10, y: 110, width: 470, height: 60 };
      const sign = fedTrack([seenAt(0, line, { COLOUR: 'black' })], { properties: { COLOUR: 'black' } });
      const empty = fedTrack([seenAt(0, { x: 500, y: 100, width: 40, height: 40 })]);
      const { tracks } = await answerTo(text, work, [sign, empty]);
      const TEXT = SECOND_LINE;
      expect(tracks).to.have.length(2);
      expect(tracks[0]).to.deep.include({ fed: 0, type: 'THING', confidence: 0.5 });
      expect(tracks[0]!.properties).to.deep.equal({ COLOUR: 'black', TEXT });
      expect(tracks[0]!.detections).to.deep.equal([{ ...seenAt(0, line, { COLOUR: 'black', TEXT }) }]);
      const { task: _task, line: _line, ...unchanged } = empty;
      expect(tracks[1]).to.deep.equal({ fed: 1, ...unchanged });
    });

    it('take the best of what is found in them, its detections frame by frame', async () => {
      const work = { medium: FACE_VIDEO, feed: { annotate: true } };
      let confidence = 0;
      const rising: Detector = {
        async *video(source) {
          for await (const { index: frame } of source.frames()) {
            confidence += 0.1;
            const properties = { SEEN_IN: String(frame), ROTATION: '90' };
            const box = { frame, x: 0, y: 0, width: 5, height: 5, confidence, properties };
            yield { confidence, properties: { SEEN_IN: String(frame) }, detections: [box] };
          }
        },
      };
      const track = fedTrack([20, 21].map((frame) => seenAt(frame, faceAt(frame))));
      const { tracks } = await answerTo(rising, work, [track]);
      expect(tracks).to.have.length(1);
      expect(tracks[0]!.properties).to.deep.equal({ FOUND_BY: 'test', SEEN_IN: '21' });
      expect(tracks[0]!.detections).to.deep.equal([
        seenAt(20, faceAt(20)),
        seenAt(21, faceAt(21), { SEEN_IN: '21' }),
      ]);
    });

    it('are asked about by themselves when the detector reads tracks: the medium is not opened', async () => {
      const reader: Detector = {
        async *fed({ properties }) {
          const text = properties['TEXT'];
          if (text !== undefined) yield { confidence: 0.8, properties: { UPPER: text.toUpperCase() } };
        },
      };
      const box = { x: 1, y: 2, width: 3, height: 4 };
      const tracks = [
        fedTrack([seenAt(3, box, { OWN: '1' }), seenAt(4, box)], { properties: { TEXT: 'abc' } }),
        fedTrack([seenAt(5, box)]),
      ];
      const nowhere = { ...FACE_VIDEO, path: join(folder, 'nowhere.mp4') };
      const plain = await answerTo(reader, { medium: nowhere }, tracks);
      const properties = { TEXT: 'abc', UPPER: 'ABC' };
      const more = { UPPER: 'ABC' };
      expect(plain.tracks).to.deep.equal([
        {
          ...{
            fed: 0,
            startFrame: 3,
            stopFrame: 4,
            startTime: 120,
            stopTime: 160,
            confidence: 0.8,
            properties,
          },
          detections: [
            { ...seenAt(3, box, { OWN: '1', ...more }), confidence: 0.8 },
            { ...seenAt(4, box, more), confidence: 0.8 },
          ],
        },
      ]);
      const [first = 0, second = 0] = tracks.map((track) => Buffer.byteLength(`${JSON.stringify(track)}\n`));
      const bytes = first + second;
      expect(plain.progress, 'bytes that are read').to.deep.equal([[first, bytes], [bytes, bytes]]); // oxfmt-ignore
      const annotated = await answerTo(reader, { medium: nowhere, feed: { annotate: true } }, tracks);
      const { task: _task, line: _line, ...unchanged } = tracks[1]!;
      expect(annotated.tracks).to.deep.equal([
        { ...plain.tracks[0]!, type: 'THING' },
        { fed: 1, ...unchanged },
      ]);
    });

    it('are refused by a detector that does not know the type of the medium', async () => {
      for (const mediaType of ['AUDIO', 'UNKNOWN'] as const) {
        const asked = answerTo(witness(), { medium: medium(mediaType, 'x') }, [fedTrack([seenAt(0, WHOLE)])]);
        const code = await asked.then(() => 'accepted', (error: { code?: string }) => error.code); // oxfmt-ignore
        expect(code).to.equal('UNSUPPORTED_DATA_TYPE');
      }
    });

    describe('under detectors that compare frames', () => {
      const growBoxes = (frames: number, start = 0) =>
        fedTrack(
          Array.from({ length: frames }, (_, i) =>
            seenAt(start + i, {
              x: 150 + (i % 7),
              y: 80,
              width: 200 + 3 * (i % 5),
              height: 170 - 2 * (i % 3),
            }),
          ),
        );

      if (isLong)
        it('show motion in regions that change their size', async () => {
          const detector = await loadMotion();
          const properties = { ...(await defaultsOf('motion')), LEARNING_FRAMES: '5', MIN_DETECTIONS: '3' };
          const { tracks } = await answerTo(detector, { medium: FACE_VIDEO, properties }, [growBoxes(60)]);
          expect(tracks.length).to.be.at.least(1);
          for (const { x, y, width, height } of tracks.flatMap(({ detections }) => detections)) {
            expect([x >= 150, y >= 80, x + width <= 369, y + height <= 250]).to.deep.equal([
              true,
              true,
              true,
              true,
            ]);
          }
        });

      it('show no motion where regions of changing size show a thing at rest', async () => {
        const detector = await loadMotion();
        const properties = { ...(await defaultsOf('motion')), LEARNING_FRAMES: '3' };
        const still = fedTrack(
          Array.from({ length: 10 }, (_, i) =>
            seenAt(90 + i, { x: 200, y: 80, width: 200 + (i % 2), height: 150 }),
          ),
        );
        const { tracks } = await answerTo(detector, { medium: FACE_VIDEO, properties }, [still]);
        expect(tracks).to.deep.equal([]);
      });

      it('are brought to one size before they are compared', () => {
        const shrink = shrinker(200, 100, 50);
        const ramp = (width: number, height: number) =>
          picture(
            width,
            height,
            (x) => Array<number>(3).fill(Math.floor((x * 200) / width)) as [number, number, number],
          );
        const [first, ...others] = [ramp(200, 100), ramp(260, 90), ramp(25, 12)].map((frame) => [
          ...shrink(frame).data,
        ]);
        expect(first).to.have.length(50 * 25);
        for (const other of others) {
          const apart = other.map((level, i) => Math.abs(level - first![i]!));
          expect(Math.max(...apart)).to.be.at.most(6);
        }
      });

      it('show one text in regions that change their size', async () => {
        const properties = await defaultsOf('text');
        const track = fedTrack(
          [0, 1, 2].map((frame) => seenAt(frame, { x: frame, y: 0, width: 5000 - frame, height: 5000 })),
        );
        const { tracks } = await answerTo(text, { medium: video('hello.avi', 3, 1), properties }, [track]);
        expect(tracks.map((one) => [one.properties['TEXT'], one.detections.length])).to.deep.equal([
          ['Hello', 3],
        ]);
      });

      if (isLong)
        it('show scenes of whole frames', async () => {
          const detector = await loadScenes();
          const properties = await defaultsOf('scenes');
          const frames = Array.from({ length: 120 }, (_, i) => i + 20);
          const track = fedTrack(frames.map((frame) => seenAt(frame, WHOLE)));
          const scenes = video('scenes_pd.mp4', 250, 25);
          const feed = { type: 'FRAME' } as const;
          const { tracks } = await answerTo(detector, { medium: scenes, properties, feed }, [track]);
          expect(tracks.map(({ startFrame, stopFrame }) => [startFrame, stopFrame])).to.deep.equal([
            [20, 49],
            [50, 119],
            [120, 139],
          ]);
          const region = await answerTo(detector, { medium: scenes, properties }, [growBoxes(120, 20)]);
          expect(region.tracks.length).to.be.at.least(1);
        });
    });

    it('are not there in the first task, whatever FEED_FORWARD_TYPE says: the search region holds', async () => {
      const detector = witness();
      const properties = {
        FEED_FORWARD_TYPE: 'REGION',
        SEARCH_REGION_ENABLE_DETECTION: 'true',
        SEARCH_REGION_TOP_LEFT_X_DETECTION: '100',
      };
      await answerTo(detector, { medium: FACE_VIDEO, properties, range: { start: 5, stop: 6 } });
      expect(detector.shown.map(({ index, width }) => [index, width])).to.deep.equal([[5, 540], [6, 540]]); // oxfmt-ignore
    });
  });
}
