/**
 * `troupe reindex` without a running service: it deletes the index, wherever it is, and the next start
 * rebuilds it.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { Place } from './support/support.ts';

describe('troupe reindex without a service', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    mkdirSync(place.dataDir);
    writeFileSync(path.join(place.dataDir, 'troupe.db'), '');
  });
  afterEach(() => place.leave());

  const runReindex = async (folder: string, env: Readonly<Record<string, string>>) => {
    const index = path.join(folder, 'search.db');
    writeFileSync(index, '');
    const { code, stdout } = await place.troupe(['reindex'], env);
    expect([code, stdout]).to.deep.equal([
      0,
      'The search index was removed: the server rebuilds it at its next start.\n',
    ]);
    expect(existsSync(index)).to.equal(false);
  };

  it('removes the index in DATA_DIR', () => runReindex(place.dataDir, {}));

  it('removes that in SEARCH_FOLDER where it is set', async () => {
    const folder = path.join(place.folder, 'local');
    mkdirSync(folder);
    await runReindex(folder, { SEARCH_FOLDER: folder });
  });
});
