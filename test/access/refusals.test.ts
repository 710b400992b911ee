import type { Context } from 'koa';
import { expect } from 'chai';
import { Refusals } from '../../http/access/refusals.ts';

describe('Refused tokens in the log', () => {
  it('are as many a minute as is allowed; the others are counted in one line of the next minute', () => {
    const lines: string[] = [];
    const line = (facts: object, message: string) => void lines.push(`${message} ${JSON.stringify(facts)}`);
    let now = 0;
    const refusals = new Refusals({ info: line, warn: line, error: line }, 2, () => now);
    const context = (at: string): Context =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      ({ method: 'GET', path: at, ip: '::1', state: { requestId: 'r' } }) as unknown as Context;
    for (let n = 0; n < 5; n++) refusals.tell(context('/a'), 401, 'Bad.');
    expect(lines).to.have.length(2);
    now = 60_000;
    refusals.tell(context(`/${'b'.repeat(9_000)}`), 403, 'x'.repeat(9_000), 'ada');
    expect(lines[2]).to.equal('more tokens were refused than are logged {"refused":3,"aMinute":2}');
    expect(lines[3]).to.match(/^a role is missing /).and.to.include('"user":"ada"'); // oxfmt-ignore
    expect(lines[3]!.length, 'what a client chose is cut').to.be.below(600);
  });
});
