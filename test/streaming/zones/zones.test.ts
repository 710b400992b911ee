/** Zones, lines and rules of streaming jobs: events over REST, server-sent events, webhooks and MQTT. */
import { expect } from 'chai';
import { claimLive, registerLivePipeline, segmentLines } from '../../support/live-pipeline.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { Service } from '../../support/processes/service.ts';
import { Broker } from '../../support/servers/broker.ts';
import { answer, Receiver } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';
import { ZoneWalker } from './zone-walker.ts';

const AT = Date.UTC(2026, 10, 22, 12, 30);
const YARD = { name: 'yard', points: [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]] }; // oxfmt-ignore
const DOOR = { name: 'door', points: [[0.5, 0], [0.5, 1]] }; // oxfmt-ignore
const LOITER = { name: 'loiter', zone: 'yard', longerThan: 2, classes: ['PERSON'] };
const OUTSIDE = [0.2, 0.5] as const;
const INSIDE = [0.4, 0.5] as const;

interface ZoneEvent {
  readonly id: string;
  readonly event: string;
  readonly [name: string]: unknown;
}
interface Hook {
  readonly type: string;
  readonly data: ZoneEvent;
}

describe('Zones of a streaming job', function () {
  this.timeout(240_000);
  let service: Service;
  let component: RawComponent;
  let receiver: Receiver;
  let broker: Broker;
  before(async () => {
    service = await Service.start({ STREAM_RESTART_MS: '20' });
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
  beforeEach(() => {
    receiver.requests.length = 0;
    receiver.manner = answer(200);
  });

  const post = (more: object) =>
    service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: { streamUri: 'rtsp://camera.example/live', segmentSize: 10 },
      stallTimeout: 60_000,
      pipelineName: 'LIVE PIPELINE',
      ...more,
    });
  const submit = async (more: object): Promise<number> => {
    const { status, text, body } = await post(more);
    expect(status, text).to.equal(201);
    return (body as { jobId: number }).jobId;
  };
  const begin = async (id: number) => new ZoneWalker(component, await claimLive(component, id), AT);
  const finish = async (id: number, { token }: ZoneWalker) => {
    await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await component.end(token, { reason: 'cancelled', detail: '' });
  };
  const eventsOf = async (id: number, query = '') =>
    (
      (await service.ask('GET', `/rest/streaming/jobs/${id}/zone-events${query}`)).body as {
        events: ZoneEvent[];
      }
    ).events;
  const hooks = () => receiver.requests.map(({ body }) => JSON.parse(body) as Hook);
  const zonesOf = async (id: number) =>
    (
      (await service.ask('GET', `/rest/streaming/jobs/${id}?details=true`)).body as {
        zones: Record<string, unknown>;
      }
    ).zones;

  it('give events by REST, by webhook, to watchers and on the broker, with a crop', async () => {
    const events = { callbackUri: `${receiver.url}/events`, mqtt: { url: broker.url, topic: 'site/yard' } };
    const id = await submit({ zones: [YARD], lines: [DOOR], rules: [LOITER], events });
    const watched = fetch(`${service.url}/rest/streaming/jobs/${id}/events`, {
      headers: { authorization: `Bearer ${service.token}` },
    }).then((response) => response.text());
    const walker = await begin(id);
    walker.see(0, OUTSIDE);
    for (let frame = 1; frame <= 12; frame++) walker.see(frame, INSIDE);
    await walker.tell({ again: true });
    expect((await zonesOf(id))['occupancy']).to.deep.equal({ yard: 1 });
    walker.see(13, [0.6, 0.5]);
    walker.ended();
    await walker.tell();

    const listed = await eventsOf(id);
    expect(listed.map(({ event }) => event).toReversed()).to.deep.equal([
      'entered',
      'rule',
      'crossed',
      'left',
    ]);
    const [rule] = await eventsOf(id, '?kind=RULE');
    expect(rule).to.deep.include({
      ...{
        jobId: id,
        event: 'rule',
        kind: 'DWELL',
        rule: 'loiter',
        zone: 'yard',
        class: 'PERSON',
        track: 'a',
      },
      ...{ at: AT + 2_200, since: AT + 200, dwellMs: 2_000, time: '2026-11-22T12:30:02.200Z' },
      box: { x: 246, y: 140, width: 20, height: 40 },
    });
    expect(rule).to.not.have.property('clip');
    expect(rule!['crop']).to.match(/^data:image\/jpeg;base64,\/9j\//);

    await until('all webhooks came', hooks, (all) => all.length === 4);
    expect(
      hooks()
        .map(({ type }) => type)
        .sort(),
    ).to.deep.equal([...['stream.crossed', 'stream.entered', 'stream.left', 'stream.rule']]);
    expect(hooks().find(({ type }) => type === 'stream.rule')!.data).to.deep.equal(rule);

    await until('the rule is on the broker', () => broker.on('site/yard/rule/loiter').length > 0);
    const [message] = broker.on('site/yard/rule/loiter');
    expect(JSON.parse(message!.text)).to.include({ event_type: 'detected', id: rule!.id, zone: 'yard' });
    await until(
      'the zone is empty on the broker',
      () => broker.on('site/yard/zone/yard').at(-1)?.text ?? '',
      (text) => text.includes('"occupancy":0') && broker.on('site/yard/zone/yard').length > 1,
    );
    const config = broker.on('homeassistant/event/site_yard/rule_0_loiter/config')[0]!;
    expect(JSON.parse(config.text)).to.include({ state_topic: 'site/yard/rule/loiter', name: 'loiter' });
    expect(broker.on('site/yard/status').map(({ text }) => text)).to.deep.equal(['online']);

    await finish(id, walker);
    const seen = (await watched).split('\n\n').filter((one) => one.includes('event: zoneEvent'));
    expect(seen).to.have.length(6);
    await until('the broker knows the end', () => broker.on('site/yard/status').at(-1)?.text === 'offline');
    await until('Home Assistant forgets it', () => broker.on(config.topic).at(-1)?.text === '');
    expect(broker.on('site/yard/rule/loiter/crop')[0]!.text).to.not.equal('');
    const ofStream = async () =>
      (await broker.listRetained()).filter((topic) => topic.startsWith('site/yard/'));
    await until('no picture is left', ofStream, (all) => !all.some((topic) => topic.endsWith('/crop')));
    expect((await ofStream()).toSorted()).to.deep.equal(['site/yard/status', 'site/yard/zone/yard']);
    expect(JSON.stringify(service.log())).to.not.include('pa55word');
  });

  it('link to their clip everywhere when the stream is recorded', async () => {
    const id = await submit({
      stream: { streamUri: 'rtsp://camera.example/live', segmentSize: 10, recording: {} },
      ...{ zones: [YARD], rules: [LOITER] },
      events: { callbackUri: `${receiver.url}/clips`, mqtt: { url: broker.url, topic: 'site/clips' } },
    });
    const watched = fetch(`${service.url}/rest/streaming/jobs/${id}/events`, {
      headers: { authorization: `Bearer ${service.token}` },
    }).then((response) => response.text());
    const walker = await begin(id);
    walker.see(0, OUTSIDE);
    for (let frame = 1; frame <= 12; frame++) walker.see(frame, INSIDE);
    await walker.tell();
    // The person is in the zone from 0.2 s to 2.2 s.
    const clip = `/rest/streaming/jobs/${id}/recordings/clip.mp4?start=2026-11-22T12:29:55.200Z&stop=2026-11-22T12:30:07.200Z`;
    const [rule] = await eventsOf(id, '?kind=RULE');
    expect(rule!['clip']).to.equal(clip);
    const [entry] = await eventsOf(id, '?kind=OTHER');
    expect(entry!['clip']).to.include('?start=2026-11-22T12:29:55.200Z&stop=2026-11-22T12:30:05.200Z');
    await until('both webhooks came', hooks, (all) => all.length === 2);
    expect(hooks().find(({ type }) => type === 'stream.rule')!.data).to.deep.equal(rule);
    await until('the rule is on the broker', () => broker.on('site/clips/rule/loiter').length > 0);
    expect(JSON.parse(broker.on('site/clips/rule/loiter')[0]!.text)).to.include({ clip });
    await finish(id, walker);
    const shown = (await watched).split('\n').filter((line) => line.includes('"event":"rule"'));
    expect(shown.map((line) => (JSON.parse(line.slice('data: '.length)) as ZoneEvent)['clip'])).to.deep.equal(
      [clip],
    );
  });

  it('count tracks, entries, crossings and events by hour, as JSON and CSV', async () => {
    const id = await submit({ zones: [YARD], lines: [DOOR], rules: [{ name: 'in', zone: 'yard' }] });
    const walker = await begin(id);
    // The next full hour is half an hour away: 9,000 frames.
    for (const [track, from] of [
      ['a', 0],
      ['b', 9_000],
    ] as const) {
      // oxfmt-ignore
      walker.see(from, OUTSIDE, track);
      walker.see(from + 1, INSIDE, track);
      walker.see(from + 2, [0.6, 0.5], track);
      walker.ended(track);
    }
    await walker.tell({ again: true });
    const counts = {
      classes: { PERSON: 1 },
      zones: { yard: { entered: 1, left: 1, dwellMs: 200 } },
      lines: { door: { toRight: 0, toLeft: 1 } },
      rules: { in: 1 },
    };
    const path = `/rest/streaming/jobs/${id}/counts`;
    expect((await service.ask('GET', path)).body).to.deep.equal({
      hours: [
        { start: '2026-11-22T12:00:00.000Z', ...counts },
        { start: '2026-11-22T13:00:00.000Z', ...counts },
      ],
    });
    const { text } = await service.ask('GET', path, undefined, { accept: 'text/csv' });
    expect(text.split('\r\n').slice(0, 3)).to.deep.equal([
      'hour,what,name,count',
      '2026-11-22T12:00:00.000Z,tracks,PERSON,1',
      '2026-11-22T12:00:00.000Z,entered,yard,1',
    ]);
    const later = `${path}?start=2026-11-22T13:00:00Z`;
    expect((await service.ask('GET', later)).body).to.deep.equal({
      hours: [{ start: '2026-11-22T13:00:00.000Z', ...counts }],
    });
    const table = await service.ask('GET', `${later}&format=csv`);
    expect(table.text.split('\r\n')[1]).to.equal('2026-11-22T13:00:00.000Z,tracks,PERSON,1');
    expect((await service.ask('GET', `${path}?start=noon`)).status).to.equal(400);
    await finish(id, walker);
  });

  it('keep few messages for a broker that is away, which the health report tells', async () => {
    const mqtt = { url: broker.url, topic: 'site/away', discoveryPrefix: '' };
    await broker.stop();
    const id = await submit({
      ...{ zones: [YARD], rules: [{ name: 'in', zone: 'yard' }], events: { mqtt, kinds: ['RULE'] } },
      healthReportCallbackUri: `${receiver.url}/health`,
    });
    const walker = await begin(id);
    for (let visit = 0; visit < 230; visit++) {
      walker.see(3 * visit, OUTSIDE);
      walker.see(3 * visit + 1, INSIDE);
      if (visit % 5 === 4) await walker.tell();
    }
    await walker.tell();
    // Beside 200 events, the state of the stream and the zone, and the newest picture of the rule.
    const stuck = await until(
      'the trouble shows',
      () => zonesOf(id),
      ({ trouble }) => trouble !== null,
    );
    expect(stuck['trouble']).to.match(
      /^Publishing to the broker mqtt:\/\/\*\*\*@127\.0\.0\.1:\d+ failed due to: /,
    );
    expect(stuck).to.include({ pending: 203, dropped: 30 });
    await component.events(walker.token, { type: 'opened', at: AT, width: 640, height: 360, fps: 5 });
    // On a slow machine, earlier reports contain fewer events.
    await until(
      'a health report tells it',
      () =>
        receiver.requests
          .filter(({ path }) => path === '/health')
          .flatMap(({ body }) => (JSON.parse(body) as { reports: { events?: object }[] }).reports)
          .map(({ events }) => ({ pending: 0, dropped: 0, ...events })),
      (told) => told.some(({ pending, dropped }) => pending === 203 && dropped === 30),
    );

    broker.messages.length = 0;
    await broker.start();
    await until(
      'all that waited has arrived',
      () => zonesOf(id),
      ({ pending }) => pending === 0,
      { withinMs: 60_000 },
    );
    expect(broker.on('site/away/zone/yard').at(-1)!.text).to.include('"occupancy":1');
    expect(
      new Set(broker.on('site/away/rule/in').map(({ text }) => (JSON.parse(text) as ZoneEvent).id)).size,
    ).to.equal(200);
    expect(broker.on('site/away/rule/in/crop')).to.have.length(1);
    await finish(id, walker);
  });

  it('are refused when they are wrong, with what to do', async () => {
    const refusal = async (more: object) => {
      const { status, body } = await post(more);
      expect(status).to.equal(400);
      return (body as { coreResponse: { message: string } }).coreResponse.message;
    };
    const bow = { name: 'bow', points: [[0, 0], [1, 1], [1, 0], [0, 1]] }; // oxfmt-ignore
    expect(await refusal({ zones: [bow] })).to.include('Zone "bow" crosses itself');
    expect(await refusal({ zones: [YARD], rules: [{ name: 'r', zone: 'yrad' }] })).to.include(
      'Did you mean yard?',
    );
    const face = { pipelineName: 'FACE DETECTION PIPELINE', zones: [YARD] };
    expect(await refusal({ ...face, rules: [{ name: 'r', zone: 'yard', classes: ['person'] }] })).to.include(
      'no detector of the pipeline finds. The pipeline finds: FACE.',
    );
    expect(await refusal({ events: { mqtt: { url: 'http://broker' } } })).to.include(
      'Use an address such as mqtt://',
    );
    expect(await refusal({ events: { mqtt: { url: broker.url, topic: 'a/#' } } })).to.include(
      '"a/#" is not allowed',
    );
  });

  it('warn when the component reports tracks but no events of zones', async () => {
    const id = await submit({ zones: [YARD] });
    const { token } = await claimLive(component, id);
    const warningsAfter = async (segment: number, at: number) => {
      expect((await component.segment(token, segment, segmentLines(segment, at))).status).to.equal(200);
      const { body } = await service.ask('GET', `/rest/streaming/jobs/${id}?details=true`);
      return (body as { readonly warnings: readonly string[] }).warnings;
    };
    expect(await warningsAfter(0, AT)).to.deep.equal([]);
    for (const segment of [1, 2])
      expect((await warningsAfter(segment, AT + segment * 2_000)).join('|')).to.match(
        /^The component of this stream reports tracks, but does not process zones[^|]*$/,
      );
    await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await component.end(token, { reason: 'cancelled', detail: '' });
  });

  it('change nothing for jobs that do not ask for them', async () => {
    const id = await submit({});
    const { work, token } = await claimLive(component, id);
    expect(work.zones).to.equal(undefined);
    expect(await eventsOf(id)).to.deep.equal([]);
    expect(await zonesOf(id)).to.equal(undefined);
    await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await component.end(token, { reason: 'cancelled', detail: '' });
  });
});
