/** A streaming job that is restarted with other zones and keeps all other settings. */
import { expect } from 'chai';
import { changedRequest } from '../../../actors/streaming-service/changes.ts';
import type { StreamingJobRecord } from '../../../actors/streaming-job/state.ts';
import { claimLive, LIVE_PIPELINE, registerLivePipeline } from '../../support/live-pipeline.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { Service } from '../../support/processes/service.ts';
import { Broker } from '../../support/servers/broker.ts';
import { Receiver } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';

const YARD = { name: 'yard', points: [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75]] }; // oxfmt-ignore
const GATE = { name: 'gate', points: [[0, 0], [0.2, 0], [0.2, 0.2]] }; // oxfmt-ignore
const IN_YARD = { name: 'in', zone: 'yard' };
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('A streaming job that is started again', function () {
  this.timeout(120_000);
  let service: Service;
  let component: RawComponent;
  let receiver: Receiver;
  let broker: Broker;
  before(async () => {
    service = await Service.here();
    await registerLivePipeline(service);
    component = new RawComponent(service);
    receiver = await Receiver.start();
    broker = await new Broker().start();
  });
  after(async () => {
    await broker.stop();
    await receiver.close();
    await service.close();
  });

  const everything = () => ({
    ...{ enableOutputToDisk: true, stallTimeout: 77_000, pipelineName: LIVE_PIPELINE, externalId: 'gate 3' },
    jobProperties: { FRAME_INTERVAL: '2', CALLBACK_SECRET: SECRET },
    algorithmProperties: { LIVE: { MIN_FACE_SIZE: '31' } },
    stream: {
      ...{ streamUri: 'rtsp://me:pa55word@camera.example/live', segmentSize: 33 },
      mediaProperties: { FRAME_RATE_CAP: '4' },
      recording: { streamUri: 'rtsp://me:other5ecret@camera.example/large', days: 2, bytes: 20_000_000 },
    },
    healthReportCallbackUri: `${receiver.url}/health`,
    summaryReportCallbackUri: `${receiver.url}/summary`,
    stallCallbackUri: `${receiver.url}/stall`,
    ...{ zones: [YARD, GATE], rules: [IN_YARD, { name: 'gate', zone: 'gate' }], anchor: 'CENTER' },
    events: { callbackUri: `${receiver.url}/events`, kinds: ['RULE'], mqtt: { url: broker.url } },
  });
  const create = async (body: object = everything()): Promise<number> => {
    const { status, text, body: answer } = await service.ask('POST', '/rest/streaming/jobs', body);
    expect(status, text).to.equal(201);
    return (answer as { jobId: number }).jobId;
  };
  const restart = (id: number, changes: object, headers = {}) =>
    service.ask('POST', `/rest/streaming/jobs/${id}/restart`, changes, headers);
  const jobOf = async (id: number) =>
    (await service.ask('GET', `/rest/streaming/jobs/${id}?details=true`)).body as {
      readonly jobStatus: string;
      readonly owner?: object;
    };
  const end = async (id: number, token: string) => {
    await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await component.end(token, { reason: 'cancelled', detail: '' });
  };

  it('keeps properties, addresses, callbacks and receivers, and cancels the old job', async () => {
    const id = await create();
    const before = await claimLive(component, id);
    const { status, body, text } = await restart(id, { zones: [YARD], rules: [IN_YARD] });
    expect(status, text).to.equal(201);
    const { jobId } = body as { jobId: number };
    expect(jobId).to.be.greaterThan(id);
    expect((await jobOf(id)).jobStatus).to.equal('CANCELLING');
    await component.end(before.token, { reason: 'cancelled', detail: '' });
    const now = await claimLive(component, jobId);
    const { jobId: _, zones: oldZones, ...old } = before.work;
    const { jobId: __, zones, ...work } = now.work;
    expect(work).to.deep.equal(old);
    expect(work.uri).to.include('pa55word');
    expect(work.recording?.uri).to.include('other5ecret');
    expect(oldZones!.plan.zones).to.have.length(2);
    expect(zones!.plan).to.deep.equal({ ...oldZones!.plan, zones: [YARD], rules: [IN_YARD] });
    const [was, is] = [await jobOf(id), await jobOf(jobId)];
    expect(is.owner).to.deep.equal(was.owner);
    expect(is).to.deep.include({ externalId: 'gate 3', recording: { days: 2, bytes: 20_000_000, streamUri: 'rtsp://***@camera.example/large' } }); // oxfmt-ignore
    await component.events(now.token, { type: 'stalled', at: Date.now(), cause: 'no frames' });
    const stalled = await until(
      'the stall is told',
      () => receiver.requests.find(({ path }) => path === '/stall'),
      (request) => request !== undefined,
    );
    expect(stalled!.headers['webhook-signature']).to.match(/^v1,/);
    await end(jobId, now.token);
  });

  it('keeps its topics on the broker, where only removed rules are forgotten', async () => {
    broker.messages.length = 0;
    const id = await create();
    const before = await claimLive(component, id);
    const topic = `troupe/${id}`;
    const config = (rule: string) => `homeassistant/event/troupe_${id}/rule_${rule}/config`;
    await until('the rules are announced', () => broker.on(config('1_gate')).length > 0);
    const { body } = await restart(id, { zones: [YARD], rules: [IN_YARD] });
    const { jobId } = body as { jobId: number };
    await component.end(before.token, { reason: 'cancelled', detail: '' });
    await until('the removed rule is forgotten', () => broker.on(config('1_gate')).at(-1)?.text === '');
    expect(broker.on(config('0_in')).map(({ text }) => text)).to.not.include('');
    expect(broker.on(`${topic}/status`).map(({ text }) => text)).to.deep.equal(['online', 'online']);
    const { token } = await claimLive(component, jobId);
    await end(jobId, token);
    await until('the end is told', () => broker.on(`${topic}/status`).at(-1)?.text === 'offline');
  });

  it('continues as it is when the changes are refused', async () => {
    const id = await create();
    const refused = await restart(id, { rules: [{ name: 'r', zone: 'yrad' }] });
    expect([refused.status, refused.text]).to.deep.equal([400, refused.text]);
    expect(refused.text).to.include('Did you mean yard?');
    expect((await restart(id, { stream: { segmentSize: 3 } })).status).to.equal(400);
    expect((await restart(id, { jobProperties: { FRAME_INTERVAL: 'x' } })).status).to.equal(400);
    expect((await jobOf(id)).jobStatus).to.equal('INITIALIZING');
    const unknown = await restart(999_999, {});
    expect([unknown.status, unknown.text]).to.deep.equal([400, unknown.text]);
    expect(unknown.text).to.include("Streaming job with id 999999 doesn't exist.");
    await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
  });

  it('changes any member, removes what is null, and is made once for an Idempotency-Key', async () => {
    const id = await create();
    const changes = {
      ...{ stallTimeout: -1, stallCallbackUri: null, zones: null, lines: null, rules: null },
      stream: { segmentSize: 20, recording: null, mediaProperties: null },
      events: { kinds: ['TRACK'] },
    };
    const key = { 'Idempotency-Key': `restart-${id}` };
    const [first, second] = [await restart(id, changes, key), await restart(id, changes, key)];
    expect(first.status, first.text).to.equal(201);
    expect(second.body).to.deep.equal(first.body);
    const { jobId } = first.body as { jobId: number };
    const { work, token } = await claimLive(component, jobId);
    expect(work).to.include({ segmentSize: 20 });
    expect(work.recording).to.equal(undefined);
    expect(work.properties).to.include({ FRAME_INTERVAL: '2' });
    expect(work.properties['FRAME_RATE_CAP']).to.not.equal('4');
    expect(work.zones!.plan).to.deep.include({ zones: [], rules: [] });
    expect(await jobOf(jobId)).to.not.have.property('recording');
    await end(jobId, token);
  });

  it('starts again after its end, under the limit of streams', async () => {
    const id = await create({ ...everything(), events: null, zones: null, rules: null });
    const { token } = await claimLive(component, id);
    await component.end(token, { reason: 'ended', detail: '' });
    expect((await jobOf(id)).jobStatus).to.equal('TERMINATED');
    const { status, body, text } = await restart(id, {});
    expect(status, text).to.equal(201);
    const { jobId } = body as { jobId: number };
    expect((await claimLive(component, jobId)).work.zones).to.equal(undefined);
    await service.ask('POST', `/rest/streaming/jobs/${jobId}/cancel`);
  });

  it('has the effective properties of a job that an earlier release has stored', () => {
    const record: StreamingJobRecord = {
      ...{ number: 3, externalId: null, user: 'anna', streamUri: 'rtsp://c/x', segmentSize: 12, task: 'T' },
      ...{
        stallTimeout: -1,
        enableOutputToDisk: false,
        pipelineName: 'P',
        algorithm: 'A',
        trackType: 'FACE',
      },
      ...{ healthReportCallbackUri: null, summaryReportCallbackUri: null, stallCallbackUri: null },
      ...{ properties: { FRAME_INTERVAL: '7' }, createdAt: 5 },
    };
    const request = changedRequest(record, { request: {}, stream: {}, plan: {} });
    expect(request.stream).to.deep.equal({ uri: 'rtsp://c/x', segmentSize: 12, properties: { FRAME_INTERVAL: '7' } }); // oxfmt-ignore
    expect(request).to.deep.include({ jobProperties: {}, algorithmProperties: {}, user: 'anna' });
    expect(request).to.not.have.property('zones');
  });
});
