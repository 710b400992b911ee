/** Zones and rules on the same file, as a live stream and as a batch job, with the real detectors. */
import { expect } from 'chai';
import loadFaceDetector from '../../../components/detectors/faces/detector.ts';
import loadMotionDetector from '../../../components/detectors/motion/detector.ts';
import type { Detector } from '../../../components/sdk/detector.ts';
import { addEvent, NO_COUNTS } from '../../../domain/zones/counts.ts';
import { reportedRun, type ReportedRun } from '../../../domain/zones/dry-run.ts';
import type { ZonePlan } from '../../../domain/zones/types.ts';
import { NOTHING_SEEN } from '../../../domain/zones/watch-state.ts';
import type { StreamEvent } from '../../../protocol/streams.ts';
import { BEGAN, liveSource, recordedStream, watchToEnd, workOf } from '../../components/live/live-stream.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';

/** Quarters of the picture and all of it, lines through its centre, and one rule of each kind. */
const PLAN: ZonePlan = {
  zones: [
    { name: 'all', points: [[0, 0], [1, 0], [1, 1], [0, 1]] }, // oxfmt-ignore
    { name: 'left', points: [[0, 0], [0.5, 0], [0.5, 1], [0, 1]] }, // oxfmt-ignore
    { name: 'top', points: [[0, 0], [1, 0], [1, 0.5], [0, 0.5]] }, // oxfmt-ignore
  ],
  lines: [
    { name: 'middle', points: [[0.5, 0], [0.5, 1]] }, // oxfmt-ignore
    { name: 'across', points: [[0, 0.5], [1, 0.5]] }, // oxfmt-ignore
  ],
  rules: [
    { name: 'in', zone: 'left' },
    { name: 'out', zone: 'left', event: 'LEAVE' },
    { name: 'stays', zone: 'all', longerThan: 0.95 },
    { name: 'one', zone: 'left', atLeast: 1 },
    { name: 'two', zone: 'all', atLeast: 2 },
    { name: 'over', line: 'middle' },
    { name: 'right', line: 'middle', direction: 'TO_RIGHT' },
    { name: 'cool', zone: 'all', coolDown: 2 },
    // BEGAN is at 03:04:05.
    { name: 'later', zone: 'all', longerThan: 0.1, between: { from: '03:04', to: '04:00' } },
    { name: 'never', zone: 'all', between: { from: '04:00', to: '05:00' } },
  ],
  anchor: 'CENTER',
};

type Told = ReportedRun['events'][number];
type Zones = Extract<StreamEvent, { type: 'zones' }>;

/** Events of rules and zones without track names. In some files, frame times are not whole milliseconds. */
const factsOf = (events: readonly Told[]) =>
  events
    .map((told) => {
      const { event, at, frame, kind, rule, zone, line, direction, occupancy, class: name } = told as Told & Record<string, unknown>; // oxfmt-ignore
      const facts = { event, frame, kind, rule, zone, line, direction, occupancy, name };
      return { at: Math.round(at / 2), text: JSON.stringify(facts) };
    })
    .toSorted((a, b) => a.at - b.at || (a.text < b.text ? -1 : 1))
    .map(({ text }) => text);

describe('Zones and rules on one file', function () {
  this.timeout(240_000);
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  async function seenLive(component: string, name: string, detector: Detector) {
    const zones = { plan: PLAN, state: NOTHING_SEEN, seq: 0 };
    const work = await workOf(component, { segmentSize: 25, trackType: component === 'faces' ? 'FACE' : 'MOTION', zones }); // oxfmt-ignore
    const server = await watchToEnd({ detector, open: liveSource(recordedStream(name)), work });
    const messages = server.events.filter((event): event is Zones => event.type === 'zones');
    const events = messages.flatMap((message) => message.events).map(({ crop: _, ...event }) => event);
    const told = events
      .filter(({ type }) => type !== 'trackBegan' && type !== 'trackEnded')
      .map((event) => ({ ...event, at: event.at - BEGAN }));
    const run = { events: told, omitted: 0, counts: NO_COUNTS, most: {}, warnings: [] };
    return { events: reportedRun(run).events, counts: events.reduce(addEvent, NO_COUNTS) };
  }

  async function seenInBatch(pipeline: string, name: string): Promise<ReportedRun> {
    const id = await service.submit({ media: [sampleUri(name)], pipelineName: pipeline });
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const path = `/rest/jobs/${id}/${await service.placeOf(id)}/zone-runs`;
    const { status, text, body } = await service.ask('POST', path, { ...PLAN, startsAt: new Date(BEGAN).toISOString() }); // oxfmt-ignore
    expect(status, text).to.equal(200);
    return body as ReportedRun;
  }

  for (const [component, name, load] of [
    ['faces', 'face_move.mp4', loadFaceDetector],
    ['motion', 'ff-exact-region-object-motion.avi', loadMotionDetector],
  ] as const)
    it(`have the same results live and in batch with ${component}`, async () => {
      const detector = await load();
      const pipeline = component === 'faces' ? 'FACE DETECTION PIPELINE' : 'MOTION DETECTION PIPELINE';
      const [live, batch] = [await seenLive(component, name, detector), await seenInBatch(pipeline, name)];
      await detector.close?.();
      expect(batch.events.some(({ event }) => event === 'rule')).to.equal(true);
      expect(factsOf(live.events)).to.deep.equal(factsOf(batch.events));
      expect(live.counts.rules).to.deep.equal(batch.counts.rules);
      expect(live.counts.lines).to.deep.equal(batch.counts.lines);
      expect(live.counts.rules).to.have.property('later').and.not.have.property('never');
    });
});
