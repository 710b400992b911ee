import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { runParts } from './run-parts.ts';

describe('The benchmark', () => {
  it('runs the parts after one that failed, and names that one', () => {
    const lines: string[] = [];
    const seen: string[] = [];
    const run = (name: string) => seen.push(name) !== 2;
    expect(runParts(['rest', 'document', 'export'], run, (line) => lines.push(line))).to.deep.equal([
      'document',
    ]);
    expect(seen).to.deep.equal(['rest', 'document', 'export']);
    expect(lines).to.include('\nThe part document failed. Run it alone with: npm run bench document');
    expect(lines.at(-1)).to.equal('\n2 of 3 parts completed; failed: document');
  });

  it('refuses an unknown part before it runs any', () => {
    const main = fileURLToPath(new URL('main.js', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [main, 'mailbox', 'nonsense'], {
      encoding: 'utf8',
    });
    expect(stderr).to.match(/^There is no part "nonsense"\. Choose from: service, sub-jobs, /m);
    expect(status).to.equal(2);
  });
});
