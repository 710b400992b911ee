import { expect } from 'chai';
import * as fc from 'fast-check';
import { callbackUrl, refusedCallbackUrl, type CallbackFacts } from '../../../domain/job/callback.ts';
import { anyText } from '../../support/any-text.ts';
import { runs, seeded } from '../../support/seed.ts';

const URI = 'file:///data/output-objects/here-7/detection.json';
const ESCAPED = 'file%3A%2F%2F%2Fdata%2Foutput-objects%2Fhere-7%2Fdetection.json';
const FACTS: CallbackFacts = { jobId: 'here-7', externalId: 'mine', outputObjectUri: URI };
const ALL = `jobid=here-7&externalid=mine&outputobjecturi=${ESCAPED}`;

describe('The address of a callback by GET (specification 6.1)', () => {
  const TABLE: readonly (readonly [string, string, Partial<CallbackFacts>, string])[] = [
    ['begins a query', 'http://a.example/done', {}, `http://a.example/done?${ALL}`],
    ['begins a query without path', 'http://a.example', {}, `http://a.example?${ALL}`],
    ['goes on with a query', 'http://a.example/?x=1', {}, `http://a.example/?x=1&${ALL}`],
    ['goes on with an empty query', 'http://a.example/?', {}, `http://a.example/?${ALL}`],
    ['goes on with a query that ends in &', 'http://a.example/?x=1&', {}, `http://a.example/?x=1&${ALL}`],
    [
      'keeps a query as it is written',
      'http://a.example/?b=%7e&a=+&a&=',
      {},
      `http://a.example/?b=%7e&a=+&a&=&${ALL}`,
    ],
    ['keeps a question mark within the query', 'http://a.example/?x=?y', {}, `http://a.example/?x=?y&${ALL}`],
    [
      'leaves a fragment out',
      'http://a.example/done?x=1#part?jobid=2',
      {},
      `http://a.example/done?x=1&${ALL}`,
    ],
    [
      'takes the place of a parameter of the same name',
      'http://a.example/?jobid=9&x=1',
      {},
      `http://a.example/?x=1&${ALL}`,
    ],
    ['takes the place of an escaped name', 'http://a.example/?%6Aobid=9', {}, `http://a.example/?${ALL}`],
    [
      'takes the place of each of the same name',
      'http://a.example/?jobid=8&jobid&x=1&externalid=',
      {},
      `http://a.example/?x=1&${ALL}`,
    ],
    ['keeps names that differ in case', 'http://a.example/?jobId=9', {}, `http://a.example/?jobId=9&${ALL}`],
    [
      'leaves out the external id that there is not',
      'http://a.example/',
      { externalId: null },
      `http://a.example/?jobid=here-7&outputobjecturi=${ESCAPED}`,
    ],
    [
      'leaves out the document that there is not',
      'http://a.example/',
      { outputObjectUri: null },
      'http://a.example/?jobid=here-7&externalid=mine',
    ],
    [
      'sends an external id that is empty',
      'http://a.example/',
      { externalId: '', outputObjectUri: null },
      'http://a.example/?jobid=here-7&externalid=',
    ],
    [
      'takes the place of a parameter also with nothing',
      'http://a.example/?externalid=theirs',
      { externalId: null, outputObjectUri: null },
      'http://a.example/?jobid=here-7',
    ],
    [
      'escapes what would end a parameter',
      'http://a.example/',
      { externalId: 'a&jobid=1#?=+ ü\r\n', outputObjectUri: null },
      'http://a.example/?jobid=here-7&externalid=a%26jobid%3D1%23%3F%3D%2B%20%C3%BC%0D%0A',
    ],
  ];
  for (const [what, callback, facts, expected] of TABLE)
    it(what, () => expect(callbackUrl(callback, { ...FACTS, ...facts })).to.equal(expected));

  it(`is read back as what it says, whatever stands in it ${seeded}`, () => {
    const text = anyText();
    const name = fc.constantFrom('jobid', 'externalid', 'outputobjecturi', 'a', 'b%3D', '');
    const parameter = fc.tuple(name, text).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    const query = fc.array(parameter).map((parameters) => parameters.join('&'));
    const path = fc.constantFrom('', '/', '/a//b', '/a%20b/%3Fc;d=1', "/it's(1)/ü");
    const address = fc.tuple(fc.webAuthority(), path).map((parts) => `http://${parts.join('')}`);
    fc.assert(
      fc.property(
        address,
        query,
        text,
        fc.option(text),
        fc.option(text),
        (base, own, jobId, externalId, uri) => {
          const url = new URL(callbackUrl(`${base}?${own}`, { jobId, externalId, outputObjectUri: uri }));
          expect(url.origin + url.pathname).to.equal(new URL(base).origin + new URL(base).pathname);
          expect(url.searchParams.getAll('jobid')).to.deep.equal([jobId]);
          expect(url.searchParams.getAll('externalid')).to.deep.equal(
            externalId === null ? [] : [externalId],
          );
          expect(url.searchParams.getAll('outputobjecturi')).to.deep.equal(uri === null ? [] : [uri]);
        },
      ),
      runs(300),
    );
  });
});

describe('A callbackURL', () => {
  for (const url of [
    'http://a.example',
    'https://a.example/x?y=1',
    'HTTP://A.EXAMPLE',
    'http://user:secret@a.example:8080/',
    'http://[::1]:80/x',
    'http://127.0.0.1',
    'http://[::ffff:1.2.3.4]/',
    'http://0.example/',
  ])
    it(`can be tried: ${url}`, () => expect(refusedCallbackUrl(url)).to.equal(undefined));

  for (const url of [
    '',
    'a.example/done',
    '/done',
    '//a.example',
    'ftp://a.example',
    'file:///etc/passwd',
    'http://',
    'http://a.example:99999',
    'javascript:alert(1)',
  ])
    it(`is refused with a sentence that names it: ${JSON.stringify(url)}`, () =>
      expect(refusedCallbackUrl(url)).to.equal(
        `callbackURL is "${url}"; it must be a complete http or https URL.`,
      ));

  for (const [url, host] of [
    ['http://0.0.0.0:8080/done', '0.0.0.0'],
    ['https://0/', '0.0.0.0'],
    ['http://0.1.2.3/', '0.1.2.3'],
    ['http://[::]:80/', '[::]'],
    ['http://[0:0:0:0:0:0:0:0]/', '[::]'],
    ['http://[::ffff:0.0.0.0]/', '[::ffff:0:0]'],
  ])
    it(`is refused with a sentence when nothing can be sent to its address: ${url}`, () =>
      expect(refusedCallbackUrl(url!)).to.equal(
        `callbackURL is "${url}"; nothing can be sent to ${host}. Give the name or the address of the receiver's host.`,
      ));

  it('is named in part when it is very long', () =>
    expect(refusedCallbackUrl('x'.repeat(10_000))?.length).to.be.lessThan(600));
});
