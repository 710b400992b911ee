/**
 * Videos without a constant frame rate: the frame table, document, pictures, segments, samples and search use
 * the same times.
 */
import { expect } from 'chai';
import type { FrameTable } from '../../../domain/frames/frame-runs.ts';
import { timesOfRuns } from '../../support/frame-times.ts';
import { paintedNumber } from '../../media/support/painted-number.ts';
import type { VideoRecipe } from '../../media/support/make-video.ts';
import { Service, type DetectionDocument } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import type { SearchPage } from '../../rest/search/search-suite.ts';
import { finds, foundBy, looks, pipelineOf, valuesOf, video } from '../support.ts';

/** Milliseconds, in multiples of 40 as required by AVI. */
const TIMES = [0, 400, 880, 1520, 5200, 5600, 9800, 14_000];
const at = (frame: number): number => TIMES[frame]!;
const FRAMES = TIMES.length;
const EARLIER = 1_000;

const VIDEOS: readonly [name: string, recipe: VideoRecipe][] = [
  ['dropped.avi', { frames: FRAMES, at, encoder: 'mjpeg', rate: 25 }],
  ['variable.mkv', { frames: FRAMES, at, gop: 4, statesNoRate: true }],
  // The edit list hides the first three frames.
  ['edited.mp4', { frames: FRAMES + 3, at: (n) => (n < 3 ? (n - 3) * 200 : at(n - 3)), encoder: 'libx264', gop: 4 }], // oxfmt-ignore
  ['gaps.ts', { frames: FRAMES, at: (n) => at(n) + EARLIER, encoder: 'libx264', bFrames: 2, gop: 4 }],
];

describe('The times of the frames of a video without a constant rate', () => {
  let service: Service;
  let id: string;
  let document: DetectionDocument;

  before(async () => {
    service = await Service.openShared();
    const media = VIDEOS.map(([name, recipe]) => ({
      mediaUri: video(service, name, recipe),
      properties: { VFR_TARGET_SEGMENT_LENGTH: '5', VFR_MIN_SEGMENT_LENGTH: '1' },
    }));
    const tracks = [{ frames: [1, 4], properties: { NAME: 'EARLY' } }, { frames: [7], properties: { TEXT: 'late' } }]; // oxfmt-ignore
    const actions = [
      finds(tracks),
      looks({ FRAME_RATE_CAP: '1', TELL: 'FRAME_INTERVAL' }),
      looks({ FRAME_RATE_CAP: '2' }),
    ];
    id = await service.submit({ ...pipelineOf(actions), media });
    await service.terminal(id);
    document = await service.document(id);
  });
  after(() => service.close());

  for (const [n, [name]] of VIDEOS.entries())
    describe(name, () => {
      const medium = () => document.media[n]!;
      /** Number of hidden frames at the start of the medium. */
      const painted = name === 'edited.mp4' ? 3 : 0;

      it('are in the table of its frames', async () => {
        expect(medium().status).to.equal('COMPLETE');
        const { status, body, text } = await service.ask(
          'GET',
          `/rest/jobs/${id}/media/${medium().mediaId}/frames`,
        );
        expect(status, text).to.equal(200);
        const { frames, runs } = body as FrameTable;
        const times = timesOfRuns(runs);
        expect([frames, times]).to.deep.equal([FRAMES, TIMES]);
      });

      it('are those of the tracks in the document', () => {
        const offsets = foundBy(medium(), 'FIRST').flatMap(({ detections }) =>
          detections.map(({ offsetFrame, offsetTime }) => [offsetFrame, offsetTime]),
        );
        expect(offsets).to.have.deep.members([1, 4, 7].map((frame) => [frame, at(frame)]));
      });

      it('belong to the pictures of its frames', async () => {
        for (const frame of [0, 4, 7]) {
          const path = `${service.url}/rest/jobs/${id}/media/${medium().mediaId}/frames/${frame}.jpg`;
          const answer = await fetch(path, { headers: { authorization: `Bearer ${service.token}` } });
          const picture = Buffer.from(await answer.arrayBuffer());
          expect(await paintedNumber(picture, FRAMES + painted), `${frame}`).to.equal(frame + painted);
        }
      });

      it('thin the frames out by FRAME_RATE_CAP, also over the borders of segments', () => {
        expect(valuesOf(medium(), 'FIRST 1', 'SHOWN')).to.deep.equal(['0,3,4', '6,7']);
        expect(valuesOf(medium(), 'FIRST 2', 'SHOWN')).to.deep.equal(['0,2,3,4', '5,6,7']);
      });

      it('give components a FRAME_INTERVAL by the mean rate', () => {
        expect(valuesOf(medium(), 'FIRST 1', 'FRAME_INTERVAL')).to.deep.equal(['1', '1']);
      });

      it('agree with FRAME_COUNT and DURATION', () => {
        const { FRAME_COUNT, DURATION } = medium().mediaMetadata;
        expect(FRAME_COUNT).to.equal(String(FRAMES));
        expect(Number(DURATION)).to.be.within(14_001, 14_300);
      });

      it('say which frames a time range means', async () => {
        const timeRanges = [{ start: 1_000, stop: 5_300 }];
        const mediaUri = video(service, `range-${name}`, VIDEOS[n]![1]);
        const found = await service.run({ ...pipelineOf(looks()), media: [{ mediaUri, timeRanges }] });
        expect(valuesOf(found.media[0]!, 'FIRST', 'SHOWN')).to.deep.equal(['2,3,4']);
      });
    });

  it('are those of search hits', async () => {
    const search = async () => {
      const { body } = await service.ask('GET', `/rest/search?text=late&job=${id}`);
      return (body as SearchPage).hits.map(({ startOffsetTime }) => startOffsetTime);
    };
    await until('the job is found', search, (hits) => hits.length === VIDEOS.length);
    expect(await search()).to.deep.equal(VIDEOS.map(() => at(7)));
  });
});
