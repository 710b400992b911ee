import { expect } from 'chai';
import { FairLine } from '../../../actors/frames/fair-line.ts';

/** Work that ends when the test says so. */
function makeHeldWork() {
  let end: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  return { done, end: () => end() };
}
const settleTurn = () => new Promise((resolve) => setImmediate(resolve));
const patient = new AbortController().signal;

describe('A line for a few places', () => {
  it('gives them in turn to all who wait, however much one of them asks for', async () => {
    const line = new FairLine(1, 10);
    const first = makeHeldWork();
    const order: string[] = [];
    const begun = [line.run('greedy', patient, () => first.done)];
    for (const who of ['greedy', 'greedy', 'greedy', 'modest', 'other'])
      begun.push(line.run(who, patient, () => Promise.resolve(void order.push(who))));
    await settleTurn();
    expect(order).to.deep.equal([]);
    first.end();
    await Promise.all(begun);
    expect(order).to.deep.equal(['greedy', 'modest', 'other', 'greedy', 'greedy']);
  });

  it('refuses whoever has as many as one may have, and nobody else', async () => {
    const line = new FairLine(1, 2);
    const first = makeHeldWork();
    const begun = [line.run('a', patient, () => first.done), line.run('a', patient, () => Promise.resolve())];
    expect(await line.run('a', patient, () => Promise.resolve('done'))).to.equal(undefined);
    const other = line.run('b', patient, () => Promise.resolve('done'));
    first.end();
    await Promise.all(begun);
    expect(await other).to.equal('done');
    expect(await line.run('a', patient, () => Promise.resolve('done'))).to.equal('done');
  });

  it('forgets whoever gives up, and goes on after work that failed', async () => {
    const line = new FairLine(1, 10);
    const first = makeHeldWork();
    const failing = line
      .run('a', patient, () => first.done.then(() => Promise.reject(new Error('no'))))
      .catch((error: unknown) => String(error));
    const left = new AbortController();
    const waits = line.run('b', left.signal, () => Promise.resolve('done'));
    left.abort();
    expect(await waits).to.equal(undefined);
    expect(await line.run('b', left.signal, () => Promise.resolve('done'))).to.equal(undefined);
    const next = line.run('c', patient, () => Promise.resolve('done'));
    first.end();
    expect([await failing, await next]).to.deep.equal(['Error: no', 'done']);
    expect(await line.run('c', patient, () => Promise.resolve('again'))).to.equal('again');
  });
});
