import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { baseName, placeName } from '../../../cli/terminal/names.ts';

describe('The name of a medium', () => {
  for (const [uri, place, base] of [
    [pathToFileURL(path.resolve('a b/Grüße #1.png')).href, 'a b/Grüße #1.png', 'Grüße #1.png'],
    ['file:///elsewhere/it%27s%20100%25.png', "/elsewhere/it's 100%.png", "it's 100%.png"],
    ['https://host/Caf%C3%A9%20%E2%98%95.mp4?sig=%2F', 'https://host/Café ☕.mp4?sig=%2F', 'Café ☕.mp4'],
    ['https://host/100%.png', 'https://host/100%.png', '100%.png'],
    ['https://host/', 'https://host/', 'host'],
    ['data:image/png;base64,iVBORw0KGgo=', 'data:image/png;base64,…', 'data:…'],
    ['file:///a%0A%1B%5B2Jb.png', '/a [2Jb.png', 'a [2Jb.png'],
  ] as const)
    it(`is ${place} for ${uri}`, () => {
      expect([placeName(uri), baseName(uri)]).to.deep.equal([place, base]);
    });
});
