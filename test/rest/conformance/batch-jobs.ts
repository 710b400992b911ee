import { expect } from 'chai';
import { type JobRequest } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { annotates, pipelineOf } from '../../workflow/support.ts';
import { detectionOutput } from './detection-output.ts';
import {
  archiveNotReposted,
  archiveRepost,
  refused,
  jobCreated,
  jobRefused,
  ok,
  singleJobInfo,
} from './resources.ts';
import { ENDLESS, IMAGE, LIGHT, TAKEN, VIDEO, type Suite } from './suite.ts';

const UNKNOWN_IDS = ['987654', 'test-host-987654'];
/** Invalid job ids. A valid id is a number, or a host name, a hyphen and a number. */
const NO_IDS = ['x', 'test-host-', '12.0', '-1', '+1', '1e0', '0x1', '%EF%BC%91', '9'.repeat(40), '%', '%00'];
/**
 * The document of this job has every possible member. For derived media, see
 * workflow/derivative-media.test.ts.
 */
const READ_STRICTLY: JobRequest = {
  media: ['data:video/mp4;base64,AAAA', IMAGE],
  ...pipelineOf({ algorithm: 'LIGHT' }, annotates(), { algorithm: 'MARKUP' }),
};

export const numberOf = (id: string) => Number(id.replace('test-host-', ''));

/** Specification 4.2, without the creation of jobs. */
export function batchJobs(suite: Suite): void {
  describe('4.2 Batch jobs', () => {
    testReading(suite);
    output(suite);
    testChanges(suite);
    testReposts(suite);
  });
}

function testReading(suite: Suite): void {
  suite.proves('GET /rest/jobs/{id}', 200, 'SingleJobInfo of a job that runs', async () => {
    const job = await suite.gets(['GET', `/rest/jobs/${suite.running}`], 200, singleJobInfo);
    expect(job).to.include({ jobId: suite.running, terminal: false, endDate: null, outputObjectPath: null });
    expect(job).to.include({ callbackStatus: 'JOB RUNNING', archiveStatus: 'NOT REQUESTED', jobPriority: 4 });
    expect(job.jobProgress).to.be.below(100);
  });

  suite.proves('GET /rest/jobs/{id}', 200, 'SingleJobInfo of a job that has ended', async () => {
    const { startDate, endDate, outputObjectPath, mediaUris, ...job } = await suite.gets(
      ['GET', `/rest/jobs/${suite.ended}`],
      200,
      singleJobInfo,
    );
    expect(job).to.include({ jobId: suite.ended, jobPriority: 7, jobProgress: 100, jobStatus: 'COMPLETE' });
    expect(job).to.include({
      terminal: true,
      pipelineName: 'LIGHT PIPELINE',
      archiveStatus: 'NOT REQUESTED',
    });
    expect(Date.parse(endDate!)).to.be.at.least(Date.parse(startDate));
    expect(outputObjectPath).to.match(/^\/.*\.json$/);
    expect(mediaUris).to.deep.equal([IMAGE, VIDEO]);
  });

  suite.proves('GET /rest/jobs/{id}', 200, 'by the number alone, and with any host part', async () => {
    const number = numberOf(suite.ended);
    for (const id of [`${number}`, `host-${number}`, `a-b-${number}`, `TEST-HOST-${number}`, `%20${number}`])
      expect((await suite.gets(['GET', `/rest/jobs/${id}`], 200, singleJobInfo)).jobId).to.equal(suite.ended);
  });

  suite.proves('GET /rest/jobs/{id}', 400, 'invalid job id, empty body', async () => {
    for (const id of [...UNKNOWN_IDS, ...NO_IDS]) await suite.getsNothing(['GET', `/rest/jobs/${id}`], 400);
  });
}

