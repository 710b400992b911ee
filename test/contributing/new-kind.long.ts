/**
 * Applies the steps of actors/batch-job/README.md for a new kind of work to a copy of the sources: it
 * compiles without errors.
 */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NEW_KIND } from './new-kind.ts';
import { copySources, edit } from './steps.ts';

describe('A new kind of work, as its README says', () => {
  it('is all that the compiler wants', function () {
    this.timeout(300_000);
    const folder = mkdtempSync(path.join(tmpdir(), 'troupe-steps-'));
    try {
      copySources(folder);
      for (const step of NEW_KIND) edit(folder, step);
      expect(problemsIn(folder)).to.deep.equal([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Messages of the compiler, one line each. */
function problemsIn(folder: string): readonly string[] {
  const compiler = path.resolve('node_modules/typescript/bin/tsc');
  const said = spawnSync(process.execPath, [compiler, '--noEmit', '--incremental', 'false', '-p', '.'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return said.stdout.split('\n').filter((line) => /: error TS/.test(line));
}
