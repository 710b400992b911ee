import { expect } from 'chai';
import { nearestName, suggestion } from '../../domain/near-names.ts';

const KNOWN = ['FACE DETECTION PIPELINE', 'MOTION', 'MOTIONS', 'callbackURL', 'TEXT'];

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
