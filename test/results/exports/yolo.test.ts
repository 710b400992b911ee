/**
 * Exports YOLO archives and reads them like a training program: labels next to images, and boxes converted to
 * pixels.
 */
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { openPromise } from 'yauzl';
import type { WantedPicture } from '../../../results/exports/asked-pictures.ts';
import type { Wanted } from '../../../results/exports/convert.ts';
import { seed, seeded } from '../../support/seed.ts';
import { temporaryFolder } from '../folder.ts';
import { allFound } from './expected-exports.ts';
import { exportBytes, someDocument } from './generated-documents.ts';

const runs = { seed, numRuns: Number(process.env['RUNS'] ?? 20) };
const [WIDTH, HEIGHT] = [640, 480];

interface YoloSet {
  readonly names: ReadonlyMap<number, string>;
  /** Boxes of each image in pixels: left, top, right, bottom. */
  readonly images: ReadonlyMap<string, readonly { readonly name: string; readonly box: readonly number[] }[]>;
  readonly files: ReadonlyMap<string, string>;
}

describe('An export for YOLO', () => {
  const inFolder = temporaryFolder();

  async function filesIn(zip: Buffer): Promise<Map<string, string>> {
    const path = inFolder('a.zip');
    writeFileSync(path, zip);
    const opened = await openPromise(path);
    const files = new Map<string, string>();
    for await (const entry of opened.eachEntry()) {
      const chunks: Buffer[] = [];
      for await (const chunk of await opened.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
      files.set(entry.fileName, Buffer.concat(chunks).toString('utf8'));
    }
    return files;
  }

  /** Finds labels like Ultralytics: `images` becomes `labels`, and the extension becomes `.txt`. */
  async function readSet(zip: Buffer): Promise<YoloSet> {
    const files = await filesIn(zip);
    const yaml = files.get('data.yaml')!;
    expect(yaml).to.match(/^path: \.\ntrain: images\.txt\nval: images\.txt\nnames:/);
    const names = new Map(
      [...yaml.matchAll(/^ {2}(\d+): (".*")$/gm)].map(([, number, name]) => [
        Number(number),
        JSON.parse(name!) as string,
      ]),
    );
    const images = new Map(
      files
        .get('images.txt')!
        .split('\n')
        .slice(0, -1)
        .map((image) => {
          const labels = image.replace('./images/', 'labels/').replace(/\.\w+$/, '.txt');
          const lines = files.get(labels);
          if (lines === undefined) throw new Error(`${image} has no labels.`);
          return [
            image,
            lines
              .split('\n')
              .slice(0, -1)
              .map((line) => boxOf(line, names)),
          ] as const;
        }),
    );
    return { names, images, files };
  }

  function boxOf(line: string, names: ReadonlyMap<number, string>) {
    const [label, x = 0, y = 0, width = 0, height = 0] = line.split(' ').map(Number);
    for (const one of [x, y, width, height]) expect(one).to.be.within(0, 1);
    const box = [
      (x - width / 2) * WIDTH,
      (y - height / 2) * HEIGHT,
      (x + width / 2) * WIDTH,
      (y + height / 2) * HEIGHT,
    ].map((one) => Math.round(one) + 0);
    return { name: names.get(label!)!, box };
  }

  const zipOf = (document: unknown, wanted: Partial<Wanted> = {}, pictures?: Pictures) =>
    exportBytes(
      document,
      { format: 'yolo', file: inFolder('document.json'), ...wanted },
      pictures === undefined ? {} : { pictures },
    );
  type Pictures = (wanted: WantedPicture) => Promise<Uint8Array<ArrayBuffer> | undefined>;

  const nameOf = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ');

  it(`draws back all boxes of pictures and videos, a file of labels a frame ${seeded}`, () =>
    fc.assert(
      fc.asyncProperty(someDocument, async (document) => {
        const { images } = await readSet(await zipOf(document));
        const drawn = [...images.values()].flat();
        const expected = allFound(document).flatMap(({ track, key, detection: { x, y, width, height } }) => {
          const [left, top] = [Math.max(0, x), Math.max(0, y)];
          const [right, bottom] = [Math.min(WIDTH, x + width), Math.min(HEIGHT, y + height)];
          const own =
            track.trackProperties['CLASSIFICATION'] ?? track.exemplar.detectionProperties['CLASSIFICATION'];
          const name = nameOf(own?.trim() || key.trim() || 'UNKNOWN');
          return right > left && bottom > top ? [{ name, box: [left, top, right, bottom] }] : [];
        });
        expect(drawn).to.have.deep.members(expected);
        const pictures = document.media.filter(({ mediaType }) => mediaType === 'IMAGE');
        expect(images.size).to.be.at.least(pictures.length);
      }),
      runs,
    ));

  const one = { offsetFrame: 12, offsetTime: 480, x: 64, y: 48, width: 128, height: 96, confidence: 0.5 };
  const track = (name: string) => ({
    ...{ id: 'a', index: 0, type: 'CLASS', confidence: 0.9, exemplar: one, detections: [one] },
    trackProperties: { CLASSIFICATION: name },
  });
  const medium = (mediaId: number, path: string, mediaType: string, tracks: readonly object[]) => ({
    ...{ mediaId, path, mediaType, length: 50 },
    mediaMetadata: { FRAME_WIDTH: '640', FRAME_HEIGHT: '480' },
    output: { CLASS: [{ source: 'A', algorithm: 'F', tracks }] },
  });
  const MEDIA = [
    medium(1, 'file:///a/street.mp4', 'VIDEO', [track('car'), track('a\n"bus"')]),
    medium(2, 'file:///b/street.png', 'IMAGE', []),
    medium(3, 'file:///c/street.png', 'IMAGE', [track('car')]),
    medium(4, `file:///${'x'.repeat(4_000)}<b>.png`, 'IMAGE', [track('y'.repeat(4_000))]),
  ];

  it('names labels like their frames, each once, and shortens long names', async () => {
    const { names, images, files } = await readSet(await zipOf({ jobId: 'a-1', media: MEDIA }));
    expect([...images.keys()].slice(0, 3)).to.deep.equal([
      './images/street-000012.jpg',
      './images/2-street.png',
      './images/3-street.png',
    ]);
    expect(files.get('labels/street-000012.txt')).to.equal(
      '0 0.200000 0.200000 0.200000 0.200000\n1 0.200000 0.200000 0.200000 0.200000\n',
    );
    expect(files.get('labels/2-street.txt')).to.equal('');
    expect([...names.values()]).to.deep.equal(['car', 'a "bus"', 'y'.repeat(200)]);
    for (const name of files.keys()) expect(name.length).to.be.below(120);
  });

  it('has the frames only when they are asked for, and lists those that cannot be had', async () => {
    const asked: WantedPicture[] = [];
    const pictures: Pictures = (wanted) => {
      asked.push(wanted);
      const isThere = 'mediaId' in wanted && wanted.mediaId !== 2;
      return Promise.resolve(isThere ? new TextEncoder().encode('jpeg') : undefined);
    };
    const without = await filesIn(await zipOf({ media: MEDIA }, {}, pictures));
    expect([...without.keys()].filter((name) => name.startsWith('images/'))).to.deep.equal([]);
    expect(asked).to.deep.equal([]);
    const { files, images } = await readSet(await zipOf({ media: MEDIA }, { pictures: true }, pictures));
    expect(asked[0]).to.deep.equal({ job: 7, mediaId: 1, frame: 12, small: false });
    for (const image of images.keys())
      expect(files.has(image.slice(2)), image).to.equal(image !== './images/2-street.jpg');
    expect(files.get('missing-images.txt')).to.equal('images/2-street.jpg\n');
  });

  it('is refused for sound and documents', async () => {
    const problem = await zipOf({ media: [medium(1, 'a', 'AUDIO', [])] }).catch(String);
    expect(problem).to.equal(
      'Error: There are neither videos nor pictures, and yolo supports no other media.',
    );
  });
});
