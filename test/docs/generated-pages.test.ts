import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { GENERATED } from './pages.ts';

describe('The generated pages of the documentation', () => {
  for (const [file, page] of Object.entries(GENERATED))
    it(`${file} is up to date`, () => {
      const stored = existsSync(file) ? readFileSync(file, 'utf8') : '';
      expect(
        stored,
        `${file} is stale: run npm run docs:generate, look at the change and commit it.`,
      ).to.equal(page());
    });
});
