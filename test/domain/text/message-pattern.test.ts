import { expect } from 'chai';
import { messagePattern } from '../../../domain/text/message-pattern.ts';

/** Messages with their patterns. */
const PATTERNS: readonly (readonly [message: string, pattern: string])[] = [
  ['The file is empty (0 bytes).', 'The file is empty (# bytes).'],
  ['MEDIA_ROOTS does not contain /srv/video/a-7.mp4.', 'MEDIA_ROOTS does not contain /…'],
  ['C:\\media\\a.mp4 is a folder', '/… is a folder'],
  ['"/srv/a 7.mp4": no such file', '"/… #.mp4": no such file'],
  ['file:///srv/a.mp4 is truncated', 'file:///… is truncated'],
  [
    'https://cam1.example:8443/live/7?t=1 cannot be fetched: HTTP status 503.',
    'https://cam1.example:8443/… cannot be fetched: HTTP status #.',
  ],
  ['https://cam1.example answers nothing', 'https://cam1.example/… answers nothing'],
  ['data:image/png;base64,AAAA== is no picture', 'data:… is no picture'],
  ['object 3f2a91cc-7d1e-4a55-9c7e-0123456789ab is gone', 'object # is gone'],
  ['hash d41d8cd98f00b204 differs', 'hash # differs'],
  ['The codec H264 of stream 2 is damaged at 0:12.5', 'The codec H264 of stream # is damaged at #'],
  ['facade and decade stay', 'facade and decade stay'],
  ['image/png and 1/2 of TEXT/PLAIN', 'image/png and #/# of TEXT/PLAIN'],
  ['two\nlines   of text', 'two lines of text'],
];

describe('The pattern of a message', () => {
  for (const [message, pattern] of PATTERNS)
    it(`of ${JSON.stringify(message).slice(0, 60)} keeps only what others share`, () =>
      expect(messagePattern(message)).to.equal(pattern));

  it('is its own pattern, so that a stored one groups again', () => {
    for (const [, pattern] of PATTERNS) expect(messagePattern(pattern)).to.equal(pattern);
  });

  it('has at most 300 characters', () => expect(messagePattern('word '.repeat(1_000))).to.have.lengthOf(300));
});
