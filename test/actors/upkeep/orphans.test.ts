import { expect } from 'chai';
import { mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { removeOrphans } from '../../../actors/upkeep/reconcile.ts';
import { jobServer } from '../batch-job/simulation/served-jobs.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('Spool and media of jobs that are not live', () => {
  const server = jobServer({});
  const listLeft = async () =>
    (
      await Promise.all(
        ['spool', 'media'].map(async (kind) =>
          (await readdir(`${server.dataDir}/${kind}`)).map((name) => `${kind}/${name}`),
        ),
      )
    )
      .flat()
      .toSorted();
  const removeOrphansHere = () => removeOrphans(server.store, server.dataDir, silent);
  const UNKNOWN = ['media/here-12', 'media/here-8.2.m3', 'media/other-host-9.1', 'spool/here-8.2'];
  beforeEach(() => {
    const own = ['spool/here-7.1', 'spool/here-6.2', 'media/here-7.1.m0', 'media/here-6.1', 'media/here'];
    for (const folder of [...own, ...UNKNOWN]) mkdirSync(`${server.dataDir}/${folder}`, { recursive: true });
  });

  it('go, but for those of jobs that are newer than all that the store knows', async () => {
    await server.accept();
    expect([...(await removeOrphansHere())].toSorted()).to.deep.equal(UNKNOWN);
    expect(await listLeft()).to.deep.equal([...UNKNOWN, 'media/here-7.1.m0', 'spool/here-7.1'].toSorted());
  });

  it('stay when the store is empty, as that of another DATA_DIR is', async () => {
    await removeOrphansHere();
    expect(await listLeft()).to.have.length(8);
  });
});
