/**
 * Files of jobs in the data folder of two servers. Each server deletes orphaned files at its start and
 * periodically.
 */
import { expect } from 'chai';
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sampleUri, type Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { serverPair } from './two-servers/server-pair.ts';

describe('Files of a job in the folder of two servers', () => {
  const pair = serverPair({ CLEANING_MS: '50', DRAIN_MS: '0' }, { oneHere: true });
  let pictures: Server;
  before((done) => {
    pictures = createServer((_, answer) =>
      createReadStream(fileURLToPath(sampleUri('astronaut.png'))).pipe(answer),
    ).listen(0, '127.0.0.1', done);
  });
  after((done) => {
    pictures.close(done);
    pictures.closeAllConnections();
  });

  /** Downloaded media of runs and answers of components: folders and files. */
  const files = async () => {
    const found: string[] = [];
    for (const kind of ['spool', 'media'])
      for (const run of await readdir(join(pair().one.dataDir, kind)).catch(() => []))
        found.push(
          run,
          ...(await readdir(join(pair().one.dataDir, kind, run)).catch(() => [])).map(
            (name) => `${run}/${name}`,
          ),
        );
    return found;
  };
  const ofRun = async (folder: string) => (await files()).filter((name) => name.startsWith(folder));
  const waitingJob = async (at: Service, file: string) => {
    const { port } = pictures.address() as AddressInfo;
    const id = await at.submit({
      media: [`http://127.0.0.1:${port}/a.png`],
      pipelineName: 'TROUBLE PIPELINE',
      jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
    });
    await until('it was fetched, and is looked at', async () => {
      const there = await ofRun(`${id}.1`);
      const isHeld = [pair().one, pair().two].some((service) =>
        service
          .handedOut()
          .some(({ subJob, worker }) => subJob.startsWith(`${id}.`) && /Trouble/.test(worker)),
      );
      return isHeld && there.length > 0;
    });
    return id;
  };
  /** The number of cleanups of all servers. */
  const countCleanups = async () => {
    const stray = join(pair().one.dataDir, 'media', `stray-${Math.random()}.1`);
    mkdirSync(stray);
    writeFileSync(join(stray, 'medium'), 'x');
    await until(
      'a stray folder is removed',
      async () => !(await files()).some((name) => stray.endsWith(name)),
    );
  };

  it('stay while it runs at either server, whoever starts, stops, dies or cleans up', async () => {
    const { one, two } = pair();
    const file = join(one.folder, 'go-on');
    const ids = [await waitingJob(one, file), await waitingJob(two, file)];
    const before = await Promise.all(ids.map((id) => ofRun(`${id}.1`)));
    const areThere = async (when: string) => {
      for (const [n, id] of ids.entries())
        expect(await ofRun(`${id}.1`), `${id} ${when}`).to.include.members([...before[n]!]);
    };
    await countCleanups();
    await areThere('after clearing up');
    await one.stop();
    await one.startHere();
    await countCleanups();
    await areThere('after a stop and a start');
    await two.kill9();
    await two.start();
    await countCleanups();
    await areThere('after kill -9');
    writeFileSync(file, '');
    for (const id of ids) expect((await two.terminal(id)).jobStatus).to.equal('COMPLETE');
    await until('nothing is left', files, (left) => left.length === 0);
    for (const id of ids) expect((await one.document(id)).media).to.have.length(1);
  });
});
