import { expect } from 'chai';
import { moment, timeRanges } from '../../../cli/terminal/moments.ts';
import { pages } from '../../../cli/arguments/pages.ts';

describe('Pages of a document', () => {
  for (const [given, ranges] of [
    ['3', [[3, 3]]],
    ['2-5', [[2, 5]]],
    ['1, 4-7,10-', [[1, 1], [4, 7], [10, 2 ** 31 - 1]]], // oxfmt-ignore
  ] as const)
    it(`are ${ranges.join('; ')} for ${given}`, () => {
      expect(pages(given)).to.deep.equal(ranges.map(([start, stop]) => ({ start, stop })));
    });

  for (const wrong of ['', '0', '5-2', '-3', '1,,2', 'x', '1.5', '2-5-7'])
    it(`are not "${wrong}"`, () => {
      expect(() => pages(wrong)).to.throw('Write pages from 1');
    });
});

describe('A moment of a medium', () => {
  for (const [given, ms] of [
    ['0', 0],
    ['83.5', 83_500],
    ['90s', 90_000],
    ['1:23.5', 83_500],
    ['0:07', 7_000],
    ['90:00', 5_400_000],
    ['1:02:03.25', 3_723_250],
    ['7200', 7_200_000],
  ] as const)
    it(`is ${ms} ms for ${given}`, () => {
      expect(moment(given)).to.equal(ms);
    });

  for (const wrong of ['', 'x', '-1', '1:75', '1:60:00', '1:2:3:4', '1.5:30', '1e3', ':30'])
    it(`is not "${wrong}"`, () => {
      expect(() => moment(wrong)).to.throw('Write seconds');
    });

  it('begins or ends a range; what is not given is the beginning or the end', () => {
    expect(timeRanges(undefined, undefined)).to.deep.equal([]);
    expect(timeRanges(1_500, undefined)).to.deep.equal([{ start: 1_500, stop: 2_147_483_647 }]);
    expect(timeRanges(undefined, 2_500)).to.deep.equal([{ start: 0, stop: 2_500 }]);
  });
});
