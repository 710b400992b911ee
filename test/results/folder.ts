import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for the tests of one suite. It is deleted after them. */
export function temporaryFolder(): (name: string) => string {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'troupe-output-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  return (name) => join(folder, name);
}
