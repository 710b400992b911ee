/**
 * Components that exit, hang, or send too much or invalid data, with every fault permanently and once, and
 * with cancellation or stop meanwhile. `npm test` runs some of these.
 */
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { isAlive } from '../support/processes/processes.ts';
import { errorCodes, Service, tracksOf } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import {
  ATTEMPTS,
  attemptsOf,
  CAR,
  componentsThatTrouble,
  PICTURE,
  SETTINGS,
  troubleRequest,
  type Trouble,
} from './suite-of-troubles.ts';

const ALL: readonly Trouble[] = ['exit', 'leave', 'hang', 'hold', 'freeze', 'flood', 'garbage'];

describe('A component that', () => {
  let service: Service;
  before(async () => {
    service = await Service.start(SETTINGS);
  });
  after(() => service.close());

  componentsThatTrouble(() => service, { always: ALL, once: ALL });

  it('dies repeatedly while it prepares a medium, as in a decoder crash, costs only that medium', async () => {
    // Hashing takes minutes. A process that dies with two media counts no attempt for either, so the other
    // one is submitted after the first has failed.
    const endless = path.join(service.mediaDir, 'endless.mp4');
    writeFileSync(endless, '');
    truncateSync(endless, 2 ** 37);
    let sendCar!: () => void;
    const hasFailed = new Promise<void>((resolve) => (sendCar = resolve));
    const car = readFileSync(fileURLToPath(CAR));
    const server = createServer((_, response) => void hasFailed.then(() => response.end(car)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const id = await service.submit({
        media: [pathToFileURL(endless).href, `http://127.0.0.1:${port}/car.jpg`],
        pipelineName: 'LIGHT PIPELINE',
      });
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const { worker } = await service.waitForLog(
          'handed out a sub-job',
          (line) => line['subJob'] === `${id}.1.prepare.0` && line['attempt'] === attempt,
        );
        const { pid } = await service.waitForLog(
          'component process started',
          (line) => line['worker'] === worker,
        );
        process.kill(pid, 'SIGKILL');
      }
      sendCar();
      expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
      const document = await service.document(id);
      const [bad, good] = document.media;
      expect([bad?.status, errorCodes(document, bad?.mediaId)]).to.deep.equal(['ERROR', ['DEAD_LETTER']]);
      expect([good?.status, tracksOf(good, 'LIGHT').length]).to.deep.equal(['COMPLETE', 1]);
    } finally {
      server.closeAllConnections();
      server.close();
      rmSync(endless);
    }
  });

  for (const kind of ['hang', 'loop'])
    it(`does not answer a cancel (${kind}) is killed, and the job ends CANCELLED`, async () => {
      const id = await service.submit(troubleRequest({ TROUBLE: kind }));
      await service.waitForLog('handed out a sub-job', ({ subJob }) => subJob === `${id}.1.0.0.0.0`);
      expect((await service.cancel(id)).status).to.equal(200);
      expect((await service.terminal(id)).jobStatus).to.equal('CANCELLED');
      expect((await service.document(id)).status).to.equal('CANCELLED');
      expect(attemptsOf(service, id), 'not tried again').to.deep.equal([1]);
    });
  // The following tests stop and kill the server, so they do not depend on the state of earlier tests.
  describe('hangs, and one that blocks its event loop,', () => {
    const alive = () => service.componentPids().filter((pid) => isAlive({ pid }));
    const work: string[] = [];
    const bothWork = async (times: number) => {
      const isHandedOut = (id: string) =>
        service.handedOut().filter(({ subJob }) => subJob === `${id}.1.0.0.0.0`).length === times;
      await until('each of both has its process', () => work.every(isHandedOut));
      expect(alive(), 'both detectors').to.have.length.at.least(2);
    };

    it('are gone when the server has stopped', async () => {
      for (const kind of ['hang', 'loop'])
        work.push(
          await service.submit({ ...troubleRequest({}), media: [PICTURE], jobProperties: { TROUBLE: kind } }),
        );
      await bothWork(1);
      expect(await service.stop()).to.equal(0);
      expect(alive()).to.deep.equal([]);
    });

    it('end within about two seconds after the server was killed', async () => {
      await service.start();
      await bothWork(2);
      await service.kill9();
      await until('all component processes are gone', alive, (pids) => pids.length === 0, {
        withinMs: 15_000,
      });
    });
  });
});
