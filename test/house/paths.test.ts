/** The rooms through which a result, a new job and a live stream segment pass in a server of this process. */
import { expect } from 'chai';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeVideo } from '../media/support/make-video.ts';
import {
  claimLive,
  LIVE_PIPELINE,
  registerLivePipeline,
  SEGMENT_SIZE,
  segmentLines,
} from '../support/live-pipeline.ts';
import { RawComponent, trackNamed } from '../support/processes/raw-component.ts';
import { sampleUri, Service, withoutRedis, type JobRequest } from '../support/processes/service.ts';
import { story } from '../support/story.ts';
import { until } from '../support/until.ts';
import { PathRecorder, RECORDED } from './path-recorder.ts';
import { MAILBOX, NEW_JOB, RESULT, SEGMENT, type Path } from './paths.ts';

const PICTURE = sampleUri('hello-world.png');

/** Kinds of actors. */
const ON_THE_PATHS: readonly string[] = ['admission', 'batch-job', 'streaming-job'];

interface ActorList {
  readonly actors: readonly { readonly kind: string; readonly state: string }[];
}
interface Sent {
  readonly status: number;
  readonly text: string;
}

story('The path', 'The first job is recorded while no component process runs.', function () {
  // Setting a breakpoint in each function of the rooms is slow on a busy machine, and in a large process.
  this.timeout(480_000);
  let service: Service;
  let component: RawComponent;
  let recorder: PathRecorder;
  before(withoutRedis);
  before(async () => {
    // Mailboxes lose whose message it was: no other server works in this process.
    await Service.closeShared();
    // Recording takes long on a busy machine. The loading of an actor would be recorded, too.
    const never = '3600000';
    service = await Service.here({ RECONCILE_MS: never, IDLE_ACTOR_MS: never, LEASE_MS: never });
    component = new RawComponent(service);
    await registerLivePipeline(service);
    recorder = await PathRecorder.open();
  });
  after(async () => {
    recorder?.close();
    await service?.close();
  });

  /** Only the recorded message must be processed. */
  const actorsAreIdle = () =>
    until(
      'no actor has a message',
      async () => ((await service.ask('GET', '/rest/actors')).body as ActorList).actors,
      (actors) => actors.every(({ kind, state }) => !ON_THE_PATHS.includes(kind) || state === 'IDLE'),
    );
  /** The request of `send` must pass the rooms of the path in order. */
  async function expectPath({ rooms, calls }: Path, without: readonly string[], send: () => Promise<Sent>) {
    await actorsAreIdle();
    const recorded = await recorder.record(rooms, async () => {
      const { status, text } = await send();
      expect(status, text).to.be.within(200, 201);
    });
    expect(recorded).to.deep.equal(calls.filter(([, to]) => !without.includes(to)));
  }
  const post = (path: string, body: string) =>
    component.post(path, body, undefined, { 'content-type': 'application/x-ndjson', ...RECORDED });
  const video = () => {
    const path = join(service.mediaDir, 'video.mp4');
    makeVideo(path, { frames: 60, gop: 10 });
    return pathToFileURL(path).href;
  };
  const submit = (request: JobRequest) => service.submit({ pipelineName: 'ABSENT PIPELINE', ...request });

  for (const path of [RESULT, NEW_JOB, SEGMENT])
    it(`enters no room twice: ${path.title}`, () => {
      const entered = path.calls.map(([, to]) => to).filter((name) => name !== MAILBOX.name);
      expect(entered).to.deep.equal([...new Set(entered)]);
    });

  it('of a new job is that of the table', async () => {
    // No component process runs yet, so nothing else happens meanwhile.
    const request = { media: [{ mediaUri: PICTURE }], pipelineName: 'ABSENT PIPELINE' };
    await expectPath(NEW_JOB, [], () => service.ask('POST', '/rest/jobs', request, RECORDED));
  });

  it('of a result is that of the table', async () => {
    const media = [video()];
    // Another sub-job of the task is open, so the result causes no further steps.
    const jobProperties = { TARGET_SEGMENT_LENGTH: '30', MIN_SEGMENT_LENGTH: '10' };
    const { token } = await component.claimOf(await submit({ media, jobProperties }), 'ABSENT');
    const line = `${JSON.stringify(trackNamed('a'))}\n`;
    await expectPath(RESULT, ['effects'], () => post(`/leases/${token}/result`, line));
  });

  it('of a failure is that of a result without the spool', async () => {
    const id = await submit({ media: [PICTURE] });
    const { token } = await component.claimOf(id, 'ABSENT');
    const failure = { code: 'OTHER', message: 'It failed.' };
    await expectPath(RESULT, ['spool'], () =>
      component.say(`/leases/${token}/failure`, failure, undefined, RECORDED),
    );
    // The end of the job must not appear in the next recorded path.
    await service.terminal(id);
  });

  it('of a stream segment is that of the table', async () => {
    const stream = { streamUri: 'rtsp://camera.example/live', segmentSize: SEGMENT_SIZE };
    const { body } = await service.ask('POST', '/rest/streaming/jobs', {
      ...{ stream, stallTimeout: 60_000, pipelineName: LIVE_PIPELINE, enableOutputToDisk: true },
    });
    const { token } = await claimLive(component, (body as { jobId: number }).jobId);
    const lines = segmentLines(0, Date.now()).map((line) => `${JSON.stringify(line)}\n`);
    await expectPath(SEGMENT, [], () => post(`/leases/${token}/segments/0`, lines.join('')));
    await component.end(token, { reason: 'ended', detail: '' });
  });
});
