import { expect } from 'chai';
import sharp, { type Sharp } from 'sharp';
import load from '../../../../components/detectors/text/detector.ts';
import type { Detector, FoundTrack, Frame, FrameSource } from '../../../../components/sdk/detector.ts';
import { readImage } from '../../../../media/picture/image-frame.ts';
import { regionOf } from '../../../../media/picture/region.ts';
import type { Properties } from '../../../../domain/types.ts';
import { errors, textOf } from '../../../bench/media/accuracy.ts';
import { TEXTS } from '../../../bench/media/accuracy-truth.ts';
import { sample, withVideo } from '../../models/recorded-media.ts';
import { acceptsBroken, all, descriptorOf, jobOf, NO_MODELS, paintVideo, spans } from '../../visual.ts';

const LINES = ['HELLO OPENMPF 2026', 'The quick brown fox jumps.'];

/** A sample on white, rotated clockwise. */
async function turnSample(name: string, degrees: number): Promise<Frame> {
  return asFrame(sharp(sample(name)).removeAlpha().rotate(degrees, { background: 'white' }));
}

async function asFrame(picture: Sharp): Promise<Frame> {
  const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { index: 0, time: 0, width: info.width, height: info.height, data, warmUp: false };
}

/** Black on white. */
function drawPicture(width: number, height: number, elements: string): Buffer {
  const paper = `<rect width="${width}" height="${height}" fill="white"/>`;
  const group = `<g font-family="DejaVu Sans">${elements}</g>`;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${paper}${group}</svg>`,
  );
}

function blank(frame: Frame, level = 255): Frame {
  return { ...frame, data: new Uint8Array(frame.data.length).fill(level) };
}

/** A video of these pictures, which have the same size. */
function filmOf(pictures: readonly Frame[], warmUp = 0): FrameSource {
  const { width, height } = pictures[0]!;
  return {
    width,
    height,
    fps: 1,
    start: warmUp,
    stop: pictures.length - 1,
    async *frames(): AsyncIterable<Frame> {
      yield* pictures.map((picture, index) => ({
        ...picture,
        index,
        time: index * 1000,
        warmUp: index < warmUp,
      }));
    },
  };
}

function texts(tracks: readonly FoundTrack[]): (string | undefined)[] {
  return tracks.map(({ properties }) => properties?.['TEXT']);
}

function spaceless(tracks: readonly FoundTrack[]): (string | undefined)[] {
  return texts(tracks).map((text) => text?.replaceAll(' ', ''));
}

/** `isLong`: includes larger variations and other values of the same cases. */
export function textTests({ isLong }: { readonly isLong: boolean }): void {
  describe('The TEXT component', () => {
    let detector: Detector;
    before(async () => {
      detector = await load(NO_MODELS);
    });
    after(() => detector.close!());

    async function read(frame: Frame, properties: Properties = {}): Promise<FoundTrack[]> {
      return all(detector.image!(frame, await jobOf('text', properties)));
    }
    async function watch(source: FrameSource, properties: Properties = {}): Promise<FoundTrack[]> {
      return all(detector.video!(source, await jobOf('text', properties)));
    }

    it('reads the lines of a picture from top to bottom, one track with a close box each', async () => {
      const tracks = await read(await readImage(sample('gen_text.png')));
      expect(texts(tracks)).to.deep.equal(LINES);
      for (const { detections, confidence, properties } of tracks) {
        expect(detections).to.have.length(1);
        expect(detections[0]).to.deep.include({ frame: 0, confidence, properties });
        expect(confidence).to.be.within(0.9, 1);
      }
      // Boxes must fit the lines closely: the letters of the first reach from (23, 45) to (557, 82), those of
      // the second from (21, 125) to (459, 157).
      const drawn = [[23, 45, 557, 82], [21, 125, 459, 157]]; // oxfmt-ignore
      for (const [i, { detections }] of tracks.entries()) {
        const { x, y, width, height } = detections[0]!;
        const edges = [x, y, x + width, y + height];
        for (const [edge, at] of edges.entries())
          expect(at, `edge ${edge} of ${i}`).to.be.closeTo(drawn[i]![edge]!, 10);
      }
    });

    for (const degrees of isLong ? [0, 15, 45, 70, 90, 160, 205, 290, 315] : [205])
      it(`tells a line's box as it lies in a picture that is turned by ${degrees} degrees`, async () => {
        const frame = await turnSample('gen_text.png', degrees);
        const tracks = await read(frame);
        expect(texts(tracks)).to.deep.equal(LINES);
        for (const [i, { detections }] of tracks.entries()) {
          const { x, y, width, height, properties } = detections[0]!;
          const rotation = Number(properties!['ROTATION'] ?? 0);
          const off = Math.abs(((rotation + degrees + 180) % 360) - 180);
          expect(off, `ROTATION ${rotation}`).to.be.at.most(2);
          // Like a reader of the document, crops the region and rotates it upright.
          const region = regionOf({ x, y, width, height, properties: properties! }, frame)!;
          const cut = { ...frame, width: region.width, height: region.height, data: region.cut(frame.data) };
          expect(spaceless(await read(cut))).to.deep.equal([LINES[i]!.replaceAll(' ', '')]);
        }
      });

    for (let degrees = 20; isLong && degrees < 360; degrees += 60)
      it(`reads text that is turned by ${degrees} degrees`, async () => {
        const found = spaceless(await read(await turnSample('gen_text.png', degrees)));
        expect(found).to.deep.equal(LINES.map((line) => line.replaceAll(' ', '')));
      });

    it('reads words with wide gaps between them as one line, and no letter twice', async () => {
      // The network finds "EXIT" and "12" as two regions. With their margins, both contain the first digit.
      const sign = drawPicture(260, 90, '<text x="20" y="60" font-size="40">EXIT 12</text>');
      const frame = await asFrame(sharp(sign).rotate(100, { background: 'white' }));
      expect(texts(await read(frame))).to.deep.equal(['EXIT 12']);
    });

    it('joins the lines of a picture to one text when MERGE_LINES is TRUE', async () => {
      for (const degrees of isLong ? [0, 90, 160] : [160]) {
        const tracks = await read(await turnSample('gen_text.png', degrees), { MERGE_LINES: 'true' });
        expect(texts(tracks)).to.deep.equal([LINES.join('\n')]);
      }
    });

    it('numbers the lines of a picture in reading order', async () => {
      const tracks = await read(await turnSample('gen_text.png', 180));
      expect(tracks.map(({ properties }) => properties)).to.deep.equal(
        LINES.map((TEXT, i) => ({ TEXT, LINE_NUM: String(i + 1) })),
      );
    });

    it('reads a line that says Hello, World!', async () => {
      expect(texts(await read(await readImage(sample('hello-world.png'))))).to.deep.equal(['Hello, World!']);
    });

    for (const degrees of isLong ? [-12, 12, 90, 180, 270] : [90])
      it(`reads lines that are turned by ${degrees} degrees`, async () => {
        const tracks = await read(await turnSample('gen_text.png', degrees));
        expect(texts(tracks)).to.have.members(LINES);
      });

    it('reads nothing of scripts that it does not know', async () => {
      const lines = [
        'Все люди рождаются свободными',
        'Всички хора се раждат свободни',
        'ყველა ადამიანი იბადება',
      ];
      const drawing = lines.map((line, i) => `<text x="20" y="${50 + i * 55}" font-size="30">${line}</text>`);
      const frame = await asFrame(sharp(drawPicture(700, 320, drawing.join(''))));
      expect(texts(await read(frame))).to.deep.equal([]);
    });

    if (isLong)
      it('reads the samples without more errors than it was measured to make', async () => {
        for (const [name, most] of [
          ['eng.png', 2],
          ['gen_text.png', 0],
          ['lp-bmw.jpg', 0],
          ['race.jpg', 0],
          ['yellow-car.jpg', 1],
        ] as const) {
          const found = await textOf(detector, await readImage(sample(name)));
          expect(errors(TEXTS[name]!, found), `${name}: ${found}`).to.be.at.most(most);
        }
      });

    for (const name of isLong
      ? ['chelsea.png', 'coffee.png', 'rocket.jpg', 'astronaut.png']
      : ['chelsea.png'])
      it(`reads nothing on ${name}, which shows no text`, async () => {
        expect(texts(await read(await readImage(sample(name))))).to.deep.equal([]);
      });

    it('reads nothing on an empty page, however small', async () => {
      for (const [width, height] of [
        [640, 200],
        [1, 1],
        [3, 900],
      ] as const)
        // oxfmt-ignore
        for await (const frame of paintVideo({ width, height, frames: 1 }, () => [255, 255, 255]).frames())
        expect(await read(frame), `${width} x ${height}`).to.deep.equal([]);
    });

    it('leaves out readings below CONFIDENCE_THRESHOLD', async () => {
      const frame = await readImage(sample('gen_text.png'));
      expect(await read(frame, { CONFIDENCE_THRESHOLD: '1' })).to.deep.equal([]);
    });

    it('finds text that is small in a large picture when MAX_SIDE_LENGTH allows it', async () => {
      const page = sharp({ create: { width: 1600, height: 400, channels: 3, background: 'white' } });
      const small = await sharp(sample('gen_text.png')).resize(200).toBuffer();
      const data = await page
        .composite([{ input: small, left: 600, top: 200 }])
        .removeAlpha()
        .raw()
        .toBuffer();
      const frame = { index: 0, time: 0, width: 1600, height: 400, data, warmUp: false };
      expect(texts(await read(frame, { MAX_SIDE_LENGTH: '320' }))).to.not.have.members(LINES);
      expect(texts(await read(frame, { MAX_SIDE_LENGTH: '1600' }))).to.have.members(LINES);
    });

    it('reads a line that fills a cut-out picture up to its edges', async () => {
      const cut = sharp(sample('gen_text.png')).extract({ left: 20, top: 123, width: 442, height: 36 });
      const data = await cut.removeAlpha().raw().toBuffer();
      const frame = { index: 0, time: 0, width: 442, height: 36, data, warmUp: false };
      expect(texts(await read(frame))).to.deep.equal([LINES[1]]);
    });

    it('makes one track of a text that a video shows all the time', async () => {
      const tracks = await withVideo('hello.avi', {}, (video) => watch(video));
      expect(texts(tracks)).to.deep.equal(['Hello']);
      expect(tracks[0]!.detections.map(({ frame, properties }) => [frame, properties])).to.deep.equal(
        [0, 1, 2].map((frame) => [frame, { TEXT: 'Hello' }]),
      );
      expect(tracks[0]!.confidence).to.equal(
        Math.max(...tracks[0]!.detections.map(({ confidence }) => confidence)),
      );
    });

    it('begins a track when a text appears and ends it when the text is gone', async () => {
      const shown = await readImage(sample('gen_text.png'));
      const tracks = await watch(filmOf([blank(shown), shown, shown, blank(shown), shown]));
      expect(spans(tracks)).to.deep.equal([[1, 2], [1, 2], [4, 4], [4, 4]]); // oxfmt-ignore
      expect(texts(tracks)).to.deep.equal([...LINES, ...LINES]);
    });

    it('takes a frame that differs by less than CHANGE_THRESHOLD for the one before', async () => {
      const shown = await readImage(sample('gen_text.png'));
      const film = filmOf([shown, blank(shown, 200)]);
      expect(spans(await watch(film, { CHANGE_THRESHOLD: '255' }))).to.deep.equal([[0, 1], [0, 1]]); // oxfmt-ignore
      expect(spans(await watch(film))).to.deep.equal([[0, 0], [0, 0]]); // oxfmt-ignore
    });

    it('reports nothing on warm-up frames', async () => {
      const shown = await readImage(sample('gen_text.png'));
      expect(spans(await watch(filmOf([shown, shown, shown], 1)))).to.deep.equal([[1, 2], [1, 2]]); // oxfmt-ignore
    });

    it('stops when the job is cancelled', async () => {
      const job = { ...(await jobOf('text')), signal: AbortSignal.abort(new Error('cancelled')) };
      const shown = await readImage(sample('gen_text.png'));
      for (const run of [detector.image!(shown, job), detector.video!(filmOf([shown]), job)])
        expect(await all(run).catch((error: Error) => error.message)).to.equal('cancelled');
    });

    it('warns of text in a script that it does not know, and of no other', async () => {
      const warningsOf = async (text: string, seconds = 0): Promise<number> => {
        const lines = text
          .split('/')
          .map((line, n) => `<text x="20" y="${60 + 50 * n}" font-size="30">${line}</text>`);
        const frame = await asFrame(sharp(drawPicture(800, 200, lines.join(''))));
        let warnings = 0;
        const job = { ...(await jobOf('text', { CHANGE_THRESHOLD: '0' })), warn: () => warnings++ };
        const film = () => filmOf(Array.from({ length: seconds }, () => frame));
        await all(seconds === 0 ? detector.image!(frame, job) : detector.video!(film(), job));
        return warnings;
      };
      const unknown = [
        'Все люди рождаются/свободными и равными',
        'Όλοι οι άνθρωποι γεννιούνται/ελεύθεροι και ίσοι',
        'يولد جميع الناس أحراراً/متساوين في الكرامة والحقوق',
        'ყველა ადამიანი იბადება/თავისუფალი და თანასწორი',
      ];
      for (const text of unknown) expect(await warningsOf(text), text).to.equal(1);
      for (const text of [
        'All human beings are born/free and equal',
        'Öffnungszeiten: Montag bis Freitag/Straße gesperrt',
        'Wszyscy ludzie rodzą się/wolni i równi',
        'IBAN DE89 3704 0044/FATTURA N. 2024/00187',
      ])
        expect(await warningsOf(text), text).to.equal(0);
      expect([await warningsOf(unknown[0]!, 2), await warningsOf(unknown[0]!, 4)]).to.deep.equal([0, 1]);
    });

    it('refuses properties that are no numbers, out of range or at odds', async () => {
      const shown = await readImage(sample('hello-world.png'));
      expect(await acceptsBroken('text', (job) => detector.image!(shown, job))).to.deep.equal([]);
      for (const properties of [
        { CONFIDENCE_THRESHOLD: '1.1' },
        { MAX_SIDE_LENGTH: '0' },
        { MIN_SIDE_LENGTH: '2000' },
      ]) {
        const code = await read(shown, properties).catch((error: { code?: string }) => error.code);
        expect(code, JSON.stringify(properties)).to.equal('INVALID_PROPERTY');
      }
    });

    it('does not know sound', () => {
      expect(detector).to.not.have.property('audio');
    });

    it('comes with a pipeline that reads two frames of a second', async () => {
      const { algorithm, actions, tasks, pipelines } = await descriptorOf('text');
      expect([algorithm.name, algorithm.trackType]).to.deep.equal(['TEXT', 'TEXT']);
      expect(pipelines.map(({ name }) => name)).to.deep.equal(['TEXT DETECTION PIPELINE']);
      expect(pipelines[0]!.tasks).to.deep.equal(tasks.map(({ name }) => name));
      expect(tasks[0]!.actions).to.deep.equal(actions.map(({ name }) => name));
      expect(actions[0]!.properties).to.deep.equal([{ name: 'FRAME_RATE_CAP', value: '2' }]);
    });
  });
}
