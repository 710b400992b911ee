/** Limits for cameras: the time to connect and to the first frame, and the size of frames. */
import { expect } from 'chai';
import { closeServers, rtsp } from '../media/live/live-watching.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { CLIP } from './cameras-support.ts';

describe('A server that allows a camera little', function () {
  this.timeout(240_000);
  let service: Service;
  before(async () => {
    service = await Service.here({ STREAM_CONNECT_MS: '300', STREAM_FIRST_PICTURE_MS: '900' });
  });
  after(() => service.close());
  afterEach(() => closeServers());

  const causeOf = async (streamUri: string): Promise<string> => {
    const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: { streamUri, segmentSize: 10 },
      stallTimeout: -1,
      pipelineName: 'MOTION DETECTION PIPELINE',
    });
    expect(status, text).to.equal(201);
    const { jobId } = body as { jobId: number };
    type Info = { readonly jobStatus: string; readonly jobStatusDetail: string };
    const { jobStatusDetail } = await until(
      'the job has failed',
      async () => (await service.ask('GET', `/rest/streaming/jobs/${jobId}`)).body as Info,
      ({ jobStatus }) => jobStatus === 'ERROR',
      { withinMs: 60_000 },
    );
    return jobStatusDetail;
  };

  it('gives up one that does not answer after STREAM_CONNECT_MS', async () => {
    const { url } = await rtsp(CLIP, () => ({ silentAt: 'DESCRIBE' }));
    expect(await causeOf(url)).to.equal('Unable to connect to stream: The camera does not answer in time.');
  });

  it('gives up one that sends no picture in time', async () => {
    const { url } = await rtsp({ ...CLIP, units: [] }, () => ({ after: 'stall' }));
    expect(await causeOf(url)).to.equal(
      'Unable to connect to stream: No picture came from the camera for 900 ms.',
    );
  });

  it('decodes no pictures that are too large', async () => {
    // A camera on a busy machine needs the default timeout.
    await service.stop();
    await service.startHere({
      STREAM_CONNECT_MS: '60000',
      STREAM_FIRST_PICTURE_MS: '60000',
      STREAM_MAX_PIXELS: '10000',
    });
    const { url } = await rtsp(CLIP, () => ({ speed: 1, after: 'stall' }));
    expect(await causeOf(url)).to.equal(
      'Unable to connect to stream: The pictures of the stream are too large: they have more than 10000 pixels.',
    );
  });
});
