/** `troupe streams`: streaming jobs on the command line. The test plays the component. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import {
  claimLive,
  LIVE_PIPELINE,
  registerLivePipeline,
  SEGMENT_SIZE,
  segmentLines,
} from '../../../support/live-pipeline.ts';
import { RawComponent } from '../../../support/processes/raw-component.ts';
import { Service } from '../../../support/processes/service.ts';
import { until } from '../../../support/until.ts';
import { ZoneWalker } from '../../../streaming/zones/zone-walker.ts';
import { Place, type Outcome } from '../../support/support.ts';

const AT = Date.UTC(2026, 10, 22, 12);
const opened = { type: 'opened', at: AT, width: 640, height: 360, fps: 25 } as const;
const box = { x: 10.4, y: 20, width: 30, height: 40 };

describe('troupe streams', () => {
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
    await place.leave();
    await service.close();
  });

  const troupe = (...args: readonly string[]) => place.troupe(['streams', ...args], as);
  const good = async (...args: readonly string[]) => checkOutcome(args, await troupe(...args));
  const submit = async (): Promise<number> => {
    const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: true,
      stream: {
        streamUri: 'rtsp://viewer:pa55word@camera.example/live',
        segmentSize: SEGMENT_SIZE,
      },
      stallTimeout: 60_000,
      pipelineName: LIVE_PIPELINE,
    });
    expect(status, text).to.equal(201);
    return (body as { jobId: number }).jobId;
  };
  const activeJobs = async () =>
    ((await service.ask('GET', '/rest/streaming/jobs')).body as { jobIds: number[] }).jobIds;
  const watchStream = async (): Promise<{ readonly id: number; readonly token: string }> => {
    const id = await submit();
    const { token } = await claimLive(component, id);
    await component.events(token, opened);
    return { id, token };
  };

  it('lists those that are active, with --all also those that have ended, and no password', async () => {
    const none = await troupe('list');
    expect([none.code, none.stdout, none.stderr]).to.deep.equal([0, '', 'No streaming job matches.\n']); // oxfmt-ignore
    const { id, token } = await watchStream();
    await component.segment(token, 0, segmentLines(0, AT));
    const table = (await good('list')).split('\n');
    expect(table[0]).to.match(/^JOB +STATUS +SEGMENTS +DROPPED +STARTED +PIPELINE +STREAM$/);
    expect(table[1])
      .to.match(new RegExp(`^${id} +IN_PROGRESS +1 +2 +\\d{4}-.* +LIVE PIPELINE +rtsp://`))
      .and.to.include('@camera.example/live')
      .and.not.include('pa55word');
    expect(JSON.parse(await good('list', '--json'))).to.deep.equal({ jobIds: [id] });
    await component.end(token, { reason: 'ended', detail: 'BYE' });
    expect((await troupe('list')).stdout).to.equal('');
    expect(await good('list', '--all')).to.match(new RegExp(`^${id} +TERMINATED +1 `, 'm'));
  });

  it('shows how one stands, and the answer of the service', async () => {
    const { id, token } = await watchStream();
    await component.segment(token, 0, segmentLines(0, AT));
    expect(await good('show', String(id)))
      .to.match(/^Status +IN_PROGRESS$/m)
      .and.to.match(/^Picture +640x360, 25 frames\/s$/m)
      .and.to.match(/^Frames +10 read, 8 looked at\n +2 dropped as newer ones had come\n/m)
      .and.to.match(/^Segments +1$/m)
      .and.not.include('pa55word');
    expect(JSON.parse(await good('show', String(id), '--json'))).to.deep.include({ jobId: id, segments: 1 });
    await component.end(token, { reason: 'ended', detail: 'BYE' });
    expect(await good('show', String(id))).to.match(/^Detail +BYE$/m);
  });

  it('watches one: tracks, segments, drops and states as they happen, until it ends', async () => {
    const { id, token } = await watchStream();
    const watching = place.start(['streams', 'watch', String(id)], as);
    await watching.says('stdout', 'IN_PROGRESS  640x360, 25 frames/s');
    const began = { at: AT, liveId: 'a', frame: 3, ...box, confidence: 0.934 };
    await component.events(token, {
      type: 'trackBegan',
      ...began,
      properties: { CLASSIFICATION: 'car', COLOR: '\u001b[31mred' },
    });
    await component.events(token, { type: 'reconnecting', at: AT, cause: 'The connection was cut.' });
    await component.events(token, { type: 'warning', at: AT, message: 'Too dark.' });
    await component.events(token, { type: 'trackEnded', at: AT + 2_500, liveId: 'a', frame: 9 });
    await component.say(`/leases/${token}/events`, {
      events: [],
      counts: { read: 40, processed: 33, dropped: 7, skipped: 0, reconnects: 1 },
    });
    await component.segment(token, 0, segmentLines(0, AT));
    await watching.says('stdout', 'segment');
    await component.end(token, { reason: 'ended', detail: 'BYE' });
    const { code, stdout, stderr } = await watching.ended;
    expect([code, stderr]).to.deep.equal([
      0,
      `Streaming job ${id}: TERMINATED after 1 segment, 2 of 10 frames dropped: BYE\n`,
    ]);
    const lines = stdout.trimEnd().split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, '')); // oxfmt-ignore
    expect(lines).to.deep.equal([
      'state         IN_PROGRESS  640x360, 25 frames/s',
      'began         track a  frame 3  at 10,20 30x40  confidence 0.93  CLASSIFICATION=car  COLOR= [31mred',
      'reconnecting  The connection was cut.',
      'warning       Too dark.',
      'ended         track a  frame 9  after 2.5 s  CLASSIFICATION=car  COLOR= [31mred',
      'dropped       7 more frames: 7 of 40 so far',
      'segment       0: 1 track, 1 detection',
      'state         TERMINATED  BYE',
    ]);
  });

  it('watches with --json a line an event, and with exit code 1 what ends ERROR or goes on', async () => {
    const { id, token } = await watchStream();
    const watching = place.start(['streams', 'watch', String(id), '--json'], as);
    await watching.says('stdout', '"type":"job"');
    await component.failure(token, 'INVALID_PROPERTY', 'X is no number');
    const { code, stdout, stderr } = await watching.ended;
    expect(code, stderr).to.equal(1);
    expect(stderr).to.include(`Streaming job ${id}: ERROR after 0 segments: `).and.include('X is no number');
    const events = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as { jobStatus: string }); // oxfmt-ignore
    expect(events.at(-1)).to.deep.include({ type: 'job', jobStatus: 'ERROR' });

    const other = await watchStream();
    const left = place.start(['streams', 'watch', String(other.id)], as);
    await left.says('stdout', 'IN_PROGRESS');
    left.signal('SIGINT');
    const end = await left.ended;
    expect([end.code, end.stderr]).to.deep.equal([1, `Streaming job ${other.id} continues; this command has stopped watching it.\n`]); // oxfmt-ignore
    await component.end(other.token, { reason: 'ended', detail: '' });
  });

  it('lists the events in zones, and counts them by hour', async () => {
    const { status, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: { streamUri: 'rtsp://camera.example/live', segmentSize: SEGMENT_SIZE },
      stallTimeout: 60_000,
      pipelineName: LIVE_PIPELINE,
      zones: [{ name: 'yard', points: [[0, 0], [0.5, 0], [0.5, 1], [0, 1]] }], // oxfmt-ignore
      rules: [{ name: 'in', zone: 'yard' }],
    });
    expect(status).to.equal(201);
    const id = String((body as { jobId: number }).jobId);
    expect(await good('events', id)).to.equal('There are no events.\n');
    expect(await good('counts', id)).to.equal('Nothing was counted.\n');
    const walker = new ZoneWalker(component, await claimLive(component, Number(id)), AT);
    for (let frame = 0; frame < 6; frame++) walker.see(frame, [frame < 4 ? 0.3 : 0.8, 0.5]);
    await walker.tell();
    const cellsOf = (text: string) => text.trimEnd().split('\n').map((line) => line.split(/ {2,}/)); // oxfmt-ignore
    const [titles, ...events] = cellsOf(await good('events', id));
    expect(titles).to.deep.equal(['TIME', 'EVENT', 'WHERE', 'CLASS', 'STAYED', 'TRACK']);
    expect(events.map((cells) => cells.slice(1, 4))).to.deep.equal([
      ['left', 'yard', 'PERSON'],
      ['entered', 'yard', 'PERSON'],
      ['rule', 'in', 'PERSON'],
    ]);
    const rules = cellsOf(await good('events', id, '--kind', 'RULE', '--limit', '1'));
    expect(rules.slice(1).map((cells) => cells[1])).to.deep.equal(['rule']);
    const [heads, ...counts] = cellsOf(await good('counts', id, '--from', '2026-11-22'));
    expect(heads).to.deep.equal(['HOUR', 'WHAT', 'NAME', 'COUNT']);
    expect(counts.map((cells) => cells.slice(1))).to.deep.equal([
      ['tracks', 'PERSON', '1'],
      ['entered', 'yard', '1'],
      ['left', 'yard', '1'],
      ['rule', 'in', '1'],
    ]);
    expect(await good('counts', id, '--from', '2026-11-23')).to.equal('Nothing was counted.\n');
    const { hours } = JSON.parse(await good('counts', id, '--json')) as { hours: readonly object[] };
    expect(hours).to.have.length(1);
    await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`);
    await component.end(walker.token, { reason: 'cancelled', detail: '' });
  });

  it('writes the newest picture to a file', async () => {
    const { id, token } = await watchStream();
    const getting = place.start(['streams', 'frame', String(id), '--to', 'now.jpg'], as);
    await until(
      'a picture is wanted',
      () => component.events(token),
      ({ body }) => (body as { wantsFrame?: boolean }).wantsFrame === true,
    );
    await component.picture(token, Buffer.from('picture'));
    const { code, stderr } = await getting.ended;
    expect(code, stderr).to.equal(0);
    expect(readFileSync(path.join(place.folder, 'now.jpg'), 'utf8')).to.equal('picture');
    await component.end(token, { reason: 'ended', detail: '' });
    const none = await troupe('frame', String(id), '--to', 'none.jpg');
    expect([none.code, none.stderr]).to.deep.equal([2, `Streaming job ${id} has no picture, because it is TERMINATED.\n`]); // oxfmt-ignore
  });

  it('starts one again with changes, and keeps all else', async () => {
    const { id, token } = await watchStream();
    const zone = ['--zone', 'yard=0.1,0.4 0.9,0.4 0.9,1', '--rule', '{"name": "in", "zone": "yard"}'];
    const said = await good('restart', String(id), ...zone, '--segment-size', '20');
    const [next] = (await activeJobs()).filter((one) => one > id);
    expect(said).to.equal(`Streaming job ${next} takes the place of ${id}: troupe streams watch ${next}.\n`);
    await component.end(token, { reason: 'cancelled', detail: '' });
    const second = await claimLive(component, next!);
    expect(second.work).to.include({ uri: 'rtsp://viewer:pa55word@camera.example/live', segmentSize: 20 });
    expect(second.work.zones!.plan.rules).to.deep.equal([{ name: 'in', zone: 'yard' }]);

    const file = path.join(place.folder, 'changes.json');
    writeFileSync(file, JSON.stringify({ externalId: 'gate 3', stream: { recording: { days: 2 } } }));
    const more = ['--changes', file, '--remove', 'zones', '--remove', 'rules', '--property', 'LOUD=YES'];
    const answer = JSON.parse(await good('restart', String(next), ...more, '--json')) as { jobId: number };
    await component.end(second.token, { reason: 'cancelled', detail: '' });
    const third = await claimLive(component, answer.jobId);
    expect(third.work.zones?.plan).to.deep.include({ zones: [], rules: [] });
    expect(third.work.properties).to.include({ LOUD: 'YES' });
    expect(third.work).to.include({ segmentSize: 20 });
    expect(third.work).to.have.property('recording');
    expect(JSON.parse(await good('show', String(answer.jobId), '--json'))).to.include({
      externalId: 'gate 3',
    });
    await service.ask('POST', `/rest/streaming/jobs/${answer.jobId}/cancel`);
    await component.end(third.token, { reason: 'cancelled', detail: '' });
  });

  it('says why one is not started again, which continues', async () => {
    const { id, token } = await watchStream();
    const refusalOf = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await troupe('restart', ...args);
      expect([code, stdout], args.join(' ')).to.deep.equal([2, '']);
      return stderr;
    };
    const rule = ['--rule', '{"name": "r", "zone": "yrad"}', '--zone', 'yard=0,0 1,0 1,1'];
    expect(await refusalOf(String(id), ...rule)).to.include('Did you mean yard?');
    expect(await refusalOf(String(id), '--remove', 'zone')).to.include('Write one of zones, lines');
    expect(await refusalOf(String(id), '--changes', 'none.json')).to.include('There is no file none.json.');
    expect(await refusalOf('999999')).to.include("Streaming job with id 999999 doesn't exist.");
    expect(await activeJobs()).to.include(id);
    await component.end(token, { reason: 'ended', detail: '' });
  });

  it('cancels one, with its files if so wanted, and deletes what has ended', async () => {
    const { id, token } = await watchStream();
    expect((await troupe('delete', String(id))).stderr).to.include('has not ended yet');
    expect(await good('cancel', String(id), '--cleanup')).to.equal(
      `Streaming job ${id} is being cancelled, and its files are removed.\n`,
    );
    await component.end(token, { reason: 'cancelled', detail: '' });
    const again = await troupe('cancel', String(id));
    expect([again.code, again.stderr]).to.deep.equal([2, `Streaming job ${id} already has state 'CANCELLED' and cannot be cancelled at this time.\n`]); // oxfmt-ignore
    expect(await good('delete', String(id))).to.equal(`Streaming job ${id} is deleted.\n`);
    for (const args of [
      ['show'],
      ['watch'],
      ['delete'],
      ['events'],
      ['counts'],
      ['frame', '--to', 'x.jpg'],
      ['clip', '--from', '2h', '--to', '1h', '--output', 'x.mp4'],
    ] as const) {
      const [verb, ...more] = args;
      const { code, stderr } = await troupe(verb, String(id), ...more);
      expect([code, stderr], verb).to.deep.equal([2, `There is no streaming job ${id}. troupe streams list --all shows all.\n`]); // oxfmt-ignore
    }
  });
});

function checkOutcome(args: readonly string[], { code, stdout, stderr }: Outcome): string {
  expect(code, `${args.join(' ')}: ${stderr}`).to.equal(0);
  return stdout;
}
