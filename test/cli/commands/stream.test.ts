/** `troupe stream`: cameras on the command line, with the test as the component, and with real components. */
import { existsSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { closeServers, rtsp, withLogin } from '../../media/live/live-watching.ts';
import { accessUnits } from '../../support/media/coded-media.ts';
import { claimLive, LIVE_PIPELINE, registerLivePipeline, segmentLines } from '../../support/live-pipeline.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { ZoneWalker } from '../../streaming/zones/zone-walker.ts';
import { Broker } from '../../support/servers/broker.ts';
import { Receiver } from '../../support/servers/receiver.ts';
import { Place, sample, type Running } from '../support/support.ts';

const AT = Date.UTC(2026, 10, 22, 12);
const URI = 'rtsp://viewer:pa55word@camera.example/live';
const opened = { type: 'opened', at: AT, width: 640, height: 360, fps: 25 } as const;

describe('troupe stream', function () {
  this.timeout(240_000);
  let place: Place;
  let service: Service;
  let component: RawComponent;
  let as: Readonly<Record<string, string>>;
  before(async () => {
    place = new Place({ warm: true });
    service = await Service.here({ STREAM_RESTART_MS: '20' });
    await registerLivePipeline(service);
    component = new RawComponent(service);
    as = { TROUPE_URL: service.url, TROUPE_TOKEN: service.token };
  });
  after(async () => {
    await closeServers();
    await place.leave();
    await service.close();
  });

  const active = async () =>
    ((await service.ask('GET', '/rest/streaming/jobs')).body as { jobIds: number[] }).jobIds;
  const info = async (id: number) =>
    (await service.ask('GET', `/rest/streaming/jobs/${id}`)).body as Readonly<Record<string, unknown>>;
  const recordingOf = async (id: number) => {
    const { body } = await service.ask('GET', `/rest/streaming/jobs/${id}?details=true`);
    return (body as { recording: Readonly<Record<string, unknown>> }).recording;
  };
  const start = (...args: readonly string[]) => place.start(['stream', ...args], as);
  /** The only active job, and the token of its component. */
  const findActiveJob = async (running: Running) => {
    await running.says('stderr', 'is accepted');
    const [id] = await active();
    const assignment = await claimLive(component, id!);
    return { id: id!, assignment, token: assignment.token, work: assignment.work };
  };

  it('creates a job with zones and rules, and shows only what happens in them with --events', async () => {
    const rule = { name: 'loiter', zone: 'yard', longerThan: 10 };
    const zones = ['--zone', 'yard=0.1,0.4 0.9,0.4 0.9,1', '--line', 'gate=0.5,0 0.5,1'];
    const running = start(
      URI,
      '--pipeline',
      'live pipeline',
      ...zones,
      '--rule',
      JSON.stringify(rule),
      '--events',
    );
    const { token, work } = await findActiveJob(running);
    expect(work.zones!.plan).to.deep.equal({
      zones: [{ name: 'yard', points: [[0.1, 0.4], [0.9, 0.4], [0.9, 1]] }], // oxfmt-ignore
      lines: [{ name: 'gate', points: [[0.5, 0], [0.5, 1]] }], // oxfmt-ignore
      rules: [rule],
    });
    const box = { x: 1, y: 2, width: 3, height: 4 };
    const seen = { at: AT, frame: 3, track: 'a', class: 'PERSON', confidence: 0.9, box };
    const hit = {
      type: 'rule',
      rule: 'loiter',
      event: 'DWELL',
      zone: 'yard',
      since: AT,
      dwellMs: 10_000,
    } as const;
    const { state } = work.zones!;
    await component.events(
      token,
      opened,
      { type: 'trackBegan', liveId: 'b', properties: {}, ...seen, ...box },
      { type: 'zones', at: AT, seq: 1, state, events: [{ ...hit, ...seen }] },
    );
    await running.says('stdout', 'rule loiter  zone yard  PERSON  after 10.0 s  track a');
    running.signal('SIGINT');
    await running.says('stderr', 'is being cancelled');
    await component.end(token, { reason: 'cancelled', detail: '' });
    const { stdout } = await running.ended;
    expect(stdout).to.not.include('began');
  });

  it('records another address as long as asked, and names who gets the events', async () => {
    const large = 'rtsp://viewer:pa55word@camera.example/large';
    const recording = ['--record-uri', large, '--record-days', '0.5', '--record-bytes', '50000000'];
    const receiver = await Receiver.start();
    const broker = await new Broker().start();
    const receivers = ['--webhook', `${receiver.url}/events`, '--mqtt', broker.url];
    const zone = ['--zone', 'yard=0,0 1,0 1,1 0,1'];
    const running = start(URI, '--pipeline', LIVE_PIPELINE, ...zone, ...recording, ...receivers);
    const { id, assignment, token } = await findActiveJob(running);
    const shown = await recordingOf(id);
    expect(shown).to.include({ days: 0.5, bytes: 50_000_000 });
    expect(shown['streamUri']).to.include('@camera.example/large').and.not.include('pa55word');
    const walker = new ZoneWalker(component, assignment, AT);
    walker.see(0, [0.5, 0.5]);
    await walker.tell();
    await until('the webhook has the event', () => receiver.requests.length > 0);
    await until('the broker has it', () => broker.on(`troupe/${id}/zone/yard`).length > 0);
    await component.end(token, { reason: 'ended', detail: 'BYE' });
    const { code, stderr } = await running.ended;
    expect(code, stderr).to.equal(0);
    await receiver.close();
    await broker.stop();
    const other = start(URI, '--pipeline', LIVE_PIPELINE, '--record');
    const second = await findActiveJob(other);
    expect(await recordingOf(second.id)).to.deep.equal({ days: 7, bytes: 20_000_000_000 });
    await component.end(second.token, { reason: 'ended', detail: 'BYE' });
    await other.ended;
  });

  it('refuses options of recordings and webhooks that it cannot read', async () => {
    const refusalOf = async (...args: readonly string[]) =>
      (await start(URI, '--pipeline', LIVE_PIPELINE, ...args).ended).stderr;
    expect(await refusalOf('--record-days', '0')).to.include('It is a number of days, such as 7 or 0.5.');
    expect(await refusalOf('--record-bytes', 'many')).to.include('It is a whole number, 1 or more.');
    expect(await refusalOf('--webhook', 'receiver')).to.include('It is an http(s) URL.');
  });

  it('refuses zones and rules that it cannot read, with an example', async () => {
    const refusalOf = async (...args: readonly string[]) =>
      (await start(URI, '--pipeline', 'live pipeline', ...args).ended).stderr;
    expect(await refusalOf('--zone', 'yard')).to.include('Write NAME=X,Y X,Y');
    expect(await refusalOf('--zone', 'yard=0.1,a 0.2,0.2')).to.include('Write NAME=X,Y X,Y');
    expect(await refusalOf('--rule', '{')).to.include('It is not JSON.');
    expect(await refusalOf('--rule', 'none.json')).to.include('There is no file none.json.');
  });

  it('creates a job of its argument, shows what is seen, and cancels it at Ctrl-C', async () => {
    const properties = ['--property', 'LOUD=YES', '--algorithm-property', 'live:TALL=NO'];
    const more = [...properties, '--segment-size', '10', '--stall-timeout', '-1'];
    const running = start(URI, '--pipeline', 'live pipeline', ...more);
    const { id, token, work } = await findActiveJob(running);
    expect(work).to.deep.include({ uri: URI, segmentSize: 10, stall: { alertMs: work.stall.alertMs, timeoutMs: -1 } }); // oxfmt-ignore
    expect(work.properties).to.include({ LOUD: 'YES', TALL: 'NO' });
    await component.events(token, opened);
    await running.says('stdout', 'IN_PROGRESS');
    running.signal('SIGINT');
    await running.says('stderr', 'is being cancelled');
    await running.says('stdout', 'CANCELLING');
    await component.segment(token, 0, segmentLines(0, AT));
    await component.end(token, { reason: 'cancelled', detail: '' });
    const { code, stdout, stderr } = await running.ended;
    expect(code, stderr).to.equal(0);
    expect(stdout)
      .to.include('segment       0: 1 track')
      .and.include('CANCELLED')
      .and.not.include('pa55word');
    const folder = /its reports come to (.*)$/m.exec(stderr)?.[1] ?? '';
    expect(readdirSync(folder)).to.have.length(1);
    expect(stderr).to.match(
      new RegExp(`^Streaming job ${id}: CANCELLED after 1 segment, 2 of 10 frames dropped: `, 'm'),
    );
    expect(stderr).to.not.include('pa55word');
  });

  it('takes the URI from standard input, where no other user of the machine sees its password', async () => {
    const args = ['stream', '-', '--pipeline', LIVE_PIPELINE, '--url', service.url];
    const running = place.start(args, as, undefined, `${URI}\n`);
    const { token, work } = await findActiveJob(running);
    expect(work.uri).to.equal(URI);
    await component.end(token, { reason: 'ended', detail: 'BYE' });
    const { code, stderr } = await running.ended;
    expect(code, stderr).to.equal(0);
  });

  it('leaves the job alone at Ctrl-C with --keep', async () => {
    const running = start(URI, '--pipeline', LIVE_PIPELINE, '--keep');
    const { id, token } = await findActiveJob(running);
    await component.events(token, opened);
    await running.says('stdout', 'IN_PROGRESS');
    running.signal('SIGINT');
    const { code, stderr } = await running.ended;
    expect(code, stderr).to.equal(0);
    expect(stderr).to.include(`Streaming job ${id} continues: troupe streams watch ${id}, or cancel ${id}.`);
    expect(await info(id)).to.include({ jobStatus: 'IN_PROGRESS' });
    await component.end(token, { reason: 'ended', detail: '' });
  });

  it('ends with 1 and the detail of a job that ends ERROR', async () => {
    const running = start(URI, '--pipeline', LIVE_PIPELINE);
    const { id, token } = await findActiveJob(running);
    await component.failure(token, 'COULD_NOT_OPEN_MEDIA', 'The camera wants another password.');
    const { code, stderr } = await running.ended;
    const detail = 'Unable to connect to stream: The camera wants another password.';
    expect(code, stderr).to.equal(1);
    expect(stderr).to.include(`Streaming job ${id}: ERROR after 0 segments: ${detail}\n`);
  });

  it('ends with 2 when nothing is run: no pipeline, an unknown one, or arguments that are none', async () => {
    const outcome = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await place.troupe(['stream', ...args], as);
      expect([code, stdout], args.join(' ')).to.deep.equal([2, '']);
      return stderr;
    };
    expect(await outcome(URI))
      .to.include('--pipeline <NAME>')
      .and.include(LIVE_PIPELINE);
    expect(await outcome(URI, '--pipeline', 'NONE')).to.include('The pipelines are:').and.include(LIVE_PIPELINE); // oxfmt-ignore
    expect(await outcome(URI, '--pipeline', LIVE_PIPELINE, '--segment-size', '9')).to.include('10 or more');
    expect(await outcome(URI, '--pipeline', LIVE_PIPELINE, '--algorithm-property', 'LVE:A=B')).to.include('no algorithm named LVE'); // oxfmt-ignore
    expect(await outcome(URI, '--pipeline', LIVE_PIPELINE, '--stall-timeout', '-2')).to.include('number');
    expect(await outcome('file:///x', '--pipeline', LIVE_PIPELINE)).to.include('Only RTSP, HTTP, and HTTPS');
    expect(await active()).to.deep.equal([]);
  });

  it('shows what moves before a real camera, and saves its picture', async () => {
    const camera = await rtsp(accessUnits(sample('face_move.mp4')), () => ({ speed: 1, after: 'stall' }));
    const uri = withLogin(camera.url, 'viewer:pa55word');
    const running = start(uri, '--pipeline', 'MOTION DETECTION PIPELINE', '--segment-size', '20', '--stall-timeout', '-1'); // oxfmt-ignore
    await running.says('stdout', 'began ');
    const [id] = await active();
    const frame = await place.troupe(['streams', 'frame', String(id), '--to', 'now.jpg'], as);
    expect(frame.code, frame.stderr).to.equal(0);
    expect(existsSync(`${place.folder}/now.jpg`)).to.equal(true);
    await running.says('stdout', 'segment ');
    running.signal('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/began +track \S+ +frame \d+ +at \d+,\d+ \d+x\d+ +confidence 0\.\d\d/);
    expect(stdout + stderr).to.not.include('pa55word');
    await until('no job is left', active, (ids) => ids.length === 0);
  });
});
