/** GET /metrics of live streams. The test plays the component. */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import type { StreamCounts } from '../../../protocol/streams.ts';
import {
  claimLive,
  LIVE_PIPELINE,
  registerLivePipeline,
  SEGMENT_SIZE,
  segmentLines,
} from '../../support/live-pipeline.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { answer, drop, Receiver } from '../../support/servers/receiver.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const FIGURES = ['frames_read', 'frames_processed', 'frames_dropped', 'frames_skipped', 'reconnects'];

describe('GET /metrics of live streams', () => {
  let service: Service;
  let component: RawComponent;
  let receiver: Receiver;
  before(async () => {
    service = await Service.here({
      STREAM_RESTART_MS: '20',
      MAX_QUEUED_REPORTS: '1',
    });
    await registerLivePipeline(service);
    component = new RawComponent(service);
    receiver = await Receiver.start();
  });
  after(async () => {
    await receiver.close();
    await service.close();
  });

  const scrape = async () => (await service.ask('GET', '/metrics')).text;
  const sample = (text: string, name: string) => {
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  };
  const value = async (name: string) => sample(await scrape(), name);
  const figuresOf = async (id: number) => {
    const text = await scrape();
    return FIGURES.map((name) => {
      const start = `troupe_stream_${name}_total{streaming_job="${id}",pipeline="${LIVE_PIPELINE}"} `;
      return Number(text.split('\n').find((line) => line.startsWith(start))?.slice(start.length)); // oxfmt-ignore
    });
  };
  const submit = async (more: object = {}): Promise<number> => {
    const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: { streamUri: 'rtsp://viewer:pa55word@camera.example/live', segmentSize: SEGMENT_SIZE },
      stallTimeout: -1,
      pipelineName: LIVE_PIPELINE,
      ...more,
    });
    expect(status, text).to.equal(201);
    return (body as { jobId: number }).jobId;
  };
  const openedEvent = () => ({ type: 'opened', at: Date.now(), width: 640, height: 360, fps: 25 }) as const;
  const counts = (read: number): StreamCounts => ({ read, processed: read - 3, dropped: 2, skipped: 1, reconnects: 1 }); // oxfmt-ignore
  const tell = (token: string, events: readonly object[], seen: StreamCounts) =>
    component.say(`/leases/${token}/events`, { events, counts: seen });
  const framesOf = async (id: number) =>
    ((await service.ask('GET', `/rest/streaming/jobs/${id}?details=true`)).body as { frames: StreamCounts })
      .frames;

  it('has the frames of each job that goes on, which only grow, and none of one that has ended', async () => {
    const ended = `troupe_streaming_jobs_ended_total{pipeline="${LIVE_PIPELINE}",status="TERMINATED"}`;
    const before = (await value(ended)) ?? 0;
    const id = await submit();
    expect(await value('troupe_streaming_jobs{status="INITIALIZING"}')).to.equal(1);
    const first = await claimLive(component, id);
    await tell(first.token, [openedEvent()], counts(20));
    expect(await figuresOf(id)).to.deep.equal([20, 17, 2, 1, 1]);
    expect(await value('troupe_streaming_jobs{status="IN_PROGRESS"}')).to.equal(1);
    expect(await value('troupe_streaming_jobs{status="INITIALIZING"}')).to.equal(0);
    await tell(first.token, [], counts(30));
    await component.failure(first.token, 'DETECTION_FAILED', 'out of luck');
    expect(await figuresOf(id)).to.deep.equal([30, 27, 2, 1, 1]);
    const second = await claimLive(component, id);
    await tell(second.token, [], counts(5));
    expect(await figuresOf(id), 'the next one begins at 0').to.deep.equal([35, 29, 4, 2, 2]);
    await component.end(second.token, { reason: 'ended', detail: '' });
    const text = await scrape();
    expect(text).to.not.include(`streaming_job="${id}"`).and.not.include('camera.example');
    expect(await value(ended)).to.equal(before + 1);
  });

  it('begins with the process: what was counted before a restart is no growth', async () => {
    const id = await submit();
    const { token } = await claimLive(component, id);
    await tell(token, [openedEvent()], counts(1_000));
    await service.stop();
    await service.startHere();
    expect(await figuresOf(id)).to.deep.equal([0, 0, 0, 0, 0]);
    await tell(token, [], counts(1_005));
    await tell(token, [], counts(1_012));
    expect(await figuresOf(id)).to.deep.equal([7, 7, 0, 0, 0]);
    await component.end(token, { reason: 'ended', detail: '' });
  });

  it('times how long after a frame the server was told what is in it', async () => {
    const count = 'troupe_stream_event_delay_seconds_count';
    const sum = 'troupe_stream_event_delay_seconds_sum';
    const [told, before] = [await value(count), await value(sum)];
    const id = await submit();
    const { token } = await claimLive(component, id);
    const at = Date.now() - 2_000;
    const track = { liveId: 'a', frame: 1, x: 1, y: 2, width: 3, height: 4, confidence: 0.5, properties: {} };
    await component.events(token, openedEvent(), { type: 'trackBegan', at, ...track });
    await component.events(token, { type: 'activity', at: at + 3_600_000, frame: 1 });
    expect(await value(count)).to.equal((told ?? 0) + 2);
    expect((await value(sum))! - (before ?? 0), 'a clock that goes before counts as 0')
      .to.be.at.least(2)
      .and.below(20);
    await component.end(token, { reason: 'ended', detail: '' });
  });

  it('counts reports that were sent, not taken, and lost', async () => {
    const of = (outcome: string) => `troupe_stream_reports_total{kind="summary",outcome="${outcome}"}`;
    const readCounts = async (): Promise<readonly number[]> => {
      const text = await scrape();
      return ['sent', 'failed', 'dropped'].map((outcome) => sample(text, of(outcome)) ?? 0);
    };
    const [sent = 0, failed = 0, dropped = 0] = await readCounts();
    const becomes = (...wanted: readonly number[]) =>
      until('the reports are counted', readCounts, (now) => now.join() === wanted.join());
    receiver.manner = answer(200);
    const id = await submit({ summaryReportCallbackUri: `${receiver.url}/summary` });
    const { token } = await claimLive(component, id);
    await component.segment(token, 0, segmentLines(0, Date.now()));
    await becomes(sent + 1, failed, dropped);
    // One report is being sent and one waits, so there is no room for a third.
    const onTheirWay: (() => void)[] = [];
    receiver.manner = (_, response) => onTheirWay.push(() => response.destroy());
    for (const segment of [1, 2, 3])
      await component.segment(token, segment, segmentLines(segment, Date.now()));
    await becomes(sent + 1, failed, dropped + 1);
    receiver.manner = drop;
    await until('one is on its way', () => onTheirWay.length > 0);
    for (const end of onTheirWay) end();
    await becomes(sent + 1, failed + 2, dropped + 1);
    await component.end(token, { reason: 'ended', detail: '' });
  });

  it('is without fault for "promtool check metrics" while streams are watched', async function () {
    const id = await submit();
    const { token } = await claimLive(component, id);
    await tell(token, [openedEvent()], counts(20));
    const text = await scrape();
    expect(text).to.include(`streaming_job="${id}"`);
    const lint = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    await component.end(token, { reason: 'ended', detail: '' });
    if (lint.error !== undefined) return this.skip();
    expect([lint.status, lint.stdout, lint.stderr]).to.deep.equal([0, '', '']);
  });

  it('and GET of the job count the frames of a component that has died once', async () => {
    const id = await submit();
    const { token } = await claimLive(component, id);
    await component.events(token, openedEvent());
    await component.segment(token, 0, segmentLines(0, Date.now()));
    await tell(token, [], counts(SEGMENT_SIZE));
    await component.failure(token, 'DETECTION_FAILED', 'out of luck');
    const next = await claimLive(component, id);
    expect(await framesOf(id)).to.include({ read: SEGMENT_SIZE });
    expect((await figuresOf(id))[0]).to.equal(SEGMENT_SIZE);
    await component.end(next.token, { reason: 'ended', detail: '' });
  });
});
