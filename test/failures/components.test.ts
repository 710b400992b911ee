/** Components that exit, hang, flood or answer garbage: the sub-job is tried again, then fails with its code; the job always ends. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { isAlive } from '../support/processes.ts';
import { errorCodes, Service, tracksOf } from '../support/service.ts';
import { until } from '../support/until.ts';
import {
  PICTURE,
  ATTEMPTS,
  attemptsOf,
  CAR,
  componentsThatTrouble,
  firstError,
  SETTINGS,
  troubled,
} from './suite-of-troubles.ts';

describe('A component that', () => {
  let service: Service;
  const jobs = new Map<string, string>();
  before(async () => {
    service = await Service.here({ ...SETTINGS, DRAIN_MS: '100' });
    for (const kind of ['code', 'busy']) jobs.set(kind, await service.submit(troubled({ TROUBLE: kind })));
  });
  after(() => service.close());

  const ended = async (kind: string) => {
    const id = jobs.get(kind)!;
    const job = await service.terminal(id);
    return { status: job.jobStatus, attempts: attemptsOf(service, id), document: await service.document(id) };
  };

  // `npm run test:long` has each of them each time and once.
  componentsThatTrouble(() => service, {
    always: ['exit', 'hang', 'garbage'],
    once: ['leave', 'hold', 'freeze', 'flood'],
  });

  it('computes for longer than LEASE_MS in one go keeps its lease', async () => {
    const { status, attempts } = await ended('busy');
    expect([status, attempts]).to.deep.equal(['COMPLETE', [1]]);
  });

  it('fails a sub-job with a code of its own is not asked again', async () => {
    const { status, attempts, document } = await ended('code');
    expect([status, attempts]).to.deep.equal(['ERROR', [1]]);
    expect(firstError(document)).to.include({ code: 'GPU_ERROR', message: 'The card is on fire.' });
    expect(document.media.map((medium) => medium.status)).to.deep.equal(['INCOMPLETE', 'COMPLETE']);
  });

  it('cannot be started makes its jobs end ERROR soon, and those of others go on', async () => {
    const id = await service.submit({ media: [PICTURE], pipelineName: 'BROKEN PIPELINE' });
    expect((await service.terminal(id, 30_000)).jobStatus).to.equal('ERROR');
    const document = await service.document(id);
    for (const medium of document.media) {
      expect(errorCodes(document, medium.mediaId)).to.deep.equal(['DEAD_LETTER']);
      expect(medium.detectionProcessingErrors['BROKEN ACTION']?.[0]?.['message']).to.include(
        'its component cannot be started',
      );
    }
    expect(service.handedOut().filter(({ subJob }) => subJob.startsWith(`${id}.1.0`))).to.deep.equal([]);
    expect((await service.run({ media: [PICTURE], pipelineName: 'LIGHT PIPELINE' })).status).to.equal(
      'COMPLETE',
    );
  });

  it('dies again and again while it prepares a medium, as by a decoder crash, costs that medium only', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = silent.address() as AddressInfo;
      const id = await service.submit({
        media: [`http://127.0.0.1:${port}/endless.mp4`, CAR],
        pipelineName: 'LIGHT PIPELINE',
      });
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const { worker } = await service.logged(
          'handed out a sub-job',
          (line) => line['subJob'] === `${id}.1.prepare.0` && line['attempt'] === attempt,
        );
        const { pid } = await service.logged(
          'component process started',
          (line) => line['worker'] === worker,
        );
        process.kill(pid, 'SIGKILL');
      }
      expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
      const document = await service.document(id);
      const [bad, good] = document.media;
      expect([bad?.status, errorCodes(document, bad?.mediaId)]).to.deep.equal(['ERROR', ['DEAD_LETTER']]);
      expect([good?.status, tracksOf(good, 'LIGHT').length]).to.deep.equal(['COMPLETE', 1]);
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });

  for (const kind of ['hang', 'loop'])
    it(`does not answer a cancel (${kind}) is killed after CANCEL_GRACE_MS, and the job ends CANCELLED within seconds`, async () => {
      const id = await service.submit(troubled({ TROUBLE: kind }));
      await service.logged('handed out a sub-job', ({ subJob }) => subJob === `${id}.1.0.0.0.0`);
      expect((await service.cancel(id)).status).to.equal(200);
      expect((await service.terminal(id)).jobStatus).to.equal('CANCELLED');
      expect((await service.document(id)).status).to.equal('CANCELLED');
      expect(attemptsOf(service, id), 'not tried again').to.deep.equal([1]);
    });

  // From here on the server is stopped and killed: what comes after must not need what was before.
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
          await service.submit({ ...troubled({}), media: [PICTURE], jobProperties: { TROUBLE: kind } }),
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
