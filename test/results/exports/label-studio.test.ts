/** Exports tasks for Label Studio and parses them again. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { labelStudioTasks } from '../../../http/schemas/jobs/exports.ts';
import { seed, seeded } from '../../support/seed.ts';
import { temporaryFolder } from '../folder.ts';
import { allFound, type Found } from './expected-exports.ts';
import { exportDocument, someDocument } from './generated-documents.ts';

const runs = { seed, numRuns: Number(process.env['RUNS'] ?? 20) };
const [WIDTH, HEIGHT] = [640, 480];

/** The part of the box inside the picture, or undefined if there is none. */
function shownBox({ detection: { x, y, width, height } }: Found) {
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  const [right, bottom] = [Math.min(WIDTH, x + width), Math.min(HEIGHT, y + height)];
  return right > left && bottom > top ? [left, top, right - left, bottom - top] : undefined;
}

describe('An export for Label Studio', () => {
  const inFolder = temporaryFolder();
  const file = () => inFolder('document.json');
  const read = async (document: unknown) =>
    labelStudioTasks.parse(
      JSON.parse(await exportDocument(document, { format: 'labelstudio', file: file() })) as unknown,
    );
  /** Converts percentages to pixels. */
  const pixels = ({ x, y, width, height }: Readonly<Record<'x' | 'y' | 'width' | 'height', number>>) =>
    [x * WIDTH, y * HEIGHT, width * WIDTH, height * HEIGHT].map((one) => Math.round(one / 100));

  it(`draws each box where the document has it, in pictures and videos ${seeded}`, () =>
    fc.assert(
      fc.asyncProperty(someDocument, async (document) => {
        const tasks = await read(document);
        expect(tasks.map(({ data }) => data.mediaId)).to.deep.equal(
          document.media.map(({ mediaId }) => mediaId),
        );
        for (const [n, { data, predictions }] of tasks.entries()) {
          const medium = document.media[n]!;
          const isVideo = medium.mediaType === 'VIDEO';
          expect(isVideo ? data.video : data.image).to.equal(JSON.parse(JSON.stringify(medium.path)));
          const regions = predictions[0]!.result;
          expect(new Set(regions.map(({ id }) => id)).size).to.equal(regions.length);
          const drawn = regions.flatMap((region) =>
            region.type === 'rectanglelabels'
              ? [[0, ...pixels(region.value)]]
              : region.value.sequence.map((step) => [step.frame - 1, ...pixels(step)]),
          );
          const expected = allFound(document)
            .filter((found) => found.medium === medium)
            .flatMap((found) => {
              const box = shownBox(found);
              return box === undefined ? [] : [[found.detection.offsetFrame, ...box]];
            });
          expect(drawn).to.deep.equal(expected);
        }
      }),
      runs,
    ));

  const detection = (offsetFrame: number) => ({
    ...{ offsetFrame, offsetTime: offsetFrame * 40, x: 64, y: 48, width: 128, height: 96, confidence: 0.5 },
    detectionProperties: {},
  });
  const video = (frames: readonly number[]) => {
    const detections = frames.map(detection);
    const track = {
      ...{ id: 'a', index: 0, type: 'CLASS', confidence: 0.9, exemplar: detections[0], detections },
      trackProperties: { CLASSIFICATION: '<b>car</b>' },
    };
    const mediaMetadata = { FRAME_WIDTH: '640', FRAME_HEIGHT: '480', DURATION: '2000' };
    const output = { CLASS: [{ source: 'A', algorithm: 'F', tracks: [track] }] };
    return { mediaId: 1, path: 'file:///v.mp4', mediaType: 'VIDEO', length: 50, mediaMetadata, output };
  };

  it('does not draw a track through frames without a detection', async () => {
    const [task] = await read({ jobId: 'a-1', media: [video([3, 4, 9])] });
    const [region] = task!.predictions[0]!.result;
    if (region?.type !== 'videorectangle') throw new Error('It is no region of a video.');
    const { sequence, ...value } = region.value;
    expect(value).to.deep.equal({ framesCount: 50, duration: 2, labels: ['<b>car</b>'] });
    expect(sequence.map(({ frame, time, enabled }) => [frame, time, enabled])).to.deep.equal([
      [4, 0.12, true],
      [5, 0.16, false],
      [10, 0.36, false],
    ]);
    expect(region.score).to.equal(0.9);
  });

  it('is refused for sound and documents', async () => {
    const media = ['AUDIO', 'UNKNOWN'].map((mediaType, n) => ({
      mediaId: n + 1,
      path: 'a',
      mediaType,
      output: {},
    }));
    const problem = await exportDocument({ media }, { format: 'labelstudio', file: file() }).catch(String);
    expect(problem).to.equal(
      'Error: There are neither videos nor pictures, and labelstudio supports no other media.',
    );
  });
});
