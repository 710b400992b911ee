/** Media with very many segments. For jobs with very many media, see `large-jobs.test.ts`. */
import { join } from 'node:path';
import { expect } from 'chai';
import { makeVideo } from '../../media/support/make-video.ts';
import { Service, tracksOf } from '../../support/processes/service.ts';
import { mostAtATime } from '../media/many-images.ts';
import { uriOf } from '../results.ts';

const QUICK = { ARTIFACT_EXTRACTION_POLICY: 'NONE' };
const HOURS = 2;
/** One frame every two seconds. */
const FRAMES = HOURS * 1_800;
/** Default number of frames in a segment. */
const SEGMENT = 200;

describe('Large jobs', function () {
  this.timeout(240_000);
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  it('of a video of two hours are cut into segments, of which few are made at a time', async () => {
    makeVideo(join(service.mediaDir, 'long.mp4'), {
      frames: FRAMES,
      width: 48,
      height: 48,
      encoder: 'mpeg4',
      at: (frame) => frame * 2000,
    });
    const id = await service.submit({
      media: [uriOf(service, 'long.mp4')],
      pipelineName: 'LIGHT PIPELINE',
      jobProperties: QUICK,
    });
    expect((await service.terminal(id, 120_000)).jobStatus).to.equal('COMPLETE');
    const [medium] = (await service.document(id)).media;
    expect(Number(medium!.mediaMetadata['DURATION']) / 3_600_000).to.be.closeTo(HOURS, 0.01);
    const tracks = tracksOf(medium, 'LIGHT');
    expect(tracks).to.have.length(FRAMES / SEGMENT);
    const frames = tracks.reduce((sum, { detections }) => sum + detections.length, 0);
    expect(frames).to.equal(FRAMES);
    expect(mostAtATime(service, id, 'others'), 'sub-jobs at a time').to.be.within(1, 64);
  });
});
