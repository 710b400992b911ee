import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { eventId } from '../../../domain/zones/event-id.ts';
import { ZoneWatch } from '../../../domain/zones/watch.ts';
import type { Point } from '../../../domain/zones/types.ts';
import { isInside } from '../../../domain/zones/shapes.ts';
import { NOTHING_SEEN, type WatchState } from '../../../domain/zones/watch-state.ts';
import { namesOf, ofType, planOf, see, sightingOf, SIZE, standStill, walk, YARD } from './paths.ts';

const DWELL = { name: 'loiter', zone: 'yard', longerThan: 10, classes: ['PERSON'] };
const OUTSIDE: Point = [0.24, 0.5];
const INSIDE: Point = [0.4, 0.5];
const TOP: readonly Point[] = [[0, 0], [1, 0], [1, 0.2], [0, 0.2]]; // oxfmt-ignore

describe('zones', () => {
  it('tells entry, crossing, exit and the time between of a known path', () => {
    const watch = new ZoneWatch(planOf());
    const events = see(watch, ...walk([OUTSIDE, INSIDE, [0.6, 0.5], [0.7, 0.5], [0.9, 0.5]]));
    assert.deepEqual(namesOf(events), ['trackBegan', 'entered', 'crossed TO_LEFT', 'left']);
    const [left] = ofType(events, 'left');
    assert.deepEqual([left!.since, left!.at, left!.dwellMs, left!.occupancy], [200, 800, 400, 0]);
  });

  it('leaves its zones with the last sighting of a track', () => {
    const watch = new ZoneWatch(planOf());
    see(watch, ...walk([INSIDE, INSIDE, INSIDE]));
    assert.deepEqual(namesOf(watch.end('a')), ['left', 'trackEnded']);
    assert.equal(watch.occupancy('yard'), 0);
    assert.deepEqual(watch.end('a'), []);
  });

  it('counts each crossing once, in its direction, however a path touches the line', () => {
    const onLine: Point = [0.5, 0.5];
    const watch = new ZoneWatch(planOf());
    const path: Point[] = [OUTSIDE, onLine, OUTSIDE, onLine, [0.6, 0.5], onLine, OUTSIDE];
    const crossed = ofType(see(watch, ...walk(path)), 'crossed');
    assert.deepEqual(namesOf(crossed), ['crossed TO_LEFT', 'crossed TO_RIGHT']);
  });

  it('gives a track properties by the zones and lines that it touched', () => {
    const plan = { ...planOf(), zones: [YARD, { ...YARD, name: '2' }, { name: '1', points: TOP }] };
    const watch = new ZoneWatch(plan);
    see(watch, ...walk([OUTSIDE, OUTSIDE]));
    assert.deepEqual(watch.propertiesOf('a'), {});
    see(watch, ...walk([INSIDE, [0.6, 0.5], INSIDE, OUTSIDE, [0.4, 0.1]], {}, 400));
    see(watch, ...walk([INSIDE, INSIDE], {}, 1_400));
    assert.deepEqual(watch.propertiesOf('a'), {
      ZONES: 'yard;2;1',
      ZONE_DWELL_MS: 'yard=600;2=600;1=0',
      LINES_CROSSED: 'door:TO_LEFT;door:TO_RIGHT',
    });
    watch.end('a');
    assert.deepEqual(watch.propertiesOf('a'), {});
  });

  it('continues the properties of a track in another component', () => {
    const first = new ZoneWatch(planOf());
    see(first, ...walk([OUTSIDE, INSIDE, INSIDE, [0.6, 0.5]]));
    const next = new ZoneWatch(planOf(), JSON.parse(JSON.stringify(first.state)) as WatchState);
    see(next, ...walk([[0.6, 0.5], [0.6, 0.5]], { track: 'b' }, 800)); // oxfmt-ignore
    assert.deepEqual(next.propertiesOf('b'), {
      ZONES: 'yard',
      ZONE_DWELL_MS: 'yard=800',
      LINES_CROSSED: 'door:TO_LEFT',
    });
  });

  it('tells a change of class', () => {
    const watch = new ZoneWatch(planOf());
    const [, changed] = see(
      watch,
      { at: 0, point: OUTSIDE, class: 'dog' },
      { at: 200, point: OUTSIDE, class: 'cat' },
    );
    assert.deepEqual([changed!.type, changed!.class], ['classChanged', 'CAT']);
  });

  it('has as many tracks in a zone as have entered and not left, on random paths', () => {
    const coordinate = fc.integer({ min: 0, max: 20 }).map((n) => n / 20);
    const step = fc.record({
      track: fc.constantFrom('a', 'b', 'c'),
      x: coordinate,
      y: coordinate,
      ends: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const watch = new ZoneWatch(planOf());
        const where = new Map<string, Point>();
        let [entered, left, right, leftward] = [0, 0, 0, 0];
        const sides = new Map<string, boolean>();
        let crossings = 0;
        steps.forEach(({ track, x, y, ends }, index) => {
          const events = see(watch, { at: index * 100, point: [x, y], track });
          where.set(track, [x, y]);
          const side = x <= 0.5;
          if (sides.has(track) && sides.get(track) !== side) crossings++;
          sides.set(track, side);
          if (ends) {
            events.push(...watch.end(track));
            where.delete(track);
            sides.delete(track);
          }
          entered += ofType(events, 'entered').length;
          left += ofType(events, 'left').length;
          right += ofType(events, 'crossed').filter(({ direction }) => direction === 'TO_RIGHT').length;
          leftward += ofType(events, 'crossed').filter(({ direction }) => direction === 'TO_LEFT').length;
        });
        const inside = [...where.values()].filter((point) => isInside(point, YARD.points)).length;
        assert.equal(entered - left, inside);
        assert.equal(watch.occupancy('yard'), inside);
        assert.equal(right + leftward, crossings);
      }),
      { numRuns: 300 },
    );
  });

  it('goes on from its state at any moment as if nothing had happened', () => {
    const rules = [DWELL, { name: 'in', zone: 'yard' }, { name: 'over', line: 'door', coolDown: 2 }];
    const path = [
      ...walk([OUTSIDE, INSIDE]),
      ...standStill(12, {}, 400),
      ...walk(
        [
          [0.4, 0.5],
          [0.6, 0.5],
        ],
        {},
        12_800,
      ),
    ];
    const whole = see(new ZoneWatch(planOf(...rules)), ...path);
    for (let cut = 1; cut < path.length; cut++) {
      const first = new ZoneWatch(planOf(...rules));
      const before = see(first, ...path.slice(0, cut));
      const state = JSON.parse(JSON.stringify(first.state)) as typeof NOTHING_SEEN;
      // Another component uses other track names.
      const second = new ZoneWatch(planOf(...rules), state);
      const after = see(second, ...path.slice(cut).map((step) => ({ ...step, track: 'b' })));
      assert.deepEqual(
        [...before, ...after].map((event) => eventId('1', event)),
        whole.map((event) => eventId('1', event)),
        `cut at ${cut}`,
      );
    }
  });

  it('ends tracks of a component that is gone when nobody goes on with them', () => {
    const first = new ZoneWatch(planOf());
    see(first, ...standStill(1));
    const second = new ZoneWatch(planOf(), first.state);
    assert.equal(second.occupancy('yard'), 1);
    // An object of another class, and one far away.
    see(second, { at: 1_400, point: [0.5, 0.5], track: 'b', class: 'dog' });
    see(second, { at: 1_400, point: [0.3, 0.3], track: 'c' });
    assert.equal(second.occupancy('yard'), 3);
    assert.deepEqual(namesOf(second.pass(61_001)), ['left', 'trackEnded']);
    assert.equal(second.occupancy('yard'), 2);
  });

  it('leaves jumps of the clock out of the time in a zone', () => {
    const watch = new ZoneWatch(planOf(DWELL));
    const hour = 3_600_000;
    const events = see(watch, ...standStill(4), ...standStill(4, {}, hour), ...standStill(1, {}, 5_000));
    assert.deepEqual(ofType(events, 'rule'), []);
    assert.equal(ofType(watch.end('a'), 'left')[0]!.dwellMs, 9_000);
  });

  it('leaves out and counts tracks beyond the most that it watches', () => {
    const watch = new ZoneWatch(planOf());
    for (let at = 0; at < 1_010; at++) watch.see(sightingOf({ at, point: OUTSIDE, track: `t${at}` }), SIZE);
    assert.deepEqual([Object.keys(watch.state.tracks).length, watch.state.ignored], [1_000, 10]);
  });
});
