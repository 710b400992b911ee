/** Artifacts of a server that dies in the middle; lives of jobs with restarts are drawn at random in `actors/batch-job`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeVideo } from '../media/make-video.ts';
import { Service } from '../support/service.ts';
import { until } from '../support/until.ts';
import { filesOf, uriOf } from './results.ts';

describe('Artifacts of a server that dies', () => {
  let dying: Service;
  before(async () => {
    dying = await Service.started();
    const video = { encoder: 'mpeg4' } as const;
    makeVideo(join(dying.mediaDir, 'video.avi'), { ...video, frames: 60 });
    makeVideo(join(dying.mediaDir, 'large.avi'), { ...video, frames: 300, width: 640, height: 360 });
  });
  after(() => dying.close());

  it('when a job is run again: those of the earlier run go all the same', async () => {
    const { jobId: id } = await dying.run({
      media: [uriOf(dying, 'video.avi')],
      pipelineName: 'LIGHT PIPELINE',
      jobProperties: { FRAME_INTERVAL: '10' },
    });
    const pictures = () => filesOf(dying, 'artifacts', id);
    const before = await pictures();
    await writeFile(join(dying.dataDir, 'artifacts', `${id}.1`, 'of-the-first-run.png'), '');
    await dying.dieAt({ at: 1, when: 'after' });
    await dying.resubmit(id).catch(() => undefined);
    expect(await dying.ended()).to.equal('SIGKILL');
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
    expect(await dying.ended()).to.equal('SIGKILL');
    expect(await pictures()).to.not.deep.equal([]);

    await dying.startHere();
    expect((await dying.terminal(id)).jobStatus).to.equal('CANCELLED');
    expect(await pictures()).to.deep.equal([]);
  });
});
