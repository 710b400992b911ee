import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyRollUp, parseRollUp, type RollUp } from '../../../domain/tracks/roll-up.ts';
import type { Properties } from '../../../domain/types.ts';
import { track, vectors } from '../support.ts';

const FILE = readFileSync(join(process.cwd(), 'test/fixtures/roll-up.json'), 'utf8');

function rule(text: string): RollUp {
  const read = parseRollUp(text);
  if ('refused' in read) throw new Error(read.refused);
  return read;
}

function refusal(file: unknown): string {
  const read = parseRollUp(typeof file === 'string' ? file : JSON.stringify(file));
  return 'refused' in read ? read.refused : '';
}

const rolledUp = (given: RollUp, properties: Properties) =>
  applyRollUp(given, track([{ frame: 0 }], { properties })).properties;

const group = (rollUp: string, ...members: string[]) => ({ rollUp, members });

describe('Roll-up', () => {
  it('replaces values by the name of their group and copies what they were', () => {
    const { file, in: before, out } = vectors.rollUp;
    expect(rolledUp(rule(JSON.stringify(file)), before)).to.deep.equal(out);
  });

  it('does so on the track and on each of its detections', () => {
    const given = track(
      [
        { frame: 0, properties: { CLASSIFICATION: 'bicycle', 'NO COPY PROP': 'not in a group' } },
        { frame: 1, properties: { 'NO COPY PROP': 'not in a group' } },
      ],
      {
        properties: {
          CLASSIFICATION: 'motorbike',
          'NOT PROCESSED': 'bus',
          'NO COPY PROP': 'g1member1',
          'COPY ONLY': 'value',
        },
      },
    );
    const after = applyRollUp(rule(FILE), given);
    expect(after.properties).to.deep.equal({
      CLASSIFICATION: 'vehicle',
      'CLASSIFICATION NO ROLL UP': 'motorbike',
      'NOT PROCESSED': 'bus',
      'NO COPY PROP': 'group1',
      'COPY ONLY': 'value',
      'COPY ONLY TARGET': 'value',
    });
    expect(after.detections[0]?.properties).to.deep.equal({
      CLASSIFICATION: 'vehicle',
      'CLASSIFICATION NO ROLL UP': 'bicycle',
      'NO COPY PROP': 'not in a group',
    });
    expect(after.detections[1]).to.equal(given.detections[1]);
    expect({ ...after, properties: {}, detections: [] }).to.deep.equal({
      ...given,
      properties: {},
      detections: [],
    });
  });

  it('makes the copy even when no value is replaced', () => {
    expect(rolledUp(rule(FILE), { CLASSIFICATION: 'cat' })).to.deep.equal({
      CLASSIFICATION: 'cat',
      'CLASSIFICATION NO ROLL UP': 'cat',
    });
  });

  it('keeps the copy of what was rolled up before, and makes a new one of a new value', () => {
    const once = rolledUp(rule(FILE), { CLASSIFICATION: 'motorbike' });
    expect(rolledUp(rule(FILE), once)).to.equal(once);
    expect(rolledUp(rule(FILE), { ...once, CLASSIFICATION: 'bicycle' })).to.deep.equal({
      CLASSIFICATION: 'vehicle',
      'CLASSIFICATION NO ROLL UP': 'bicycle',
    });
  });

  it('gives back the same track when nothing changes', () => {
    for (const properties of [{}, { A: 'truck' }, { 'NO COPY PROP': 'not in a group' }]) {
      const given = track([{ frame: 0, properties }], { properties });
      expect(applyRollUp(rule(FILE), given)).to.equal(given);
    }
  });

  it('takes groups and copies in entries of their own, as long as they agree', () => {
    const given = rule(
      JSON.stringify([
        { propertyToProcess: 'A', originalPropertyCopy: 'B' },
        { propertyToProcess: 'A', originalPropertyCopy: null, groups: [group('letter', 'x', 'y')] },
        { propertyToProcess: 'A', originalPropertyCopy: 'C', groups: [group('letter', 'y', 'z')] },
      ]),
    );
    expect(rolledUp(given, { A: 'z' })).to.deep.equal({ A: 'letter', B: 'z', C: 'z' });
  });

  it('compares values exactly, and knows no names but those of the file', () => {
    const given = rule(JSON.stringify([{ propertyToProcess: 'A', groups: [group('vehicle', 'car')] }]));
    for (const value of ['Car', ' car', 'constructor', '__proto__'])
      expect(rolledUp(given, { A: value, constructor: 'car' })).to.deep.equal({
        A: value,
        constructor: 'car',
      });
  });
});

describe('A roll-up file is refused with a sentence that says what to change', () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['when it is not JSON', '[{', 'not JSON'],
    ['when it is no array', { propertyToProcess: 'A' }, 'must be a JSON array'],
    ['when an entry is no object', ['A'], 'Entry 1 of the roll-up file must be an object'],
    ['when an entry names no property', [{ propertyToProcess: ' ' }], '"propertyToProcess"'],
    [
      'when a copy has no name',
      [{ propertyToProcess: 'A', originalPropertyCopy: 5 }],
      '"originalPropertyCopy"',
    ],
    ['when a group has no members', [{ propertyToProcess: 'A', groups: [{ rollUp: 'x' }] }], '"members"'],
    ['when a member is no text', [{ propertyToProcess: 'A', groups: [{ rollUp: 'x', members: [1] }] }], '"members"'], // oxfmt-ignore
    [
      'when a value of a property is in two groups',
      [
        { propertyToProcess: 'A', groups: [group('vehicle', 'truck')] },
        { propertyToProcess: 'A', groups: [group('other', 'truck')] },
      ],
      'puts the value "truck" of "A" into both "vehicle" and "other"',
    ],
    [
      'when it copies onto a property that is processed',
      [{ propertyToProcess: 'A', groups: [] }, { propertyToProcess: 'B', originalPropertyCopy: 'A' }], // oxfmt-ignore
      'has "A" both as "propertyToProcess" and as "originalPropertyCopy"',
    ],
    [
      'when it copies two properties to one name',
      [
        { propertyToProcess: 'A', originalPropertyCopy: 'C' },
        { propertyToProcess: 'B', originalPropertyCopy: 'C' },
      ],
      'copies both "A" and "B" to "C"',
    ],
  ];
  for (const [when, file, sentence] of cases)
    it(when, () => {
      expect(refusal(file)).to.contain(sentence);
    });
});
