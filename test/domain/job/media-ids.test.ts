import { expect } from 'chai';
import { unknownMedium } from '../../../domain/job/media-ids.ts';

describe('The message about an unknown medium', () => {
  it('lists the known mediaIds as ranges, and not all of very many', () => {
    const none = 'The job has no medium with mediaId 7.';
    expect(unknownMedium(7, [])).to.equal(none);
    expect(unknownMedium(7, [31])).to.equal(`${none} It has 31.`);
    expect(unknownMedium(7, [38, 33, 31, 32, 32])).to.equal(`${none} It has 31 to 33, 38.`);
    const odd = Array.from({ length: 100 }, (_, n) => 2 * n + 1);
    expect(unknownMedium(7, odd)).to.equal(`${none} It has 1, 3, 5, 7, 9, 11, 13, 15, and others.`);
  });
});
