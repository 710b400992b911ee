import { expect } from 'chai';
import { NAMELESS, ownerOf, type Identity } from '../../../domain/job/owner.ts';

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
