import { expect } from 'chai';
import { queryOf } from '../../../http/routing/query.ts';
import { measureTime } from '../../hostile/timing.ts';

describe('The query of a request', () => {
  const query = (querystring: string) => queryOf({ querystring });

  it('has a text for a parameter that is named once, and a list for one that is named again', () => {
    expect(query('a=1&b=%C3%A9&a=3&c&a=2')).to.deep.equal({ a: ['1', '3', '2'], b: 'é', c: '' });
    expect(query('')).to.deep.equal({});
  });

  it('takes every name as a plain name', () => {
    const found = query('__proto__=1&constructor=2&__proto__=3');
    expect(Object.entries(found)).to.deep.equal([
      ['__proto__', ['1', '3']],
      ['constructor', '2'],
    ]);
    expect(Object.getPrototypeOf(found)).to.equal(Object.prototype);
  });

  it('of 100,000 parameters is read in a moment', () => {
    const long = Array.from({ length: 100_000 }, (_, n) => `p${n % 50_000}=1`).join('&');
    // A parser with quadratic time would need minutes.
    expect(measureTime(() => query(long))).to.be.below(2_000);
  });
});
