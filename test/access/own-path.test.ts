import { expect } from 'chai';
import { ownPath } from '../../http/login/own-path.ts';

describe('Where a browser goes after its login', () => {
  for (const [wanted, there] of [
    ['/', '/'],
    ['/docs/?a=1&b=%2F#x', '/docs/?a=1&b=%2F#x'],
    ['/#/jobs/7/media/1?t=12.48', '/#/jobs/7/media/1?t=12.48'],
    ['/a/../b', '/b'],
    ['/ä b', '/%C3%A4%20b'],
  ] as const)
    it(`is ${there} when it wanted ${wanted}`, () => expect(ownPath(wanted, '')).to.equal(there));

  for (const wanted of [
    undefined,
    ['/a', '/b'],
    '',
    'docs',
    'https://evil.example/',
    'javascript:alert(1)',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e%2e//evil.example',
    ' //evil.example',
    `/${'x'.repeat(2_000)}`,
  ])
    it(`is the first page when it wanted ${JSON.stringify(wanted)?.slice(0, 40)}`, () => {
      expect(ownPath(wanted, '')).to.equal('/');
      expect(ownPath(wanted, '/troupe')).to.equal('/troupe/');
    });

  it('lies below the path of BASE_URL, whether the page has named that or not', () => {
    expect(ownPath('/docs/', '/troupe')).to.equal('/troupe/docs/');
    expect(ownPath('/troupe/docs/', '/troupe')).to.equal('/troupe/docs/');
    expect(ownPath('/trouper', '/troupe')).to.equal('/troupe/trouper');
  });
});
