import { expect } from 'chai';
import {
  isSeen,
  NAMELESS,
  ownerOf,
  scopesOf,
  sightOf,
  type Identity,
  type Owner,
} from '../../../domain/users/owner.ts';

const token: Identity = { subject: 's', client: 'c', name: 'n', group: null };

describe('The owner of a job', () => {
  it('is the subject of the token, else its client, else the name of the user', () => {
    expect(ownerOf(token)).to.deep.equal({ user: 's' });
    expect(ownerOf({ ...token, subject: null })).to.deep.equal({ user: 'c' });
    expect(ownerOf({ ...token, subject: null, client: null })).to.deep.equal({ user: 'n' });
  });

  it('has the group of the user, if there is one', () => {
    expect(ownerOf({ ...token, group: 'lab' })).to.deep.equal({ user: 's', group: 'lab' });
  });

  it('is absent when the token does not say who its user is', () => {
    expect(ownerOf({ subject: null, client: null, name: NAMELESS, group: 'lab' })).to.equal(undefined);
  });
});

describe('The sight of a user', () => {
  const anna: Owner = { user: 'anna', group: 'red' };
  const jobs: readonly (Owner | undefined)[] = [
    anna,
    { user: 'anna', group: 'blue' },
    { user: 'bob', group: 'red' },
    { user: 'bob' },
    { user: 'red' },
    undefined,
  ];
  const seenBy = (...viewer: Parameters<typeof sightOf>) =>
    jobs.map((owner) => isSeen(owner, sightOf(...viewer))).flatMap((seen, n) => (seen ? [n] : []));

  it('has all jobs, own jobs, or also those of the group', () => {
    expect(seenBy(anna, 'all')).to.deep.equal([0, 1, 2, 3, 4, 5]);
    expect(seenBy(anna, 'own')).to.deep.equal([0, 1]);
    expect(seenBy(anna, 'group')).to.deep.equal([0, 1, 2]);
    expect(seenBy({ user: 'bob' }, 'group')).to.deep.equal([2, 3]);
  });

  it('has no job when the token says nothing, unless all are seen', () => {
    expect(seenBy(undefined, 'own')).to.deep.equal([]);
    expect(seenBy(undefined, 'group')).to.deep.equal([]);
    expect(seenBy(undefined, 'all')).to.have.length(jobs.length);
  });

  it('is written as scopes that no other name can be taken for', () => {
    expect(scopesOf({ user: 'a/group:b', group: 'ü\ud800' })).to.deep.equal([
      'user:a%2Fgroup%3Ab/',
      'group:%C3%BC%EF%BF%BD/',
    ]);
    expect(scopesOf(undefined)).to.deep.equal([]);
  });
});
