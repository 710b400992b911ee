/** Components that exit, hang, flood or answer garbage: the sub-job is tried again, then fails with its code; the job always ends. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { isAlive } from '../support/processes.ts';
import { errorCodes, sampleUri, Service, tracksOf, type DetectionDocument } from '../support/service.ts';
import { until } from '../support/until.ts';

const ATTEMPTS = 2;
/** Short, but longer than a busy machine needs to load a library. */
const WITHIN_MS = 4_000;
const MAX_RESULT_BYTES = 100_000;
const ASTRONAUT = sampleUri('astronaut.png');
const COFFEE = sampleUri('coffee.png');

const troubled = (properties: Readonly<Record<string, string>>) => ({
  media: [{ mediaUri: ASTRONAUT, properties }, COFFEE],
  pipelineName: 'TROUBLE PIPELINE',
});

describe('A component that', () => {
  let service: Service;
  /** All jobs are started at once, since most of their time is waiting for a component that does not answer. */
  const jobs = new Map<string, string>();
  const kinds = ['exit', 'leave', 'hang', 'hold', 'freeze', 'flood', 'garbage'] as const;
  const countFile = (kind: string) => join(service.folder, `runs-${kind}`);

  before(async () => {
    service = await Service.started({
      COMPONENT_PROCESSES: '3',
      SUB_JOB_ATTEMPTS: String(ATTEMPTS),
      LEASE_MS: String(WITHIN_MS),
      SILENCE_MS: String(1.5 * WITHIN_MS),
      MAX_RESULT_BYTES: String(MAX_RESULT_BYTES),
      CANCEL_GRACE_MS: '300',
    });
    for (const kind of [...kinds, 'code', 'busy'])
      jobs.set(kind, await service.submit(troubled({ TROUBLE: kind })));
    for (const kind of kinds) {
      const once = { TROUBLE: kind, TROUBLE_RUNS: '1', TROUBLE_FILE: countFile(kind) };
      jobs.set(`${kind} once`, await service.submit(troubled(once)));
    }
  });
  after(() => service.close());

  const ended = async (kind: string) => {
    const id = jobs.get(kind)!;
    const job = await service.terminal(id, 60_000);
    return { id, status: job.jobStatus, document: await service.document(id) };
  };
  /** Each once: what a component gives back, since another sub-job holds it up, is the same attempt when it is handed out again. */
  const attempts = (id: string) => [
    ...new Set(
      service.handedOut().flatMap(({ subJob, attempt }) => (subJob === `${id}.1.0.0.0.0` ? [attempt] : [])),
    ),
  ];
  const tries = Array.from({ length: ATTEMPTS }, (_, i) => i + 1);
  const firstError = (document: DetectionDocument) =>
    document.media[0]?.detectionProcessingErrors['TROUBLE ACTION']?.[0] as
      { code: string; message: string } | undefined;

  for (const [kind, what, reason] of [
    ['exit', 'exits', /: the process exited with code 3$/],
    ['leave', 'ends in the middle as if all were well', /: the process exited with code 0$/],
    ['hang', 'hangs while its heartbeats go on', /: no progress for \d+ ms$/],
    ['hold', 'computes without end, its event loop held', /: no progress for \d+ ms$/],
    ['freeze', 'stands still as a whole', /: no heartbeat for \d+ ms$/],
    ['flood', 'floods', new RegExp(`: its answer was refused: .* more than ${MAX_RESULT_BYTES} bytes\\.$`)],
    ['garbage', 'answers garbage', /: its answer was refused: .*confidence/],
  ] as const) {
    it(`${what} is tried again up to SUB_JOB_ATTEMPTS, then its medium has DEAD_LETTER; other media are fine and the job ends ERROR`, async () => {
      const { id, status, document } = await ended(kind);
      expect(status).to.equal('ERROR');
      expect(attempts(id)).to.deep.equal(tries);
      const [bad, good] = document.media;
      expect([bad?.status, good?.status]).to.deep.equal(['INCOMPLETE', 'COMPLETE']);
      expect(errorCodes(document, bad?.mediaId)).to.deep.equal(['DEAD_LETTER']);
      expect(firstError(document)?.message)
        .to.match(/^The component was lost 2 times on this sub-job: /)
        .and.match(reason);
      expect(tracksOf(bad, 'TROUBLE')).to.deep.equal([]);
      expect(tracksOf(good, 'TROUBLE')).to.have.length(1);
    });

    it(`${what} only the first time costs one retry, and the job ends COMPLETE`, async () => {
      const { id, status, document } = await ended(`${kind} once`);
      expect(status).to.equal('COMPLETE');
      expect(attempts(id)).to.deep.equal([1, 2]);
      expect(document.media.map((medium) => tracksOf(medium, 'TROUBLE').length)).to.deep.equal([1, 1]);
      expect(document.errors).to.deep.equal([]);
    });
  }

  it('computes for longer than LEASE_MS in one go keeps its lease', async () => {
    const { id, status } = await ended('busy');
    expect([status, attempts(id)]).to.deep.equal(['COMPLETE', [1]]);
  });

  it('fails a sub-job with a code of its own is not asked again', async () => {
    const { id, status, document } = await ended('code');
    expect([status, attempts(id)]).to.deep.equal(['ERROR', [1]]);
    expect(firstError(document)).to.include({ code: 'GPU_ERROR', message: 'The card is on fire.' });
    expect(document.media.map((medium) => medium.status)).to.deep.equal(['INCOMPLETE', 'COMPLETE']);
  });

  it('cannot be started makes its jobs end ERROR soon, and those of others go on', async () => {
    const id = await service.submit({ media: [ASTRONAUT, COFFEE], pipelineName: 'BROKEN PIPELINE' });
    expect((await service.terminal(id, 30_000)).jobStatus).to.equal('ERROR');
    const document = await service.document(id);
    for (const medium of document.media) {
      expect(errorCodes(document, medium.mediaId)).to.deep.equal(['DEAD_LETTER']);
      expect(medium.detectionProcessingErrors['BROKEN ACTION']?.[0]?.['message']).to.include(
        'its component cannot be started',
      );
    }
    expect(service.handedOut().filter(({ subJob }) => subJob.startsWith(`${id}.1.0`))).to.deep.equal([]);
    expect((await service.run({ media: [ASTRONAUT], pipelineName: 'LIGHT PIPELINE' })).status).to.equal(
      'COMPLETE',
    );
  });

  it('dies again and again while it prepares a medium, as by a decoder crash, costs that medium only', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = silent.address() as AddressInfo;
      const id = await service.submit({
        media: [`http://127.0.0.1:${port}/endless.mp4`, COFFEE],
        pipelineName: 'LIGHT PIPELINE',
      });
      for (const attempt of tries) {
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
      expect(attempts(id), 'not tried again').to.deep.equal([1]);
    });
});

describe('Component processes', () => {
  let service: Service;
  beforeEach(async () => {
    service = await Service.started({ DRAIN_MS: '100', COMPONENT_PROCESSES: '2' });
  });
  afterEach(() => service.close());

  const alive = () => service.componentPids().filter((pid) => isAlive({ pid }));
  const detectors = () =>
    new Set(service.handedOut().flatMap(({ worker }) => (worker.includes('TestTrouble') ? [worker] : [])));
  const startWork = async () => {
    for (const kind of ['hang', 'loop'])
      await service.submit({ ...troubled({}), media: [ASTRONAUT], jobProperties: { TROUBLE: kind } });
    await until('each of both has its process', () => detectors().size === 2);
    expect(alive(), 'the media component and both detectors').to.have.length.at.least(3);
  };

  it('end within about two seconds after the server was killed, also one that hangs and one that blocks its event loop', async () => {
    await startWork();
    await service.kill9();
    await until('all component processes are gone', alive, (pids) => pids.length === 0, {
      withinMs: 15_000,
    });
  });

  it('are gone when the server has stopped, also one that hangs and one that blocks its event loop', async () => {
    await startWork();
    expect(await service.stop()).to.equal(0);
    expect(alive()).to.deep.equal([]);
  });
});
