import { strict as assert } from 'node:assert';
import { isWithin } from '../../../domain/zones/schedule.ts';
import type { Rule } from '../../../domain/zones/types.ts';
import { ZoneWatch } from '../../../domain/zones/watch.ts';
import { ofType, planOf, see, standStill, walk } from './paths.ts';

const DWELL: Rule = { name: 'loiter', zone: 'yard', longerThan: 10, classes: ['person'] };
const hits = (rule: Rule, ...steps: Parameters<typeof see>[1][]) =>
  ofType(see(new ZoneWatch(planOf(rule)), ...steps), 'rule');
const timesOf = (rule: Rule, ...steps: Parameters<typeof see>[1][]) =>
  hits(rule, ...steps).map(({ at }) => at);

describe('rules about zones', () => {
  it('has one event of a visit that lasts long enough', () => {
    const [hit, ...more] = hits(DWELL, ...standStill(30));
    assert.deepEqual(
      [hit!.at, hit!.since, hit!.dwellMs, hit!.class, more.length],
      [10_000, 0, 10_000, 'PERSON', 0],
    );
    assert.deepEqual(timesOf(DWELL, ...standStill(9)), []);
  });

  it('has no event of other classes and of detections that are not sure enough', () => {
    assert.deepEqual(timesOf(DWELL, ...standStill(30, { class: 'dog' })), []);
    const sure: Rule = { ...DWELL, minConfidence: 0.8 };
    assert.deepEqual(timesOf(sure, ...standStill(30, { confidence: 0.5 })), []);
    const later = [...standStill(14, { confidence: 0.5 }), ...standStill(1, { confidence: 0.9 }, 14_200)];
    assert.deepEqual(timesOf(sure, ...later), [14_200]);
  });

  it('waits for its schedule as long as the track stays', () => {
    const night: Rule = { ...DWELL, between: { from: '00:00', to: '06:00', timeZone: 'Europe/Berlin' } };
    // 23:59:45 in Berlin.
    const from = Date.UTC(2026, 0, 5, 22, 59, 45);
    assert.deepEqual(timesOf(night, ...standStill(20, {}, from)), [from + 15_000]);
    assert.deepEqual(timesOf(night, ...standStill(14, {}, from)), []);
  });

  it('makes no other event during its cool-down', () => {
    const rule: Rule = { ...DWELL, coolDown: 60 };
    const two = [...standStill(20), ...standStill(20, { track: 'b' }, 30_000)];
    assert.deepEqual(timesOf(rule, ...two), [10_000]);
    assert.deepEqual(
      timesOf(rule, ...standStill(20), ...standStill(60, { track: 'b' }, 30_000)),
      [10_000, 70_000],
    );
  });

  it('keeps its cool-down for a track that counts late, and not for a clock that was set back', () => {
    const rule: Rule = { name: 'in', zone: 'yard', coolDown: 60 };
    const at = (ms: number, track: string) => ({ at: ms, track, point: [0.5, 0.5] as const });
    assert.deepEqual(timesOf(rule, at(100_000, 'a'), at(98_000, 'b')), [100_000]);
    assert.deepEqual(timesOf(rule, at(100_000, 'a'), at(40_000, 'b')), [100_000, 40_000]);
  });

  it('counts crossings in the direction that it names', () => {
    const path = walk([[0.4, 0.5], [0.6, 0.5], [0.4, 0.5]]); // oxfmt-ignore
    assert.deepEqual(timesOf({ name: 'any', line: 'door' }, ...path), [200, 400]);
    assert.deepEqual(timesOf({ name: 'in', line: 'door', direction: 'TO_LEFT' }, ...path), [200]);
  });

  it('has an event each time that enough tracks are in a zone', () => {
    const crowd: Rule = { name: 'crowd', zone: 'yard', atLeast: 2 };
    const there = (at: number, track: string) => ({ at, track, point: [0.5, 0.5] as const });
    const gone = (at: number, track: string) => ({ at, track, point: [0.1, 0.1] as const });
    const steps = [there(0, 'a'), there(1, 'b'), there(2, 'c'), gone(3, 'b'), gone(4, 'c'), there(5, 'b')];
    assert.deepEqual(hits(crowd, ...steps).map(({ at, occupancy }) => [at, occupancy]), [[1, 2], [5, 2]]); // oxfmt-ignore
  });

  it('tells entries and exits', () => {
    const path = walk([[0.1, 0.5], [0.5, 0.5], [0.9, 0.5]]); // oxfmt-ignore
    assert.deepEqual(timesOf({ name: 'in', zone: 'yard' }, ...path), [200]);
    assert.deepEqual(timesOf({ name: 'out', zone: 'yard', event: 'LEAVE' }, ...path), [400]);
  });
});

describe('the schedule of a rule', () => {
  const at = (iso: string) => Date.parse(iso);

  it('goes over midnight, in its time zone, on the days on which it begins', () => {
    const night = { from: '22:00', to: '06:00', timeZone: 'America/New_York' };
    assert.deepEqual(
      ['2026-07-01T02:00:00Z', '2026-07-01T01:59:59Z', '2026-07-01T09:59:59Z', '2026-07-01T10:00:00Z'].map(
        (one) => isWithin(night, at(one)),
      ),
      [true, false, true, false],
    );
    // A Friday night ends on Saturday morning.
    const friday = { from: '22:00', to: '06:00', days: ['FRI'] as const };
    assert.deepEqual(
      ['2026-01-02T23:00:00Z', '2026-01-03T05:00:00Z', '2026-01-03T23:00:00Z', '2026-01-02T05:00:00Z'].map(
        (one) => isWithin(friday, at(one)),
      ),
      [true, true, false, false],
    );
  });

  it('lasts all day when it begins and ends at the same time', () => {
    assert.ok(isWithin({ from: '06:00', to: '06:00' }, at('2026-01-02T05:59:00Z')));
  });
});
