import { expect } from 'chai';
import { EVEN_SHARES, parseUserShares, weightOf } from '../../../domain/users/user-shares.ts';

describe('Shares of users', () => {
  it('are those of the user, else of the group, else of everybody else', () => {
    const shares = parseUserShares(' alice=3, group:lab=2,*=5,cn=bob=7,');
    const weights = [{ user: 'alice', group: 'lab' }, { user: 'carol', group: 'lab' }, { user: 'cn=bob' }];
    expect(weights.map((owner) => weightOf(shares, owner))).to.deep.equal([3, 2, 7]);
    expect([weightOf(shares, { user: 'lab' }), weightOf(shares, {})]).to.deep.equal([5, 5]);
  });

  it('are 1 for everybody who has none', () => {
    expect(parseUserShares('')).to.deep.equal(EVEN_SHARES);
    expect(weightOf(parseUserShares('alice=3'), { user: 'bob' })).to.equal(1);
  });

  for (const [text, message] of [
    ['alice=0', 'must be a list of shares like alice=3,group:lab=2,*=1 (the share of "alice" is no whole'],
    ['alice=-1', 'the share of "alice" is no whole number from 1 to 100'],
    ['group:lab=1.5', 'the share of "group:lab" is no whole number'],
    ['*=101', 'the share of "*" is no whole number'],
    ['alice=', 'the share of "alice" is no whole number'],
    ['alice', '"alice" is no share'],
    ['=3', '"=3" is no share'],
    ['group:=3', '"group:=3" is no share'],
    ['alice=1,alice=2', '"alice" has two shares'],
  ] as const)
    it(`are refused when they say ${text}`, () => {
      expect(() => parseUserShares(text)).to.throw(message);
    });
});
