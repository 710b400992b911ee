/** Zones and rules on the same file, as a live stream and as a batch job, with the real detectors. */
import { expect } from 'chai';
import loadFaceDetector from '../../../components/detectors/faces/detector.ts';
import loadMotionDetector from '../../../components/detectors/motion/detector.ts';
import type { Detector } from '../../../components/sdk/detector.ts';
import { addEvent, NO_COUNTS } from '../../../domain/zones/counts.ts';
import { reportedRun, type ReportedRun } from '../../../domain/zones/dry-run.ts';
import type { Properties } from '../../../domain/types.ts';
import type { ZonePlan } from '../../../domain/zones/types.ts';
import { NOTHING_SEEN } from '../../../domain/zones/watch-state.ts';
import type { StreamEvent } from '../../../protocol/streams.ts';
import { BEGAN, liveSource, recordedStream, watchToEnd, workOf } from '../../components/live/live-stream.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';

/** Parts of the picture and all of it, lines through its centre, and 30 rules of all kinds. */
const PLAN: ZonePlan = {
  zones: [
    { name: 'all', points: [[0, 0], [1, 0], [1, 1], [0, 1]] }, // oxfmt-ignore
    { name: 'left', points: [[0, 0], [0.5, 0], [0.5, 1], [0, 1]] }, // oxfmt-ignore
    { name: 'top', points: [[0, 0], [1, 0], [1, 0.5], [0, 0.5]] }, // oxfmt-ignore
    { name: 'centre', points: [[0.3, 0.3], [0.7, 0.3], [0.7, 0.7], [0.5, 0.5], [0.3, 0.7]] }, // oxfmt-ignore
  ],
  lines: [
    { name: 'middle', points: [[0.5, 0], [0.5, 1]] }, // oxfmt-ignore
    { name: 'across', points: [[0, 0.5], [1, 0.5]] }, // oxfmt-ignore
    { name: 'slope', points: [[0.2, 0.1], [0.8, 0.9]] }, // oxfmt-ignore
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
    ...(['all', 'left', 'top', 'centre'] as const).flatMap((zone) => [
      { name: `${zone} in`, zone, event: 'ENTER' as const },
      { name: `${zone} out`, zone, event: 'LEAVE' as const, coolDown: 0.5 },
      { name: `${zone} stays`, zone, longerThan: 0.2, minConfidence: 0.5 },
      { name: `${zone} busy`, zone, atLeast: 1, classes: ['face', 'MOTION'] },
    ]),
    { name: 'down', line: 'across', direction: 'TO_RIGHT' },
    { name: 'up', line: 'across', direction: 'TO_LEFT', coolDown: 1 },
    { name: 'slanted', line: 'slope', minConfidence: 0.1 },
    { name: 'other class', zone: 'all', classes: ['BOAT'] },
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

/** What zones say of tracks, by the first frame. Times are in steps of 20 ms, because those of files are rounded. */
const touchedBy = (tracks: readonly { readonly first: number; readonly properties: Properties }[]) =>
  tracks
    .map(({ first, properties: { ZONES, ZONE_DWELL_MS, LINES_CROSSED } }) => {
      const dwell = ZONE_DWELL_MS?.replaceAll(/\d+$|\d+(?=;)/g, (ms) => String(Math.round(Number(ms) / 20)));
      return JSON.stringify({ first, ZONES, dwell, LINES_CROSSED });
    })
    .toSorted();

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
    // Each segment has a line of a track, and the last one has everything.
    const lines = new Map(server.segments.flatMap(({ tracks }) => tracks).map((one) => [one.liveId, one]));
    const firsts = new Map<string, number>();
    for (const { tracks } of server.segments)
      for (const { liveId, startFrame } of tracks) if (!firsts.has(liveId)) firsts.set(liveId, startFrame);
    const touched = [...lines].map(([id, { properties }]) => ({ first: firsts.get(id)!, properties }));
    return { events: reportedRun(run).events, counts: events.reduce(addEvent, NO_COUNTS), touched };
  }

  async function seenInBatch(pipeline: string, name: string) {
    const { rules: _, ...places } = PLAN;
    const id = await service.submit({ media: [sampleUri(name)], pipelineName: pipeline, ...places });
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const path = `/rest/jobs/${id}/${await service.placeOf(id)}/zone-runs`;
    const { status, text, body } = await service.ask('POST', path, { ...PLAN, startsAt: new Date(BEGAN).toISOString() }); // oxfmt-ignore
    expect(status, text).to.equal(200);
    const { media } = await service.document(id);
    const tracks = Object.values(media[0]!.output).flatMap((entries) =>
      entries.flatMap((one) => one.tracks ?? []),
    );
    const touched = tracks.map(({ startOffsetFrame: first, trackProperties: properties }) => ({
      first,
      properties,
    }));
    return { ...(body as ReportedRun), touched };
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
      expect(touchedBy(live.touched)).to.deep.equal(touchedBy(batch.touched));
      expect(batch.touched.some(({ properties }) => properties['ZONES']?.includes('left'))).to.equal(true);
      expect(PLAN.rules).to.have.length(30);
      expect(live.counts.rules).to.have.property('later').and.not.have.property('never');
    });
});
