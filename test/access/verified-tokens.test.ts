import { expect } from 'chai';
import { VerifiedTokens } from '../../http/access/verified-tokens.ts';

const cache = (): VerifiedTokens<string> => new VerifiedTokens({ capacity: 2, maxAgeMs: 60_000 });

describe('The cache of verified tokens', () => {
  it('keeps a token for a minute', () => {
    const tokens = cache();
    tokens.set('a', 'ada', { now: 0, expiresAt: 3_600_000 });
    expect([tokens.get('a', 59_999), tokens.get('a', 60_000)]).to.deep.equal(['ada', undefined]);
  });

  it('keeps no token longer because the clock was set back', () => {
    const tokens = cache();
    tokens.set('a', 'ada', { now: 3_600_000, expiresAt: 7_200_000 });
    expect(tokens.get('a', 0)).to.equal(undefined);
  });

  it('keeps no token beyond its expiry', () => {
    const tokens = cache();
    tokens.set('a', 'ada', { now: 0, expiresAt: 10_000 });
    expect([tokens.get('a', 9999), tokens.get('a', 10_000)]).to.deep.equal(['ada', undefined]);
  });

  it('drops the least recently used token when it is full', () => {
    const tokens = cache();
    const times = { now: 0, expiresAt: 10_000 };
    tokens.set('a', 'ada', times);
    tokens.set('b', 'bob', times);
    tokens.get('a', 1);
    tokens.set('c', 'cy', times);
    expect(['a', 'b', 'c'].map((id) => tokens.get(id, 2))).to.deep.equal(['ada', undefined, 'cy']);
  });

  it('holds hashes, not tokens', () => {
    expect(VerifiedTokens.idOf('header.claims.signature')).to.have.length(44).and.not.include('claims');
  });
});
