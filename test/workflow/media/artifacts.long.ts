/**
 * Artifacts when the server crashes during their extraction, and artifacts of a real detector whose type is
 * not visual. `actors/batch-job` simulates random restarts.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeVideo } from '../../media/support/make-video.ts';
import { sampleUri, Service, tracksOf, type DocumentMedium } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { filesOf, picturedFrames, uriOf } from '../results.ts';
import { inOneJob } from '../support.ts';

describe('Artifacts of a server that dies', () => {
  let dying: Service;
  before(async () => {
    dying = await Service.start();
    const video = { encoder: 'mpeg4' } as const;
    makeVideo(join(dying.mediaDir, 'video.avi'), { ...video, frames: 60 });
    makeVideo(join(dying.mediaDir, 'large.avi'), { ...video, frames: 300, width: 640, height: 360 });
  });
  after(() => dying.close());

  it('when a job is run again: those of the earlier run go all the same', async () => {
    const { jobId: id } = await dying.run({
      media: [uriOf(dying, 'video.avi')],
      pipelineName: 'LIGHT PIPELINE',
      jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES', FRAME_INTERVAL: '10' },
    });
    const pictures = () => filesOf(dying, 'artifacts', id);
    const before = await pictures();
    await writeFile(join(dying.dataDir, 'artifacts', `${id}.1`, 'of-the-first-run.png'), '');
    await dying.dieAt({ at: 1, when: 'after' });
    await dying.resubmit(id).catch(() => undefined);
    expect(await dying.waitForExit()).to.equal('SIGKILL');
    await dying.start();
    expect((await dying.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(await filesOf(dying, 'artifacts', id, 2)).to.deep.equal(before);
    expect(await pictures()).to.deep.equal([]);
  });

  it('when a job is cancelled while they are taken do not stay', async () => {
    const id = await dying.submit({
      media: [uriOf(dying, 'large.avi')],
      pipelineName: 'LIGHT PIPELINE',
      jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'ALL_DETECTIONS' },
    });
    const pictures = () => filesOf(dying, 'artifacts', id);
    await until('the first picture is there', async () => (await pictures()).length > 0);
    await dying.dieAt({ at: 1, when: 'after' });
    await dying.cancel(id).catch(() => undefined);
    expect(await dying.waitForExit()).to.equal('SIGKILL');
    expect(await pictures()).to.not.deep.equal([]);

    await dying.startHere();
    expect((await dying.terminal(id)).jobStatus).to.equal('CANCELLED');
    expect(await pictures()).to.deep.equal([]);
  });
});

describe('Artifacts', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  describe('of movement', () => {
    const motion = inOneJob(() => service, { pipelineName: 'MOTION DETECTION PIPELINE' });
    const [visualOnly, all] = ['VISUAL_TYPES_ONLY', 'ALL_TYPES'].map((policy) =>
      motion(() => sampleUri('ff-exact-region-object-motion.avi'), {
        ARTIFACT_EXTRACTION_POLICY: policy,
        FRAME_INTERVAL: '4',
      }),
    );

    it('are not taken unless ALL_TYPES says so', () => {
      const pictures = (medium: DocumentMedium) =>
        new Set(tracksOf(medium, 'MOTION').map(({ detections }) => picturedFrames(detections).length));
      expect(pictures(visualOnly!())).to.deep.equal(new Set([0]));
      expect(pictures(all!())).to.deep.equal(new Set([1]));
    });
  });
});
