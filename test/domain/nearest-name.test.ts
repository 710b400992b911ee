import { expect } from 'chai';
import { nearestName, nearestNames, suggestion } from '../../domain/nearest-name.ts';

const KNOWN = ['FACE DETECTION PIPELINE', 'MOTION', 'MOTIONS', 'callbackURL', 'TEXT'];
const QUEUES = ['TROUPE.DETECTION_FACE_REQUEST', 'TROUPE.DETECTION_MOTION_REQUEST', 'TROUPE.OUTPUT_OBJECT'];

describe('The name that was probably meant', () => {
  for (const [given, meant] of [
    ['callbackUrl', 'callbackURL'],
    ['MOTOIN', 'MOTION'],
    ['MOTION', 'MOTION'],
    ['FACE_DETECTION PIPLINE', 'FACE DETECTION PIPELINE'],
    ['TXT', 'TEXT'],
    ['TTX', undefined],
    ['SOMETHING ELSE', undefined],
    ['x'.repeat(1_000), undefined],
  ] as const)
    it(`is ${meant ?? 'unknown'} for ${given.slice(0, 30)}`, () => {
      expect(nearestName(given, KNOWN)).to.equal(meant);
    });

  it('is suggested in a sentence', () => {
    expect(suggestion('TEST', KNOWN)).to.equal(' Did you mean TEXT?');
    expect(suggestion('NOTHING', KNOWN)).to.equal('');
  });
});

describe('The names nearest to a name that nobody has', () => {
  const nearest = (name: string) => nearestNames(name, QUEUES);
  const [face, motion] = QUEUES;

  it('are those that differ in few letters, in any case', () => {
    expect(nearest('TROUPE.DETECTION_FACE_REQEUST')).to.deep.equal([face]);
    expect(nearest('troupe.detection_face_request')).to.deep.equal([face]);
  });

  it('are those that have the name in them, the shortest first', () => {
    expect(nearest('face')).to.deep.equal([face]);
    expect(nearest('DETECTION')).to.deep.equal([face, motion]);
  });

  it('are at most three', () =>
    expect(
      nearestNames(
        'A',
        Array.from({ length: 9 }, (_, n) => `A${n}`),
      ),
    ).to.have.lengthOf(3));

  it('are none for a name that is like no other', () => {
    for (const name of ['', '  ', 'SOMETHING ELSE', 'x'.repeat(100_000)])
      expect(nearest(name), name.slice(0, 20)).to.deep.equal([]);
  });
});
