import { expect } from 'chai';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { trackColour } from '../../../../components/builtin/markup/colours.ts';
import loadMarkup from '../../../../components/builtin/markup/detector.ts';
import type { Frame } from '../../../../components/sdk/detector.ts';
import { readImage } from '../../../../media/picture/image-frame.ts';
import { openVideo } from '../../../../media/video/video-frames.ts';
import type { Properties } from '../../../../domain/types.ts';
import { makeVideo } from '../../../media/support/make-video.ts';
import { sample } from '../../../media/support/samples.ts';
import { finishedTrack, findBoxes, markedUp, markupWork, sourceOf } from './markup-parts.ts';
import { context, textOf } from '../media/media-parts.ts';

const OFF = { MARKUP_LABELS_ENABLED: 'false', MARKUP_VIDEO_FRAME_NUMBERS_ENABLED: 'false' };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(png|webm|mp4|avi)$/;

type Point = readonly [number, number];

function pixel({ data, width }: Pick<Frame, 'data' | 'width'>, [x, y]: Point): number[] {
  return [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
}

/** Difference between a pixel and a colour. */
function off(frame: Pick<Frame, 'data' | 'width'>, point: Point, colour: readonly number[]): number {
  return Math.max(...pixel(frame, point).map((component, i) => Math.abs(component - (colour[i] ?? 0))));
}

/** `isLong`: includes larger variations and other values of the same cases. */
export function markup({ isLong }: { readonly isLong: boolean }): void {
  describe('Markup', () => {
    let folder = '';
    const path = (name: string): string => join(folder, name);
    const out = (): string => path('out');
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'markup-'));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    async function frames(file: string): Promise<Frame[]> {
      const reader = await openVideo(file);
      const all: Frame[] = [];
      for await (const frame of reader.frames()) all.push({ ...frame, data: Uint8Array.from(frame.data) });
      return all;
    }

    const image = (metadata: Properties = {}) => ({
      path: sample('astronaut.png'),
      mediaType: 'IMAGE' as const,
      length: 1,
      metadata,
    });

    it('draws boxes into a copy of an image and leaves all other pixels alone', async () => {
      const sources = [
        await sourceOf(path('tracks'), [
          finishedTrack([findBoxes(0, [172, 74, 106, 106])]),
          finishedTrack([findBoxes(0, [400, 300, 120, 60], { ROTATION: '30' })]),
        ]),
      ];
      const answer = await markedUp({ medium: image(), sources, folder: out(), properties: OFF });
      expect(answer).to.deep.equal({
        path: answer.path,
        uri: pathToFileURL(answer.path).href,
        warnings: [],
      });
      expect(await readdir(out())).to.have.length(1);
      expect(answer.path.slice(out().length + 1))
        .to.match(UUID)
        .and.match(/png$/);
      const [before, after] = [await readImage(sample('astronaut.png')), await readImage(answer.path)];
      expect([after.width, after.height]).to.deep.equal([512, 512]);
      for (const point of [
        [172, 74],
        [278, 180],
        [225, 74],
        [172, 127],
        [277, 127],
      ] as const)
        expect(pixel(after, point), point.join()).to.deep.equal(trackColour(0));
      // Points on the upper edge of the rotated box: up by 1 for every 1.73 to the right.
      for (const along of [20, 60, 100]) {
        const on: Point = [Math.round(400 + along * Math.cos(Math.PI / 6)), Math.round(300 - along / 2)];
        expect(off(after, on, trackColour(1)), on.join()).to.be.lessThan(30);
      }
      const changed = new Set<number>();
      for (let i = 0; i < after.data.length; i++)
        if (after.data[i] !== before.data[i]) changed.add(Math.floor(i / 3));
      for (const at of changed) {
        const [x, y] = [at % 512, Math.floor(at / 512)];
        const near = x >= 169 && x <= 281 && y >= 71 && y <= 183;
        expect(near || (x >= 390 && y >= 230 && y <= 360), `${x}, ${y}`).to.equal(true);
      }
      expect(changed.size).to.be.within(106 * 4 * 2, 4000);
    });

    it('gives each box a label that stands on its upper edge', async () => {
      const track = finishedTrack([findBoxes(0, [172, 174, 106, 106])], {
        trackProperties: { CLASSIFICATION: 'face' },
      });
      const sources = [await sourceOf(path('tracks'), [track])];
      const properties = { MARKUP_LABELS_ALPHA: '1' };
      const { path: file } = await markedUp({ medium: image(), sources, folder: out(), properties });
      const after = await readImage(file);
      let paper = 0;
      let ink = 0;
      for (let y = 155; y < 172; y++)
        for (let x = 172; x < 260; x++) {
          if (off(after, [x, y], trackColour(0)) < 3) paper++;
          if (off(after, [x, y], [0, 0, 0]) < 40) ink++;
        }
      expect(paper / (17 * 88)).to.be.greaterThan(0.5);
      expect(ink).to.be.greaterThan(100);
    });

    it('draws an image that is stored turned or mirrored as it is shown', async () => {
      const stored = await readImage(sample('astronaut.png'));
      for (const [metadata, box] of [
        [{ ROTATION: '90' }, [512 - 180, 172]],
        [{ ROTATION: '0', HORIZONTAL_FLIP: 'TRUE' }, [512 - 278, 74]],
      ] as const) {
        const sources = [
          await sourceOf(path('tracks'), [finishedTrack([findBoxes(0, [172, 74, 106, 106])])]),
        ];
        const answer = await markedUp({ medium: image(metadata), sources, folder: out(), properties: OFF });
        const after = await readImage(answer.path);
        const [x, y] = box;
        for (const corner of [
          [x, y],
          [x + 106, y + 106],
          [x + 50, y],
          [x, y + 50],
        ] as const)
          expect(pixel(after, corner), JSON.stringify(metadata)).to.deep.equal(trackColour(0));
        const flip = 'HORIZONTAL_FLIP' in metadata;
        expect(pixel(after, [5, 9])).to.deep.equal(pixel(stored, flip ? [506, 9] : [9, 506]));
      }
    });

    it('makes room for a border', async () => {
      const sources = [await sourceOf(path('tracks'), [finishedTrack([findBoxes(0, [-20, 30, 50, 50])])])];
      const properties = { ...OFF, MARKUP_BORDER_ENABLED: 'true' };
      const { path: file } = await markedUp({ medium: image(), sources, folder: out(), properties });
      const after = await readImage(file);
      const border = (after.width - 512) / 2;
      expect(border).to.equal(64);
      expect(pixel(after, [3, 3])).to.deep.equal([0, 0, 0]);
      expect(pixel(after, [border - 20, border + 50])).to.deep.equal(trackColour(0));
    });

    it('draws into every frame of a video, with the boxes of that frame', async () => {
      const detections = Array.from({ length: 80 }, (_, i) => findBoxes(10 + i, [80 + 4 * i, 121, 100, 100]));
      const sources = [await sourceOf(path('tracks'), [finishedTrack(detections)])];
      const medium = { path: sample('face_move.mp4') };
      const answer = await markedUp({
        medium,
        sources,
        folder: out(),
        properties: { ...OFF, MARKUP_VIDEO_VP9_CRF: '15' },
      });
      expect(answer.path.slice(out().length + 1))
        .to.match(UUID)
        .and.match(/webm$/);
      const [before, after] = [await frames(medium.path), await frames(answer.path)];
      expect(after.map(({ time }) => time)).to.deep.equal(before.map(({ time }) => time));
      expect(after).to.have.length(100);
      for (const { index, width, height, data } of after) {
        expect([width, height]).to.deep.equal([640, 360]);
        const left = 80 + 4 * (index - 10);
        const isDrawn = index >= 10 && index < 90;
        if (isDrawn && left < 500) {
          const edge = Array.from({ length: 60 }, (_, i): Point => [left + 20 + i, 121]);
          const away = edge.map((point) => off({ width, data }, point, trackColour(0)));
          expect(away.reduce((sum, one) => sum + one, 0) / 60, `frame ${index}`).to.be.lessThan(40);
        }
        // Outside the boxes the picture keeps its quality.
        const was = before[index];
        if (was === undefined) throw new Error('a frame is missing');
        let difference = 0;
        for (let x = 10; x < 630; x += 5) difference += off(was, [x, 340], pixel({ width, data }, [x, 340]));
        expect(difference / 124, `frame ${index}`).to.be.lessThan(12);
      }
      const first = after[0];
      const twentieth = after[20];
      if (first === undefined || twentieth === undefined) throw new Error('frames are missing');
      expect(off(first, [100, 121], trackColour(0))).to.be.greaterThan(60);
      expect(off(twentieth, [80, 121], trackColour(0))).to.be.greaterThan(40);
    });

    it('writes the file that the encoder is for, with sound where it can be taken over', async () => {
      const sources = [await sourceOf(path('tracks'), [finishedTrack([findBoxes(1, [8, 8, 40, 40])])])];
      const video = path('short.mp4');
      makeVideo(video, { frames: 12 });
      for (const [encoder, extension] of [
        ['vp9', 'webm'],
        ['h264', 'mp4'],
        ['mjpeg', 'avi'],
      ] as const) {
        const properties = { MARKUP_VIDEO_ENCODER: encoder };
        const medium = { path: video, length: 12 };
        const answer = await markedUp({ medium, sources, folder: out(), properties });
        expect(answer.path).to.match(new RegExp(`\\.${extension}$`));
        expect(await frames(answer.path)).to.have.length(12);
      }
    });

    it('keeps the times of a video whose rate varies', async () => {
      const video = path('variable.mp4');
      const at = (frame: number): number => frame * 40 + (frame % 3) * 11;
      makeVideo(video, { frames: 20, at });
      const sources = [await sourceOf(path('tracks'), [finishedTrack([findBoxes(1, [8, 8, 40, 40])])])];
      const medium = { path: video, length: 20, metadata: {} };
      const answer = await markedUp({ medium, sources, folder: out() });
      const times = async (file: string) => (await frames(file)).map(({ time }) => time);
      expect(await times(answer.path)).to.deep.equal(await times(video));
      const inAvi = await markedUp({
        ...{ medium, sources, folder: out() },
        properties: { MARKUP_VIDEO_ENCODER: 'mjpeg' },
      });
      expect(inAvi.warnings.map(({ code }) => code)).to.deep.equal(['MARKUP']);
      expect(await times(inAvi.path)).to.have.length(20);
    });

    if (isLong)
      it('begins with the first picture unless there is sound before it', async () => {
        // The sound begins 629 ms before the video.
        const medium = { path: sample('bbb24p_00_short.ts'), length: 10, metadata: {} };
        const sources = [await sourceOf(path('tracks'), [finishedTrack([findBoxes(2, [10, 10, 40, 40])])])];
        const times = async (file: string) => (await frames(file)).map(({ time }) => time);
        const before = await times(medium.path);
        expect(before[0]).to.equal(629);
        const silent = await markedUp({ medium, sources, folder: out() });
        expect(await times(silent.path)).to.deep.equal(before.map((time) => time - 629));
        const properties = { MARKUP_VIDEO_ENCODER: 'h264' };
        const sounding = await markedUp({ medium, sources, folder: out(), properties });
        expect(await times(sounding.path)).to.deep.equal(before);
      });

    it('moves boxes on between detections when it is asked to', async () => {
      const video = path('short.mp4');
      makeVideo(video, { frames: 20 });
      const track = finishedTrack([findBoxes(2, [10, 10, 40, 40]), findBoxes(12, [50, 30, 40, 40])]);
      const sources = [await sourceOf(path('tracks'), [track])];
      for (const animated of ['true', 'false']) {
        const properties = { ...OFF, MARKUP_ANIMATION_ENABLED: animated, MARKUP_VIDEO_ENCODER: 'mjpeg' };
        const medium = { path: video, length: 20 };
        const answer = await markedUp({ medium, sources, folder: out(), properties });
        const [before, after] = [await frames(video), await frames(answer.path)];
        const [was, is] = [before[7], after[7]];
        if (was === undefined || is === undefined) throw new Error('a frame is missing');
        // Halfway between the keyframes, the box is at (30, 20).
        const changed = off(was, [45, 20], pixel(is, [45, 20])) > 25;
        expect(changed, animated).to.equal(animated === 'true');
      }
    });

    it('draws the lines it is told to, without tracks that a task between has consumed', async () => {
      const boxes = [20, 120, 220, 320].map((x) => [x, 20, 60, 60] as const);
      const tracks = boxes.map((box, i) =>
        finishedTrack([findBoxes(0, box)], { trackProperties: { KIND: i === 2 ? 'car' : 'bus' } }),
      );
      const [consumed, whole] = [
        await sourceOf(path('a'), tracks, { first: 1, count: 2, consumedBy: ['KIND=bike;car', 'OTHER=car'] }),
        await sourceOf(path('b'), [finishedTrack([findBoxes(0, [20, 200, 60, 60])])]),
      ];
      const answer = await markedUp({
        ...{ medium: image(), folder: out(), properties: OFF },
        sources: [consumed, whole],
      });
      const [before, after] = [await readImage(sample('astronaut.png')), await readImage(answer.path)];
      const isDrawn = ([x, y]: Point): boolean => off(before, [x, y], pixel(after, [x, y])) > 0;
      expect(boxes.map(([x, y]) => isDrawn([x + 30, y]))).to.deep.equal([false, true, false, false]);
      expect(pixel(after, [50, 200])).to.deep.equal(trackColour(1));
    });

    it('draws a medium without tracks, too', async () => {
      const sources = [await sourceOf(path('tracks'), [], { count: 0 })];
      const answer = await markedUp({ medium: image(), sources, folder: out() });
      const [before, after] = [await readImage(sample('astronaut.png')), await readImage(answer.path)];
      expect(Buffer.compare(before.data, after.data)).to.equal(0);
    });

    it('leaves nothing behind when the medium cannot be drawn into or the job is cancelled', async () => {
      const sources = [await sourceOf(path('tracks'), [finishedTrack([findBoxes(0, [1, 1, 9, 9])])])];
      const expectFailure = async (change: object, code: string, signal?: AbortSignal): Promise<void> => {
        const work = markupWork({
          medium: { path: sample('face_move.mp4'), ...change },
          sources,
          folder: out(),
        });
        const { markup } = await loadMarkup();
        const failed: unknown = await textOf(
          markup(work, context(signal === undefined ? {} : { signal })),
        ).catch((error: unknown) => error);
        expect(failed).to.be.instanceOf(Error).with.property('code', code);
      };
      await expectFailure({ path: sample('video_01_invalid.mp4') }, 'COULD_NOT_OPEN_MEDIA');
      await expectFailure({ mediaType: 'AUDIO', path: sample('green.wav') }, 'UNSUPPORTED_DATA_TYPE');
      await expectFailure({ mediaType: 'IMAGE', path: sample('green.wav') }, 'COULD_NOT_READ_MEDIA');
      const stop = new AbortController();
      const cancelled = Object.assign(new Error('cancelled'), { code: 'CANCELLED' });
      const work = markupWork({ medium: { path: sample('face_move.mp4') }, sources, folder: out() });
      const { markup } = await loadMarkup();
      const told: number[] = [];
      const failed: unknown = await textOf(
        markup(
          work,
          context({
            signal: stop.signal,
            progress: (done, total) => {
              told.push(done);
              expect(total).to.equal(100);
              if (done === 5) stop.abort(cancelled);
            },
          }),
        ),
      ).catch((error: unknown) => error);
      expect(failed).to.equal(cancelled);
      expect(told).to.deep.equal([1, 2, 3, 4, 5]);
      expect(await readdir(out()).catch(() => [])).to.deep.equal([]);
    });
  });
}
