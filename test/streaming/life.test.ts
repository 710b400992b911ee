/**
 * The life cycle of streaming jobs (specification 3.2, 4.3, 6.2, 6.3). The component of this test uses only
 * HTTP.
 */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { registerLivePipeline } from '../support/live-pipeline.ts';
import type { StreamTrack } from '../../protocol/streams.ts';
import type { StreamAssignment } from '../../protocol/worker-protocol.ts';
import { RawComponent } from '../support/processes/raw-component.ts';
import { answer, hang, Receiver } from '../support/servers/receiver.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const QUEUE = 'STREAM:LIVE';
const SIZE = 10;
const AT = Date.UTC(2026, 10, 22, 12);
const FPS = 5;
const at = (frame: number) => AT + (frame * 1_000) / FPS;

interface Info {
  readonly jobStatus: string;
  readonly jobStatusDetail: string | null;
  readonly [name: string]: unknown;
}
interface Summary {
  readonly segmentId: number;
  readonly errorMessage: string;
  readonly output: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly [name: string]: unknown;
}
interface Health {
  readonly reports: readonly Readonly<Record<string, unknown>>[];
}

const track = (liveId: string, ...frames: readonly number[]): StreamTrack => ({
  liveId,
  startFrame: frames[0]!,
  stopFrame: frames.at(-1)!,
  startTime: at(frames[0]!),
  stopTime: at(frames.at(-1)!),
  confidence: 0.5,
  properties: { LABEL: liveId },
  detections: frames.map((frame, n) => ({
    frame,
    time: at(frame),
    x: n,
    y: 1,
    width: 2,
    height: 3,
    confidence: n === 1 ? 0.9 : 0.5,
    properties: {},
  })),
});

const summaryOf = (segment: number, stopFrame = (segment + 1) * SIZE - 1) => ({
  segment: {
    startFrame: segment * SIZE,
    stopFrame,
    startTime: at(segment * SIZE),
    stopTime: at(stopFrame),
    counts: { read: stopFrame + 1, processed: stopFrame, dropped: 1, skipped: 0, reconnects: 0 },
  },
});

/**
 * Members as listed in specification 2.3. `confidence` and `trackProperties` of tracks are from the reference
 * implementation.
 */
const REPORT_MEMBERS = [
  ...['reportDate', 'jobId', 'externalId', 'segmentId', 'segmentStartFrame', 'segmentStopFrame'],
  ...['errorMessage', 'output'],
];
const TRACK_MEMBERS = [
  ...['id', 'startOffsetFrame', 'stopOffsetFrame', 'startTimestamp', 'stopTimestamp', 'type'],
  ...['exemplar', 'detections', 'confidence', 'trackProperties'],
];
const DETECTION_MEMBERS = [
  ...['offsetFrame', 'timestamp', 'x', 'y', 'width', 'height', 'confidence', 'detectionProperties'],
];

