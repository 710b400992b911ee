/** The event log of a stream, newest first. */
import { expect } from 'chai';
import { withLine, type LogLine } from '../../../page/streams/log.ts';

describe('The log of a stream', () => {
  const logLines = (...times: readonly number[]): readonly LogLine[] =>
    times.reduce<readonly LogLine[]>((lines, at, key) => withLine(lines, { key, at, text: '' }), []);

  it('has the newest event first in whatever order events arrive', () => {
    expect(logLines(30, 10, 40, 20).map(({ at }) => at)).to.deep.equal([40, 30, 20, 10]);
  });

  it('has the event that arrived later first where two happened at the same time', () => {
    expect(logLines(10, 10, 5, 10).map(({ key }) => key)).to.deep.equal([3, 1, 0, 2]);
  });

  it('keeps the newest 200 events', () => {
    const lines = logLines(...Array.from({ length: 250 }, (_, n) => n), -1);
    expect([lines.length, lines[0]?.at, lines.at(-1)?.at]).to.deep.equal([200, 249, 50]);
  });
});
