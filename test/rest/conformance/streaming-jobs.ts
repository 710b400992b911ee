import { expect } from 'chai';
import { registerLivePipeline } from '../../support/live-pipeline.ts';
import { story } from '../../support/story.ts';
import {
  streamingCancelled,
  streamingCreated,
  streamingJobInfo,
  streamingJobs,
  streamingNotCancelled,
  streamingRefused,
} from './resources.ts';
import type { Suite } from './suite.ts';

const STREAM = { streamUri: 'rtsp://camera.example/live', segmentSize: 10 };
const REQUEST = { enableOutputToDisk: true, stream: STREAM, stallTimeout: -1, pipelineName: 'LIVE PIPELINE' };

/** Invalid bodies (chapters 2.3 and 8), by the rule that each one breaks. */
const REFUSED: Readonly<Record<string, unknown>> = {
  'enableOutputToDisk is required': { ...REQUEST, enableOutputToDisk: undefined },
  'stream is required': { ...REQUEST, stream: undefined },
  'streamUri is required': { ...REQUEST, stream: { segmentSize: 10 } },
  'streams are RTSP and HTTP': { ...REQUEST, stream: { ...STREAM, streamUri: 'file:///etc/passwd' } },
  'segmentSize is required': { ...REQUEST, stream: { streamUri: STREAM.streamUri } },
  'segmentSize is 10 or more': { ...REQUEST, stream: { ...STREAM, segmentSize: 9 } },
  'stallTimeout is required': { ...REQUEST, stallTimeout: undefined },
  'stallTimeout is an integer': { ...REQUEST, stallTimeout: 0.5 },
  'pipelineName is required': { ...REQUEST, pipelineName: undefined },
  'its component must support stream processing': { ...REQUEST, pipelineName: 'LIGHT PIPELINE' },
  'the body is a StreamingJobCreationRequest': null,
};
/** 64-bit integers that are not the id of a streaming job, and values that are not integers. */
const IDS = ['0', '-1', '987654', '9223372036854775807', '9'.repeat(40), 'x', 'test-host-1', '12.0', '%'];

/** Specification 4.3. */
export function streamingJobRows(suite: Suite): void {
  story('4.3 Streaming jobs', 'No job is listed before the first one.', () => {
    const list = 'GET /rest/streaming/jobs';
    suite.proves(list, 200, 'AllStreamingJobsInfoModel, empty when nothing matches', async () => {
      // Requested before the first streaming job is created.
      for (const query of ['', '?isActive=', '?isActive=true', '?isActive=false'])
        expect(await suite.gets(['GET', `/rest/streaming/jobs${query}`], 200, streamingJobs)).to.deep.equal({
          jobIds: [],
        });
    });

    const createStream = (more: object = {}) =>
      suite.gets(
        ['POST', '/rest/streaming/jobs', JSON.stringify({ ...REQUEST, ...more })],
        201,
        streamingCreated,
      );
    before(async () => {
      await registerLivePipeline(suite.service);
    });

    suite.proves(
      'POST /rest/streaming/jobs',
      201,
      'StreamingJobCreationResponse, with a folder or none',
      async () => {
        const onDisk = await createStream();
        expect(onDisk.outputObjectDirectory).to.be.a('string');
        const none = await createStream({ enableOutputToDisk: false });
        expect(none.outputObjectDirectory).to.equal(null);
        expect(none.jobId).to.be.greaterThan(onDisk.jobId);
        const { jobIds } = await suite.gets(['GET', '/rest/streaming/jobs'], 200, streamingJobs);
        expect(jobIds).to.include.members([onDisk.jobId, none.jobId]);
        for (const { jobId } of [onDisk, none])
          await suite.gets(['POST', `/rest/streaming/jobs/${jobId}/cancel`], 200, streamingCancelled);
      },
    );
    for (const [rule, body] of Object.entries(REFUSED))
      suite.proves('POST /rest/streaming/jobs', 400, rule, () =>
        suite.gets(['POST', '/rest/streaming/jobs', JSON.stringify(body)], 400, streamingRefused),
      );

    const single = 'GET /rest/streaming/jobs/{id}';
    suite.proves(single, 200, 'StreamingJobInfo', async () => {
      const { jobId } = await createStream();
      const info = await suite.gets(['GET', `/rest/streaming/jobs/${jobId}`], 200, streamingJobInfo);
      expect([info.jobId, info.streamUri, info.jobStatus, info.pipelineName]).to.deep.equal([
        jobId,
        STREAM.streamUri,
        'INITIALIZING',
        'LIVE PIPELINE',
      ]);
      await suite.gets(['POST', `/rest/streaming/jobs/${jobId}/cancel`], 200, streamingCancelled);
    });
    suite.proves(
      single,
      400,
      'invalid id, empty body; a batch job has no id of a streaming job',
      async () => {
        for (const id of [...IDS, suite.ended, suite.ended.replace('test-host-', '')])
          await suite.getsNothing(['GET', `/rest/streaming/jobs/${id}`], 400);
      },
    );

    const cancel = 'POST /rest/streaming/jobs/{id}/cancel';
    suite.proves(cancel, 200, 'StreamingJobCancelResponse', async () => {
      for (const doCleanup of [false, true]) {
        const { jobId, outputObjectDirectory } = await createStream();
        const path = `/rest/streaming/jobs/${jobId}/cancel?doCleanup=${doCleanup}`;
        const answer = await suite.gets(['POST', path], 200, streamingCancelled);
        expect([answer.jobId, answer.doCleanup, answer.outputObjectDirectory]).to.deep.equal([
          jobId,
          doCleanup,
          outputObjectDirectory,
        ]);
      }
    });
    suite.proves(cancel, 400, 'invalid id, body is still a StreamingJobCancelResponse', async () => {
      for (const id of IDS)
        for (const [query, doCleanup] of [
          ['', false],
          ['?doCleanup=false', false],
          ['?doCleanup=true', true],
        ] as const) {
          const path = `/rest/streaming/jobs/${id}/cancel${query}`;
          const answer = await suite.gets(['POST', path], 400, streamingNotCancelled);
          expect(answer.doCleanup, path).to.equal(doCleanup);
        }
    });
  });
}