describe('A streaming job', function () {
  this.timeout(240_000);
  let service: Service;
  let component: RawComponent;
  let receiver: Receiver;
  const claimed: string[] = [];
  before(async () => {
    service = new Service();
    await service.start({
      STREAM_RESTART_MS: '20',
      HEALTH_REPORT_MS: '500',
      REPORT_TIMEOUT_MS: '4000',
      MAX_STREAMS: '4',
      MAX_QUEUED_REPORTS: '3',
      STREAM_DECODER_THREADS: '2',
      STREAM_CONNECT_MS: '9000',
      STREAM_FIRST_PICTURE_MS: '29000',
      STREAM_MAX_PIXELS: '33000000',
    });
    await registerLivePipeline(service);
    component = new RawComponent(service);
    receiver = await Receiver.start();
  });
  after(async () => {
    await receiver.close();
    await service.close();
  });
  beforeEach(() => {
    receiver.requests.length = 0;
    receiver.manner = answer(200);
  });
  afterEach(async () => {
    const active = async () =>
      ((await service.ask('GET', '/rest/streaming/jobs')).body as { jobIds: number[] }).jobIds;
    for (const id of await active()) await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    for (const token of claimed.splice(0)) await component.end(token, { reason: 'cancelled', detail: '' });
    await until('no job is left', active, (ids) => ids.length === 0);
  });

  const submit = async (more: object = {}, stream: object = {}): Promise<number> => {
    const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: true,
      stream: { streamUri: 'rtsp://viewer:pa55word@camera.example/live', segmentSize: SIZE, ...stream },
      stallTimeout: 60_000,
      pipelineName: 'LIVE PIPELINE',
      ...more,
    });
    expect(status, text).to.equal(201);
    return (body as { jobId: number }).jobId;
  };
  const info = async (id: number) =>
    (await service.ask('GET', `/rest/streaming/jobs/${id}?details=true`)).body as Info;
  const becomes = (id: number, status: string) =>
    until(
      `streaming job ${id} is ${status}`,
      () => info(id),
      ({ jobStatus }) => jobStatus === status,
    );
  const cancel = (id: number, query = '') => service.ask('POST', `/rest/streaming/jobs/${id}/cancel${query}`);
  const claim = async (id: number): Promise<StreamAssignment> => {
    const found = await until(
      `a component is wanted for ${id}`,
      async () => (await component.claim(QUEUE, { waitMs: 2_000 })) as readonly StreamAssignment[],
      (work) => work.some(({ work: { jobId } }) => jobId === id),
    );
    claimed.push(...found.map(({ token }) => token));
    return found[0]!;
  };
  /** Opens the event stream of a job. It ends with the job. */
  const watchJob = async (id: number): Promise<{ readonly ended: Promise<string> }> => {
    const response = await fetch(`${service.url}/rest/streaming/jobs/${id}/events`, {
      headers: { authorization: `Bearer ${service.token}` },
    });
    return { ended: response.text() };
  };
  const opened = { type: 'opened', at: AT, width: 640, height: 360, fps: FPS } as const;
  const bodies = <T>(path: string) =>
    receiver.requests.filter((request) => request.path === path).map(({ body }) => JSON.parse(body) as T);
  const folderOf = (id: number) => join(service.dataDir, 'output-objects', String(id));

  it('is given to a component for streams of its algorithm, with its properties and position', async () => {
    const id = await submit({ jobProperties: { FRAME_INTERVAL: '2' } });
    const { kind, algorithm, attempt, work } = await claim(id);
    expect([kind, algorithm, attempt]).to.deep.equal(['STREAM', 'LIVE', 1]);
    const { properties, ...rest } = work;
    expect(rest).to.deep.equal({
      jobId: id,
      uri: 'rtsp://viewer:pa55word@camera.example/live',
      allowPrivate: true,
      trackType: 'LIVE',
      segmentSize: SIZE,
      firstSegment: 0,
      stall: { alertMs: 30_000, timeoutMs: 60_000 },
      reconnect: { firstMs: 500, longestMs: 15_000 },
      reading: { connectMs: 9_000, firstPictureMs: 29_000, maxPixels: 33_000_000, threads: 2 },
    });
    expect(properties).to.include({ FRAME_INTERVAL: '2' });
  });

  it('tells how it stands, without the password of its stream', async () => {
    const id = await submit({ externalId: 'gate 7' });
    const { token } = await claim(id);
    expect(await info(id)).to.deep.include({
      jobId: id,
      streamUri: 'rtsp://***@camera.example/live',
      jobStatus: 'INITIALIZING',
      jobStatusDetail: null,
      endDate: null,
      outputObjectDirectory: folderOf(id),
      pipelineName: 'LIVE PIPELINE',
      activityFrameId: null,
      activityTimestamp: null,
      externalId: 'gate 7',
    });
    expect((await component.events(token, opened)).body).to.deep.equal({ go: 'on' });
    expect(await info(id)).to.deep.include({
      jobStatus: 'IN_PROGRESS',
      picture: { width: 640, height: 360, fps: FPS },
    });
    await component.events(token, { type: 'activity', at: at(4), frame: 4 });
    const { activityFrameId, activityTimestamp } = await info(id);
    expect([activityFrameId, Date.parse(String(activityTimestamp))]).to.deep.equal(['4', at(4)]);
    expect(JSON.stringify(service.log())).to.not.include('pa55word');
  });

  it('reports every segment: the tracks, or that there are none', async () => {
    const id = await submit({ summaryReportCallbackUri: `${receiver.url}/summary`, externalId: 'x' });
    const { token } = await claim(id);
    await component.events(token, opened);
    const first = [track('a', 2, 3, 4), track('b', 9), summaryOf(0)];
    expect((await component.segment(token, 0, first)).status).to.equal(200);
    expect((await component.segment(token, 1, [summaryOf(1)])).status).to.equal(200);
    const [one, two] = await until(
      'both reports have come',
      () => bodies<Summary>('/summary'),
      (all) => all.length === 2,
    );
    expect(one).to.deep.include({
      jobId: id,
      externalId: 'x',
      segmentId: 0,
      segmentStartFrame: 0,
      segmentStopFrame: 9,
      errorMessage: '',
    });
    const [a, b] = one!.output['LIVE']!;
    expect(a).to.deep.include({
      id: '0',
      startOffsetFrame: 2,
      stopOffsetFrame: 4,
      type: 'LIVE',
    });
    expect(a!['exemplar']).to.deep.include({
      offsetFrame: 3,
      x: 1,
      y: 1,
      width: 2,
      height: 3,
      confidence: 0.9,
    });
    expect(Date.parse(String(a!['startTimestamp']))).to.equal(at(2));
    expect([b!['id'], (b!['detections'] as unknown[]).length]).to.deep.equal(['1', 1]);
    expect([two!.segmentId, two!.output]).to.deep.equal([1, { 'NO TRACKS': [] }]);
    const kept = await readdir(folderOf(id));
    expect(kept).to.have.length(2);
    for (const name of kept) expect(name).to.match(/^summary-report \d{4}-\d\d-\d\dT.*\.json$/);
    expect(JSON.parse(await readFile(join(folderOf(id), kept.sort()[0]!), 'utf8'))).to.deep.equal(one);
    expect(await info(id)).to.deep.include({
      segments: 2,
      frames: { read: 20, processed: 19, dropped: 1, skipped: 0, reconnects: 0 },
    });
  });

  it('reports members beyond the specification and the reference only with OUTPUT_DETAILS', async () => {
    const summaryReportCallbackUri = `${receiver.url}/summary`;
    const reportedTrack = async (jobProperties: object) => {
      const id = await submit({ summaryReportCallbackUri, jobProperties });
      const { token } = await claim(id);
      await component.segment(token, 0, [track('a', 2, 3), summaryOf(0)]);
      const report = await until(
        'the report has come',
        () => bodies<Summary>('/summary').find(({ jobId }) => jobId === id),
        (found) => found !== undefined,
      );
      return { report: report!, track: report!.output['LIVE']![0]! };
    };
    const plain = await reportedTrack({});
    expect(Object.keys(plain.report)).to.have.members(REPORT_MEMBERS);
    expect(Object.keys(plain.track)).to.have.members(TRACK_MEMBERS);
    for (const one of [plain.track['exemplar'], ...(plain.track['detections'] as object[])])
      expect(Object.keys(one as object)).to.have.members(DETECTION_MEMBERS);
    const detailed = await reportedTrack({ OUTPUT_DETAILS: 'TRUE' });
    expect(Object.keys(detailed.report)).to.have.members(REPORT_MEMBERS);
    expect(detailed.track).to.deep.equal({ ...plain.track, liveId: 'a' });
  });

  it('takes a segment that is sent again as the first time, and reports it once', async () => {
    const id = await submit({ summaryReportCallbackUri: `${receiver.url}/summary` });
    const { token } = await claim(id);
    for (const segment of [0, 0, 1, 0, 1])
      expect((await component.segment(token, segment, [summaryOf(segment)])).status).to.equal(200);
    await until(
      'both reports have come',
      () => bodies<Summary>('/summary'),
      (all) => all.length >= 2,
    );
    expect(bodies<Summary>('/summary').map(({ segmentId }) => segmentId)).to.deep.equal([0, 1]);
    expect(await readdir(folderOf(id))).to.have.length(2);
  });

  it('takes a segment that comes several times at once as if it came once, and reports it once', async () => {
    const id = await submit({ summaryReportCallbackUri: `${receiver.url}/summary` });
    const { token } = await claim(id);
    for (const segment of [0, 1, 2]) {
      const copies = Array.from({ length: segment === 2 ? 1 : 12 }, () =>
        component.segment(token, segment, [summaryOf(segment)]),
      );
      for (const { status } of await Promise.all(copies)) expect(status).to.equal(200);
    }
    await until(
      'the report of the last one has come',
      () => bodies<Summary>('/summary'),
      (all) => all.some(({ segmentId }) => segmentId === 2),
    );
    expect(bodies<Summary>('/summary').map(({ segmentId }) => segmentId)).to.deep.equal([0, 1, 2]);
    expect(await readdir(folderOf(id))).to.have.length(3);
  });

  for (const [what, lines, reason] of [
    ['no summary', [track('a', 1)], 'no summary'],
    ['a track outside of it', [track('a', 12), summaryOf(0)], 'outside of 0 to 9'],
    ['a track without liveId', [{ ...track('a', 1), liveId: '' }, summaryOf(0)], 'no liveId'],
    ['something else', [{ hello: 1 }, summaryOf(0)], 'Track 1'],
  ] as const)
    it(`refuses a segment with ${what}, which costs the component its attempt`, async () => {
      const id = await submit();
      const { token } = await claim(id);
      const { status, text } = await component.segment(token, 0, lines);
      expect([status, text.includes(reason)], text).to.deep.equal([422, true]);
      const next = await claim(id);
      expect([next.attempt, next.work.firstSegment]).to.deep.equal([2, 0]);
      expect((await component.segment(token, 0, [summaryOf(0)])).status, 'the lost lease').to.equal(409);
    });

  it('stalls, goes on, and says so to whoever wants to hear of it', async () => {
    const id = await submit({
      healthReportCallbackUri: `${receiver.url}/health`,
      stallCallbackUri: `${receiver.url}/stall`,
      externalId: 'gate',
    });
    const { token } = await claim(id);
    await component.events(token, opened);
    await component.events(token, { type: 'stalled', at: at(50), cause: 'the camera is silent' });
    expect(await info(id)).to.deep.include({
      jobStatus: 'STALLED',
      jobStatusDetail: 'No frames are coming: the camera is silent',
    });
    await component.events(token, { type: 'running', at: at(60) });
    expect((await info(id)).jobStatus).to.equal('IN_PROGRESS');
    const states = () => bodies<Health>('/health').map(({ reports }) => reports[0]!['jobStatus']);
    await until('the report of the end of the stall has come', states, (all) => all.at(-1) === 'IN_PROGRESS');
    expect(states().filter((state, n, all) => state !== all[n - 1])).to.deep.equal([
      'INITIALIZING',
      'IN_PROGRESS',
      'STALLED',
      'IN_PROGRESS',
    ]);
    const [stall, ...more] = bodies<Health>('/stall');
    expect([stall!.reports[0], more]).to.deep.equal([
      {
        jobId: id,
        externalId: 'gate',
        jobStatus: 'STALLED',
        jobStatusDetail: 'No frames are coming: the camera is silent',
        activityFrameId: null,
        activityTimestamp: null,
      },
      [],
    ]);
  });

  it('has the start of the first track of its segment as its activity', async () => {
    const id = await submit({ healthReportCallbackUri: `${receiver.url}/health` });
    const { token } = await claim(id);
    const activity = async () => {
      const { activityFrameId, activityTimestamp } = await info(id);
      return [activityFrameId, Date.parse(String(activityTimestamp))];
    };
    await component.events(token, opened, { type: 'activity', at: at(6), frame: 6 });
    expect(await activity()).to.deep.equal(['6', at(6)]);
    await component.segment(token, 0, [track('a', 5, 6), track('b', 2, 6), summaryOf(0)]);
    expect(await activity()).to.deep.equal(['2', at(2)]);
    await component.segment(token, 1, [summaryOf(1)]);
    expect(await activity()).to.deep.equal(['2', at(2)]);
    await component.segment(token, 2, [track('a', 27, 28), summaryOf(2)]);
    expect(await activity()).to.deep.equal(['27', at(27)]);
    const frames = () => bodies<Health>('/health').map(({ reports }) => reports[0]!['activityFrameId']);
    await until('the health report of the segment has come', frames, (all) => all.includes('27'));
  });

  it('tells of all jobs that share an address in one health report, again and again', async () => {
    const address = { healthReportCallbackUri: `${receiver.url}/health` };
    const ids = [await submit(address), await submit(address)];
    const shared = await until('a report of both has come', () =>
      bodies<Health>('/health').find(({ reports }) => reports.length === 2),
    );
    expect(shared!.reports.map(({ jobId }) => jobId)).to.deep.equal(ids);
  });

  it('reports activity once a segment', async () => {
    const id = await submit({ healthReportCallbackUri: `${receiver.url}/health` });
    const { token } = await claim(id);
    await component.events(
      token,
      opened,
      ...[3, 4, 5, 12].map((frame) => ({ type: 'activity', at: at(frame), frame }) as const),
    );
    expect((await info(id))['activityFrameId']).to.equal('12');
    const frames = () => bodies<Health>('/health').map(({ reports }) => reports[0]!['activityFrameId']);
    await until('the report of the second activity has come', frames, (all) => all.includes('12'));
    expect([...new Set(frames())]).to.deep.equal([null, '3', '12']);
  });

  for (const [what, was, reason, status, detail] of [
    ['ends with its stream', true, 'ended', 'TERMINATED', 'BYE'],
    [
      'is terminated when it stalls for too long',
      true,
      'stalled',
      'TERMINATED',
      'Stream stalled for too long. It is no longer possible to read frames: BYE',
    ],
    ['is an error when no frame ever came', false, 'stalled', 'ERROR', 'Unable to connect to stream: BYE'],
  ] as const)
    it(what, async () => {
      const id = await submit();
      const { token } = await claim(id);
      if (was) await component.events(token, opened);
      expect((await component.end(token, { reason, detail: 'BYE' })).status).to.equal(200);
      const { jobStatus, jobStatusDetail, endDate } = await info(id);
      expect([jobStatus, jobStatusDetail]).to.deep.equal([status, detail]);
      expect(Date.parse(String(endDate))).to.be.a('number');
      expect((await component.end(token, { reason, detail: 'BYE' })).status, 'the same again').to.equal(200);
      const ids = async (query: string) =>
        ((await service.ask('GET', `/rest/streaming/jobs${query}`)).body as { jobIds: number[] }).jobIds;
      expect([(await ids('')).includes(id), (await ids('?isActive=false')).includes(id)]).to.deep.equal([
        false,
        true,
      ]);
    });

  it('ends ERROR at once when no component could watch the stream, with a report that says why', async () => {
    const id = await submit({ summaryReportCallbackUri: `${receiver.url}/summary` });
    const { token } = await claim(id);
    await component.failure(token, 'COULD_NOT_OPEN_MEDIA', 'The camera wants another password.');
    const detail = 'Unable to connect to stream: The camera wants another password.';
    expect((await becomes(id, 'ERROR')).jobStatusDetail).to.equal(detail);
    const [report] = await until(
      'the report has come',
      () => bodies<Summary>('/summary'),
      (all) => all.length > 0,
    );
    expect(report).to.deep.include({ segmentId: 0, errorMessage: detail, output: { 'NO TRACKS': [] } });
  });

  it('gets another component when one fails, goes on with the next segment, and tells of the gap', async () => {
    const id = await submit({ summaryReportCallbackUri: `${receiver.url}/summary` });
    const first = await claim(id);
    await component.events(first.token, opened);
    await component.segment(first.token, 0, [summaryOf(0)]);
    await component.failure(first.token, 'DETECTION_FAILED', 'out of luck');
    const second = await claim(id);
    expect([second.attempt, second.work.firstSegment]).to.deep.equal([2, 1]);
    await component.segment(second.token, 1, [summaryOf(1)]);
    const reports = await until(
      'both reports have come',
      () => bodies<Summary>('/summary'),
      (all) => all.length === 2,
    );
    expect(reports.map(({ errorMessage }) => errorMessage !== '')).to.deep.equal([false, true]);
    expect(reports[1]!.errorMessage).to.include('may have been missed');
  });

  it('ends ERROR after five components in a row that came to nothing', async () => {
    const id = await submit();
    for (let attempt = 1; attempt <= 5; attempt++) {
      const work = await claim(id);
      expect(work.attempt).to.equal(attempt);
      await component.failure(work.token, 'DETECTION_FAILED', 'out of luck');
    }
    expect((await becomes(id, 'ERROR')).jobStatusDetail)
      .to.include('5 times in a row')
      .and.include('out of luck');
  });

  describe('that is cancelled', () => {
    it('hears the last partial segment, and ends CANCELLED', async () => {
      const id = await submit();
      const { token } = await claim(id);
      await component.events(token, opened);
      const { status, body } = await cancel(id);
      expect([status, body]).to.deep.equal([
        200,
        {
          jobId: id,
          doCleanup: false,
          outputObjectDirectory: folderOf(id),
          coreResponse: { responseCode: 0, message: null },
        },
      ]);
      expect((await info(id)).jobStatus).to.equal('CANCELLING');
      expect((await component.heartbeat(token)).body).to.deep.equal({ go: 'cancelled' });
      const last = await component.segment(token, 0, [track('a', 1, 2), summaryOf(0, 4)]);
      expect([last.status, last.body]).to.deep.equal([200, { go: 'cancelled' }]);
      await component.end(token, { reason: 'cancelled', detail: '' });
      expect(await info(id)).to.deep.include({
        jobStatus: 'CANCELLED',
        jobStatusDetail: 'Cancelled by user',
      });
      expect(await readdir(folderOf(id))).to.have.length(1);
    });

    it('before a component came to it ends at once', async () => {
      const id = await submit();
      expect((await cancel(id)).status).to.equal(200);
      await becomes(id, 'CANCELLED');
      expect(await component.claim(QUEUE, { waitMs: 0 })).to.deep.equal([]);
    });

    it('while it is STALLED ends as well, and is not cancelled twice', async () => {
      const id = await submit();
      const { token } = await claim(id);
      await component.events(token, opened);
      await component.events(token, { type: 'stalled', at: at(50), cause: 'the camera is silent' });
      expect((await info(id)).jobStatus).to.equal('STALLED');
      expect((await cancel(id)).status).to.equal(200);
      expect((await info(id)).jobStatus).to.equal('CANCELLING');
      expect((await cancel(id, '?doCleanup=true')).status, 'a second time').to.equal(400);
      await component.end(token, { reason: 'cancelled', detail: '' });
      expect(await info(id)).to.deep.include({
        jobStatus: 'CANCELLED',
        jobStatusDetail: 'Cancelled by user',
      });
    });

    it('with doCleanup leaves no file', async () => {
      const id = await submit();
      const { token } = await claim(id);
      await component.segment(token, 0, [summaryOf(0)]);
      expect((await cancel(id, '?doCleanup=true')).body).to.deep.include({ doCleanup: true });
      await component.end(token, { reason: 'cancelled', detail: '' });
      await becomes(id, 'CANCELLED');
      await until(
        'its files are gone',
        () => readdir(folderOf(id)).catch(() => 'none'),
        (left) => left === 'none',
      );
    });

    it('and has ended is refused, in words, and cleaned up all the same', async () => {
      const id = await submit();
      const { token } = await claim(id);
      await component.segment(token, 0, [summaryOf(0)]);
      await component.end(token, { reason: 'ended', detail: '' });
      const refusalOf = async (query: string) => {
        const { status, body } = await cancel(id, query);
        return [status, (body as { coreResponse: { message: string } }).coreResponse.message];
      };
      const why = `Streaming job ${id} already has state 'TERMINATED' and cannot be cancelled at this time.`;
      expect(await refusalOf('')).to.deep.equal([400, why]);
      expect(await readdir(folderOf(id))).to.have.length(1);
      expect(await refusalOf('?doCleanup=true')).to.deep.equal([400, `${why} Attempted cleanup anyway.`]);
      expect(await readdir(folderOf(id)).catch(() => 'none')).to.equal('none');
    });
  });

  it('is deleted with all its files once it has ended, and not before', async () => {
    const id = await submit();
    const { token } = await claim(id);
    await component.segment(token, 0, [summaryOf(0)]);
    expect((await service.ask('DELETE', `/rest/streaming/jobs/${id}`)).status).to.equal(409);
    await component.end(token, { reason: 'ended', detail: '' });
    expect((await service.ask('DELETE', `/rest/streaming/jobs/${id}`)).status).to.equal(204);
    expect((await service.ask('GET', `/rest/streaming/jobs/${id}`)).status).to.equal(400);
    expect((await service.ask('DELETE', `/rest/streaming/jobs/${id}`)).status).to.equal(404);
    await until(
      'its files are gone',
      () => readdir(folderOf(id)).catch(() => 'none'),
      (left) => left === 'none',
    );
  });

  it('keeps no files without enableOutputToDisk', async () => {
    const id = await submit({
      enableOutputToDisk: false,
      summaryReportCallbackUri: `${receiver.url}/summary`,
    });
    const { token } = await claim(id);
    await component.segment(token, 0, [summaryOf(0)]);
    await until(
      'the report has come',
      () => bodies<Summary>('/summary'),
      (all) => all.length === 1,
    );
    expect((await info(id))['outputObjectDirectory']).to.equal(null);
    expect(await readdir(folderOf(id)).catch(() => 'none')).to.equal('none');
    await until(
      'the report is gone',
      () => readdir(join(service.dataDir, 'streams', String(id))),
      (left) => left.length === 0,
    );
  });

  it('is not delayed by a receiver that hangs: the oldest of its waiting reports are dropped', async () => {
    const slow = await Receiver.start(hang);
    try {
      const id = await submit({
        healthReportCallbackUri: `${receiver.url}/health`,
        summaryReportCallbackUri: `${slow.url}/summary`,
      });
      const { token } = await claim(id);
      for (let segment = 0; segment < 6; segment++)
        expect((await component.segment(token, segment, [summaryOf(segment)])).status).to.equal(200);
      expect(await info(id)).to.deep.include({ segments: 6 });
      expect(await readdir(folderOf(id)), 'on disk').to.have.length(6);
      const { reports } = (await info(id)) as unknown as { reports: { dropped: number } };
      // One report is being sent and three wait.
      expect(reports.dropped).to.equal(2);
      await until(
        'health reports come',
        () => bodies<Health>('/health'),
        (all) => all.length > 1,
      );
      await until(
        'what became of the first one is seen',
        () => info(id),
        (now) => (now['reports'] as { summary: { error: string } | null }).summary?.error != null,
      );
    } finally {
      await slow.close();
    }
  });

  it('is refused above MAX_STREAMS, and taken again when another has ended', async () => {
    const ids = [await submit(), await submit(), await submit(), await submit()];
    const fifth = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: { streamUri: 'http://camera.example/', segmentSize: SIZE },
      stallTimeout: -1,
      pipelineName: 'LIVE PIPELINE',
    });
    expect([fifth.status, fifth.text.includes('MAX_STREAMS')]).to.deep.equal([503, true]);
    await cancel(ids[0]!);
    await becomes(ids[0]!, 'CANCELLED');
    await submit();
  });

  it('gets the same job for a request that is repeated under an Idempotency-Key', async () => {
    const body = {
      enableOutputToDisk: false,
      stream: { streamUri: 'http://camera.example/', segmentSize: SIZE },
      stallTimeout: -1,
      pipelineName: 'LIVE PIPELINE',
    };
    const ask = (more: object = {}) =>
      service.ask(
        'POST',
        '/rest/streaming/jobs',
        { ...body, ...more },
        { 'Idempotency-Key': 'camera 1'.replace(' ', '-') },
      );
    const [one, two] = [await ask(), await ask()];
    expect([one.status, two.body]).to.deep.equal([201, one.body]);
    expect((await ask({ stallTimeout: 5 })).status).to.equal(422);
  });

  it('shows what is seen as it happens, and the newest picture to whoever asks', async () => {
    const id = await submit();
    const { token } = await claim(id);
    const seen: string[] = [];
    const gone = new AbortController();
    const response = await fetch(`${service.url}/rest/streaming/jobs/${id}/events`, {
      headers: { authorization: `Bearer ${service.token}` },
      signal: gone.signal,
    });
    const reading = (async () => {
      for await (const piece of response.body!) seen.push(Buffer.from(piece as Uint8Array).toString());
    })().catch(() => undefined);
    await component.events(token, opened, {
      type: 'trackBegan',
      at: at(1),
      liveId: 'a',
      frame: 1,
      x: 1,
      y: 2,
      width: 3,
      height: 4,
      confidence: 0.5,
      properties: {},
    });
    await component.segment(token, 0, [track('a', 1), summaryOf(0)]);
    const text = () => seen.join('');
    await until('the segment is seen', text, (all) => all.includes('event: segment'));
    expect(text()).to.include(`{"type":"segment","at":${summaryOf(0).segment.stopTime},"segment":0,`);
    expect(text()).to.include('event: job').and.include('event: trackBegan').and.include('"liveId":"a"');
    const asked = fetch(`${service.url}/rest/streaming/jobs/${id}/frame.jpg`, {
      headers: { authorization: `Bearer ${service.token}` },
    });
    await until(
      'a picture is wanted',
      () => component.events(token),
      ({ body }) => (body as { wantsFrame?: boolean }).wantsFrame === true,
    );
    expect(await component.picture(token, Buffer.from('picture'))).to.equal(200);
    const picture = await asked;
    expect([picture.status, picture.headers.get('content-type'), await picture.text()]).to.deep.equal([
      200,
      'image/jpeg',
      'picture',
    ]);
    await component.end(token, { reason: 'ended', detail: '' });
    await reading;
    expect(text()).to.include('TERMINATED');
    gone.abort();
  });

  it('refuses a result of its component in words, alone or with others, and its lease goes on', async () => {
    const id = await submit();
    const { token } = await claim(id);
    const why =
      'The lease is of a live stream, which has no result: report segments, events and the end instead. The lease stays.';
    const { status, body } = await component.result(token, []);
    expect([status, (body as { message: string }).message]).to.deep.equal([400, why]);
    const together = await component.say('/answers', { answers: [{ token, lines: '' }] });
    expect(together.body).to.deep.include({ refused: [why] });
    expect((await component.segment(token, 0, [summaryOf(0)])).status).to.equal(200);
    expect(await info(id)).to.deep.include({ segments: 1 });
  });

  it('takes a failure that comes with answers to others as one that comes alone', async () => {
    const id = await submit();
    const { token } = await claim(id);
    const failure = { code: 'COULD_NOT_OPEN_MEDIA', message: 'No video.' };
    await component.say('/answers', { answers: [{ token, failure }] });
    expect((await info(id)).jobStatusDetail).to.equal('Unable to connect to stream: No video.');
  });

  it('warns of what is asked for without effect, when it is made and as long as it is known', async () => {
    const { status, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: {
        streamUri: 'rtsp://camera.example/live',
        segmentSize: SIZE,
        mediaProperties: { EXEMPLAR_POLICY: 'BEST' },
      },
      jobProperties: { FRAME_INTERVALL: '2' },
      stallTimeout: -1,
      pipelineName: 'LIVE PIPELINE',
    });
    const { jobId, coreResponse } = body as {
      readonly jobId: number;
      readonly coreResponse: { readonly responseCode: number; readonly message: string };
    };
    const told = [
      'jobProperties: the property FRAME_INTERVALL is not known here (did you mean FRAME_INTERVAL?); it is passed on and has no other effect.',
      'mediaProperties: the property EXEMPLAR_POLICY is "BEST", but its values are FIRST, LAST, MIDDLE and QUALITY; the value is passed on as it is.',
    ];
    expect([status, coreResponse.responseCode, coreResponse.message]).to.deep.equal([
      201,
      2,
      told.join('\n'),
    ]);
    expect((await info(jobId))['warnings']).to.deep.equal(told);
  });

  it('keeps what its components warn of, each once, and tells of it as it happens', async () => {
    const id = await submit();
    const { token } = await claim(id);
    const seen = await watchJob(id);
    const warning = (message: string) => ({ type: 'warning', at: AT, message }) as const;
    await component.events(token, opened, warning('Too dark.'), warning('Too dark.'), warning('Too small.'));
    await component.end(token, { reason: 'ended', detail: '' });
    const text = await seen.ended;
    expect(text.match(/^event: warning$/gm)).to.have.length(2);
    expect(text).to.include('{"type":"warning","at":' + AT + ',"message":"Too small."}');
    expect((await info(id))['warnings']).to.deep.equal(['Too dark.', 'Too small.']);
  });

  it('tells the type of a track that begins, also when its component does not', async () => {
    const id = await submit();
    const { token } = await claim(id);
    const seen = await watchJob(id);
    const began = { type: 'trackBegan', at: AT, frame: 1, x: 1, y: 2, width: 3, height: 4, confidence: 0.5, properties: {} } as const; // oxfmt-ignore
    await component.events(token, { ...began, liveId: 'a' }, { ...began, liveId: 'b', trackType: 'CAR' });
    await component.end(token, { reason: 'ended', detail: '' });
    const types = [...(await seen.ended).matchAll(/"trackType":"(\w+)"/g)].map(([, type]) => type);
    expect(types).to.deep.equal(['LIVE', 'CAR']);
  });

  it('tells of a track before the activity that it begins with is stored', async () => {
    const id = await submit();
    const { token } = await claim(id);
    await component.events(token, opened);
    const seen = await watchJob(id);
    const activity = { type: 'activity', at: at(3), frame: 3 } as const;
    const began = { type: 'trackBegan', at: at(3), liveId: 'a', frame: 3, x: 1, y: 2, width: 3, height: 4, confidence: 0.5, properties: {} } as const; // oxfmt-ignore
    await component.events(token, activity, began);
    await component.end(token, { reason: 'ended', detail: '' });
    const names = [...(await seen.ended).matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
    // The current job, the track, the activity, the end.
    expect(names).to.deep.equal(['job', 'trackBegan', 'job', 'job']);
    expect((await info(id))['activityFrameId']).to.equal('3');
  });

  it('sends pending reports after kill -9 of the server, and keeps its lease without repeats', async () => {
    receiver.manner = hang;
    const over = await submit({
      enableOutputToDisk: false,
      summaryReportCallbackUri: `${receiver.url}/over`,
    });
    const { token } = await claim(over);
    for (const segment of [0, 1]) await component.segment(token, segment, [summaryOf(segment)]);
    await component.end(token, { reason: 'ended', detail: '' });
    const id = await submit({ summaryReportCallbackUri: `${receiver.url}/summary` });
    const { token: lasting } = await claim(id);
    await component.events(lasting, opened);
    await component.segment(lasting, 0, [summaryOf(0)]);
    await service.kill9();
    receiver.requests.length = 0;
    receiver.manner = answer(200);
    await service.startHere();
    for (const segment of [0, 1])
      expect((await component.segment(lasting, segment, [summaryOf(segment)])).status).to.equal(200);
    expect((await info(id)).jobStatus).to.equal('IN_PROGRESS');
    const segmentIds = (path: string) => bodies<Summary>(path).map(({ segmentId }) => segmentId);
    await until(
      'both reports of the job that has ended have come',
      () => segmentIds('/over'),
      (ids) => ids.length === 2 && ids[0] === 0 && ids[1] === 1,
    );
    await until(
      'no file of them is left',
      () => service.files('streams'),
      (left) => !left.includes(String(over)),
    );
    await until(
      'both reports of the other have come',
      () => segmentIds('/summary'),
      (all) => all.includes(0) && all.includes(1),
    );
    expect(await readdir(folderOf(id))).to.have.length(2);
    expect(await info(id)).to.deep.include({ segments: 2 });
  });
});