function output(suite: Suite): void {
  const path = (id: string) => `/rest/jobs/${id}/output/detection`;
  const row = 'GET /rest/jobs/{id}/output/detection';

  suite.proves(row, 200, 'detection output object with every field of 2.2', async () => {
    const document = await suite.gets(['GET', path(suite.ended)], 200, detectionOutput);
    expect(document).to.include({
      jobId: suite.ended,
      externalJobId: 'case 7',
      priority: 7,
      status: 'COMPLETE',
    });
    expect(document.jobProperties).to.deep.equal({ LABEL: 'of the job' });
    expect(document.algorithmProperties).to.deep.equal({ LIGHT: { LABEL: 'of the algorithm' } });
    expect(Date.parse(document.timeStop)).to.be.at.least(Date.parse(document.timeStart));
    const [image, video] = document.media;
    expect([image, video].map((medium) => medium?.mediaType)).to.deep.equal(['IMAGE', 'VIDEO']);
    expect(image).to.deep.include({
      path: IMAGE,
      mediaProperties: { QUALITY_SELECTION_THRESHOLD: '0' },
      length: 1,
    });
    const [track] = video?.output['LIGHT']?.[0]?.tracks ?? [];
    // Only these frames are processed; both ends are inclusive.
    expect(track).to.include({
      startOffsetFrame: 2,
      stopOffsetFrame: 5,
      type: 'LIGHT',
      source: 'LIGHT ACTION',
    });
    // algorithmProperties override jobProperties.
    expect(track?.trackProperties).to.include({ LABEL: 'of the algorithm' });
    expect(track?.detections).to.deep.include(track!.exemplar);
  });

  suite.proves(row, 200, 'with the key NO TRACKS, source and algorithm alone, without tracks', async () => {
    const id = await suite.service.submit({
      ...LIGHT,
      jobProperties: { QUALITY_SELECTION_THRESHOLD: '2' },
    });
    await suite.service.terminal(id);
    const { media } = await suite.gets(['GET', path(id)], 200, detectionOutput);
    expect(Object.keys(media[0]!.output)).to.deep.equal(['NO TRACKS']);
  });

  suite.proves(
    row,
    200,
    'for strict readers also of a failed medium, of a drawn one, and of annotated tracks',
    async () => {
      const id = await suite.service.submit(READ_STRICTLY);
      await suite.service.terminal(id);
      const { media: all } = await suite.gets(['GET', path(id)], 200, detectionOutput);
      expect(all.map(({ status }) => status)).to.include('INCOMPLETE');
      expect(all.some(({ markupResult }) => markupResult !== null)).to.equal(true);
      const entries = all.flatMap(({ output }) => Object.values(output).flat());
      expect(entries.some((entry) => entry?.annotators !== undefined)).to.equal(true);
    },
  );

  suite.proves(row, 400, 'invalid job id, empty body; also while there is no output', async () => {
    const none = await suite.service.submit({ ...LIGHT, buildOutput: false });
    expect((await suite.service.terminal(none)).outputObjectPath).to.equal(null);
    for (const id of [...UNKNOWN_IDS, ...NO_IDS, suite.running, none])
      await suite.getsNothing(['GET', path(id)], 400);
  });
}

function testChanges(suite: Suite): void {
  const cancel = 'POST /rest/jobs/{id}/cancel';
  const resubmit = 'POST /rest/jobs/{id}/resubmit';

  suite.proves(
    resubmit,
    400,
    'invalid job id, body is still a JobCreationResponse with details',
    async () => {
      for (const id of [...UNKNOWN_IDS, ...NO_IDS, suite.running])
        await suite.gets(['POST', `/rest/jobs/${id}/resubmit`], 400, jobRefused);
      for (const priority of ['10', '-1', '1.5', 'high', '3&jobPriority=4'])
        await suite.gets(
          ['POST', `/rest/jobs/${suite.ended}/resubmit?jobPriority=${priority}`],
          400,
          jobRefused,
        );
    },
  );

  suite.proves(cancel, 200, 'CoreResponse (successful cancellation attempt)', async () => {
    const running = await suite.service.submit(ENDLESS);
    await suite.gets(['POST', `/rest/jobs/${running}/cancel`], 200, ok);
    const { jobStatus } = await suite.service.terminal(running);
    expect(jobStatus).to.equal('CANCELLED');
  });

  suite.proves(cancel, 400, 'invalid job id, body is still a CoreResponse with details', async () => {
    for (const id of [...UNKNOWN_IDS, ...NO_IDS, suite.ended])
      await suite.gets(['POST', `/rest/jobs/${id}/cancel`], 400, refused);
  });

  suite.proves(resubmit, 200, 'JobCreationResponse; priority 0 to 9, when omitted the default', async () => {
    const id = await suite.service.submit({ ...TAKEN, priority: 9 });
    for (const [query, priority] of [
      ['', 4],
      ['?jobPriority=', 4],
      ['?jobPriority=0', 0],
      ['?jobPriority=9', 9],
    ] as const) {
      await suite.service.cancel(id);
      await suite.service.terminal(id);
      const { jobId } = await suite.gets(['POST', `/rest/jobs/${id}/resubmit${query}`], 200, jobCreated);
      expect([jobId, (await suite.service.job(id))?.jobPriority]).to.deep.equal([id, priority]);
    }
  });
}

function testReposts(suite: Suite): void {
  const row = 'POST /rest/jobs/archiverepost';
  const ask = (...ids: readonly number[]) => ['POST', '/rest/jobs/archiverepost', ids] as const;

  suite.proves(row, 200, 'ArchiveRepostResponse', async () => {
    expect(await suite.gets(ask(), 200, archiveRepost)).to.deep.equal({ success: [], failures: [] });
    const id = await suite.service.submit({
      ...LIGHT,
      jobProperties: { ARCHIVE_URL: suite.receiver.url, SKIP_ARCHIVE_CHECK: 'true' },
    });
    const look = async () => (await suite.service.job(id))?.archiveStatus;
    await until('the archive has the job', look, (status) => status === 'COMPLETE');
    const answer = await suite.gets(ask(numberOf(id)), 200, archiveRepost);
    expect(answer).to.deep.equal({ success: [numberOf(id)], failures: [] });
  });

  suite.proves(row, 500, 're-post failed', async () => {
    const running = await suite.service.submit(ENDLESS);
    const { success, failures } = await suite.gets(ask(987654, numberOf(running)), 500, archiveNotReposted);
    expect(success).to.deep.equal([]);
    expect(failures.map(({ jobId }) => jobId)).to.have.members([987654, numberOf(running)]);
    await suite.service.cancel(running);
    await suite.service.terminal(running);
  });
}
