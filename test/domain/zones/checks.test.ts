import { strict as assert } from 'node:assert';
import { refusedZones } from '../../../domain/zones/checks.ts';
import type { Point, Rule, Zone } from '../../../domain/zones/types.ts';
import { DOOR, planOf, YARD } from './paths.ts';

const zone = (...points: readonly Point[]): Zone => ({ name: 'yard', points });
const ofZone = (...points: readonly Point[]) =>
  refusedZones({ zones: [zone(...points)], lines: [], rules: [] }) ?? '';
const ofRule = (rule: Partial<Rule>, classes?: readonly string[]) =>
  refusedZones(planOf({ name: 'r', ...rule }), classes) ?? '';

describe('checks of zones', () => {
  it('accepts a zone, a line and a rule', () => {
    const rule = { name: 'loiter', zone: 'yard', longerThan: 10, between: { from: '22:00', to: '06:00' } };
    assert.equal(refusedZones(planOf(rule), ['PERSON']), undefined);
  });

  it('refuses zones with few points, outside the picture, and without an area', () => {
    assert.match(ofZone([0, 0], [1, 1]), /^Zone "yard" has 2 points\. A zone needs at least 3/);
    assert.match(ofZone([0, 0], [1.5, 0], [1, 1]), /has the point \[1\.5, 0\] outside the picture/);
    assert.match(ofZone([0, 0], [0.5, 0.5], [1, 1]), /crosses itself|has no area/);
    assert.match(ofZone([Number.NaN, 0], [0.5, 0.5], [1, 0]), /outside the picture/);
  });

  it('refuses zones that cross or touch themselves, and says where', () => {
    assert.match(
      ofZone([0, 0], [1, 1], [1, 0], [0, 1]),
      /crosses itself: the edges after its points 1 and 3 meet/,
    );
    assert.match(ofZone([0, 0], [1, 0], [0.5, 0], [0.5, 1]), /crosses itself/);
    assert.equal(ofZone([0, 0], [1, 0], [0.5, 0.2], [1, 1], [0, 1]), '');
  });

  it('refuses names that occur twice or are no names', () => {
    const two = { zones: [YARD, { ...YARD, name: 'YARD' }], lines: [], rules: [] };
    assert.match(refusedZones(two) ?? '', /have the name "YARD"/);
    assert.match(refusedZones({ ...two, zones: [YARD], lines: [{ ...DOOR, name: 'yard' }] }) ?? '', /"yard"/);
    assert.match(
      refusedZones({ ...two, zones: [{ ...YARD, name: 'a/b#' }] }) ?? '',
      /"a\/b#".* is not allowed/,
    );
  });

  it('suggests names of zones that were probably meant', () => {
    assert.match(ofRule({ zone: 'yrad' }), /names the zone "yrad", which there is not\. Did you mean yard\?/);
    assert.match(ofRule({ line: 'gate' }), /names the line "gate", which there is not\. Names: door\./);
    assert.match(ofRule({}), /must name either a zone or a line/);
  });

  it('refuses members that say nothing to the event of a rule', () => {
    assert.match(
      ofRule({ zone: 'yard', direction: 'TO_LEFT' }),
      /event ENTER, to which direction does not apply/,
    );
    assert.match(ofRule({ zone: 'yard', event: 'DWELL' }), /needs longerThan/);
    assert.match(ofRule({ line: 'door', event: 'ENTER' }), /Lines have the event CROSS/);
    assert.match(ofRule({ zone: 'yard', longerThan: -1 }), /longerThan -1\. It must be from 0 to 86400/);
  });

  it('refuses times, time zones and classes that there are not', () => {
    assert.match(ofRule({ zone: 'yard', between: { from: '25:00', to: '06:00' } }), /has the time "25:00"/);
    const between = { from: '22:00', to: '06:00', timeZone: 'Europe/Berlni' };
    assert.match(ofRule({ zone: 'yard', between }), /Did you mean Europe\/Berlin\?/);
    assert.match(
      ofRule({ zone: 'yard', classes: ['persn'] }, ['PERSON', 'CAR']),
      /class "persn", which no detector of the pipeline finds\. Did you mean PERSON\? The pipeline finds: PERSON, CAR\./,
    );
  });
});
