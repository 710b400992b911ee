/** Zones and rules on a detection document, compared with the same path in a live stream. */
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Rule, ZonePlan } from '../../../domain/zones/types.ts';
import { ZoneWatch } from '../../../domain/zones/watch.ts';
import { addEvent, NO_COUNTS } from '../../../domain/zones/counts.ts';
import { UNAVAILABLE } from '../../../domain/tracks/viewing.ts';
import { Timelines } from '../../../results/timeline/timelines.ts';
import { planOf, sightingOf, SIZE, standStill, walk, type Step } from '../../domain/zones/paths.ts';
import { temporaryFolder } from '../folder.ts';

const STEPS: readonly Step[] = [
  ...walk([[0.1, 0.5], [0.4, 0.5], [0.6, 0.5]], { track: '0' }), // oxfmt-ignore
  ...standStill(15, { track: '0' }, 600),
  ...standStill(12, { track: '1', class: 'dog' }, 2_000),
  ...walk([[0.6, 0.5], [0.4, 0.5], [0.1, 0.1]], { track: '2' }, 20_000), // oxfmt-ignore
];
const RULES: readonly Rule[] = [
  { name: 'loiter', zone: 'yard', longerThan: 10, classes: ['person'] },
  { name: 'any', zone: 'yard', longerThan: 10 },
  { name: 'crowd', zone: 'yard', atLeast: 2 },
  { name: 'out', line: 'door', direction: 'TO_RIGHT' },
];

function documentOf(steps: readonly Step[]) {
  const tracks = [...new Set(steps.map(({ track }) => track!))].map((id) => {
    const detections = steps
      .filter(({ track }) => track === id)
      .map((step) => {
        const { frame, at, box, confidence, classification } = sightingOf(step);
        const detectionProperties = { CLASSIFICATION: classification };
        return { offsetFrame: frame, offsetTime: at, ...box, confidence, detectionProperties };
      });
    const [first, last] = [detections[0]!, detections.at(-1)!];
    return {
      ...{ id, type: 'CLASS', confidence: 0.9, trackProperties: {}, exemplar: first, detections },
      ...{ startOffsetFrame: first.offsetFrame, stopOffsetFrame: last.offsetFrame },
      ...{ startOffsetTime: first.offsetTime, stopOffsetTime: last.offsetTime },
    };
  });
  const size = { FRAME_WIDTH: String(SIZE.width), FRAME_HEIGHT: String(SIZE.height) };
  const medium = { mediaId: 1, parentMediaId: -1, path: 'a', mediaType: 'VIDEO', mimeType: 'video/mp4' };
  const output = { CLASS: [{ source: 'A', algorithm: 'OBJECT', tracks }] };
  return { media: [{ ...medium, length: 1_000, mediaMetadata: size, output }] };
}

/** Reports like a live detector: frame by frame, and the end of a track after its last frame. */
function seenLive(plan: ZonePlan, steps: readonly Step[]) {
  const watch = new ZoneWatch(plan);
  const lastAt = new Map(steps.map(({ track, at }) => [track!, at]));
  const inOrder = steps.toSorted((a, b) => a.at - b.at || Number(a.track) - Number(b.track));
  const events = inOrder.flatMap((step) => {
    const gone = [...lastAt].filter(([, at]) => at < step.at).map(([track]) => track);
    return [...gone.flatMap((track) => watch.end(track)), ...watch.see(sightingOf(step), SIZE)];
  });
  return [...events, ...watch.endAll()];
}

describe('Zones and rules on a medium', () => {
  const inFolder = temporaryFolder();
  let timelines: Timelines;
  before(() => {
    timelines = new Timelines({ mostWaiting: 100, waitMs: 60_000, idleMs: 300_000 });
  });
  after(() => timelines.close());

  let written = 0;
  const run = (document: object, plan: ZonePlan, startsAt?: number) => {
    const path = inFolder(`document-${++written}.json`);
    writeFileSync(path, JSON.stringify(document));
    return timelines.ask(path, { kind: 'zones', medium: 1, plan, startsAt });
  };

  it('have the events and counts that a stream with the same path has', async () => {
    const plan = planOf(...RULES);
    const answer = await run(documentOf(STEPS), plan);
    if ('unavailable' in answer) return expect.fail();
    const live = seenLive(plan, STEPS);
    const told = live.filter(({ type }) => type !== 'trackBegan' && type !== 'trackEnded');
    expect(answer.events).to.deep.equal(told);
    expect(answer.counts).to.deep.equal(live.reduce(addEvent, NO_COUNTS));
    expect(answer.counts.rules).to.deep.equal({ loiter: 1, any: 2, crowd: 1, out: 2 });
    expect([answer.most, answer.omitted, answer.warnings]).to.deep.equal([{ yard: 2 }, 0, []]);
  });

  it('hold times of rules only when it is known when the medium begins', async () => {
    const night: Rule = { ...RULES[0]!, between: { from: '22:00', to: '06:00' } };
    const document = documentOf(STEPS);
    const rulesAt = async (startsAt?: number) => {
      const answer = await run(document, planOf(night), startsAt);
      return 'unavailable' in answer ? expect.fail() : answer;
    };
    expect((await rulesAt(Date.UTC(2026, 0, 5, 12))).counts.rules).to.deep.equal({});
    const atNight = await rulesAt(Date.UTC(2026, 0, 5, 23));
    expect(atNight.counts.rules).to.deep.equal({ loiter: 1 });
    expect(atNight.events.find(({ type }) => type === 'rule')).to.include({ at: 10_200, since: 200 });
    const unknown = await rulesAt();
    expect(unknown.counts.rules).to.deep.equal({ loiter: 1 });
    expect(unknown.warnings[0]).to.match(
      /^The times of these rules have no effect, .*: loiter\. Try them .* startsAt\.$/,
    );
  });

  it('of the job are as the document has them, and are counted', async () => {
    const { media } = documentOf(STEPS);
    const zoneRun = {
      events: [{ event: 'entered', at: 200, zone: 'yard' }],
      omitted: 3,
      counts: {},
      most: {},
    };
    const path = inFolder('of-the-job.json');
    const others = [{ ...media[0], mediaId: 2 }, { ...media[0], mediaId: 3, zoneRun: 'none' }]; // oxfmt-ignore
    writeFileSync(path, JSON.stringify({ media: [{ ...media[0], zoneRun }, ...others] }));
    const runOf = (medium: number) => timelines.ask(path, { kind: 'zoneRun', medium });
    expect(await runOf(1)).to.deep.equal(zoneRun);
    expect([await runOf(2), await runOf(3)]).to.deep.equal([UNAVAILABLE, UNAVAILABLE]);
    const page = await timelines.ask(path, { kind: 'media', limit: 10, offset: 0 });
    expect(page.media.map(({ zoneEvents }) => zoneEvents)).to.deep.equal([4, null, null]);
  });

  it('have no answer for media without pictures', async () => {
    const { media } = documentOf(STEPS);
    const answer = await run({ media: [{ ...media[0], mediaMetadata: {} }] }, planOf());
    expect(answer).to.deep.equal(UNAVAILABLE);
  });
});
