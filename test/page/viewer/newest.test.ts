/** Requests while the pointer moves: one at a time, and the newest one next. */
import { expect } from 'chai';
import { Newest } from '../../../page/viewer/newest.ts';
import { until } from '../../support/until.ts';

class Loads {
  readonly begun: string[] = [];
  readonly shown: string[] = [];
  readonly #ends: ((isGood: boolean) => void)[] = [];
  readonly newest = new Newest<string>({
    load: (key) => {
      this.begun.push(key);
      return new Promise((resolve, reject) => {
        this.#ends.push((isGood) => (isGood ? resolve(key) : reject(new Error('busy'))));
      });
    },
    onLoad: (value) => this.shown.push(value),
    pauseMs: 1,
    failureMs: 2,
  });
  end(isGood = true): void {
    this.#ends.shift()!(isGood);
  }
  begins = (key: string) => until(`${key} is being loaded`, () => this.begun.at(-1) === key);
}

describe('The newest that is wanted', () => {
  it('is loaded after the one that is under way; those between are not', async () => {
    const loads = new Loads();
    for (const key of ['a', 'b', 'c', 'd']) loads.newest.want(key);
    expect(loads.begun).to.deep.equal(['a']);
    loads.end();
    await loads.begins('d');
    loads.end();
    await until('both are shown', () => loads.shown.length === 2);
    expect([loads.begun, loads.shown]).to.deep.equal([
      ['a', 'd'],
      ['a', 'd'],
    ]);
  });

  it('is not shown when nothing is wanted any more', async () => {
    const loads = new Loads();
    loads.newest.want('a');
    loads.newest.none();
    loads.end();
    await new Promise((resolve) => setImmediate(resolve));
    loads.newest.want('b');
    await loads.begins('b');
    loads.end();
    await until('b is shown', () => loads.shown.length === 1);
    expect(loads.shown).to.deep.equal(['b']);
  });

  it('is tried again when it could not be had', async () => {
    const loads = new Loads();
    loads.newest.want('a');
    loads.end(false);
    await until('it is tried again', () => loads.begun.length === 2);
    loads.end();
    await until('it is shown', () => loads.shown.length === 1);
  });
});
