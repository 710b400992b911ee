/** The CPU time that components report with their answers, and its sum in the usage report. */
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { WorkerClient } from '../../components/sdk/connection/client.ts';
import { runWorker, type WorkerOptions } from '../../components/sdk/work/worker.ts';
import { RawComponent, trackNamed } from '../support/processes/raw-component.ts';
import { sampleUri, Service } from '../support/processes/service.ts';

interface Figures {
  readonly name: string;
  readonly processingSeconds: number;
  readonly cpuSeconds: number;
  readonly processingSecondsWithoutCpu: number;
}
const BURNT_MS = 300;
const BURNT = BURNT_MS / 1_000;
const NONE = { processingSeconds: 0, cpuSeconds: 0, processingSecondsWithoutCpu: 0 };
const KB = 1_024;
/** Three kinds of answers: together with others, alone, and streamed while it is computed. */
const SIZES = { small: 1, whole: 64 * KB, streamed: 9 * KB * KB };

describe('CPU time in the usage report', () => {
  let service: Service;
  before(async () => {
    service = await Service.start();
  });
  after(() => service.close());

  const usage = async (name: string) => {
    const { body } = await service.ask('GET', '/rest/usage?by=component');
    const { usage: all } = body as { usage: readonly Figures[] };
    return all.find((one) => one.name === name) ?? { name, ...NONE };
  };
  /** The increase of the algorithm's values while `act` runs. */
  const usedBy = async (name: string, act: () => Promise<void>) => {
    const before = await usage(name);
    await act();
    const after = await usage(name);
    const added = (figure: keyof typeof NONE) => Math.round((after[figure] - before[figure]) * 1_000) / 1_000;
    return {
      processing: added('processingSeconds'),
      cpu: added('cpuSeconds'),
      without: added('processingSecondsWithoutCpu'),
    };
  };
  const submit = () =>
    service.submit({ media: [sampleUri('astronaut.png')], pipelineName: 'ABSENT PIPELINE' });

  async function runJob(handle: WorkerOptions['handle'], status = 'COMPLETE'): Promise<void> {
    const client = new WorkerClient(service.url, service.token);
    const stop = new AbortController();
    const ended = runWorker({
      ...{ client, algorithms: ['ABSENT'], signal: stop.signal, handle },
      log: () => undefined,
    });
    try {
      expect((await service.terminal(await submit())).jobStatus).to.equal(status);
    } finally {
      stop.abort();
      await ended;
      client.close();
    }
  }
  const burn = () => {
    const { user, system } = process.cpuUsage();
    const isBurning = () => {
      const now = process.cpuUsage();
      return now.user + now.system - user - system < BURNT_MS * 1_000;
    };
    while (isBurning());
  };

  for (const [size, bytes] of Object.entries(SIZES))
    it(`counts the CPU time of a ${size} result`, async () => {
      async function* handle() {
        for (let made = 0; made < bytes; made += 64 * KB)
          yield `${JSON.stringify(trackNamed('x'.repeat(Math.min(bytes, 64 * KB))))}\n`;
        burn();
      }
      const used = await usedBy('ABSENT', () => runJob(handle));
      expect(used.cpu).to.be.within(BURNT, used.processing + BURNT * 4);
      expect(used.without).to.equal(0);
    });

  it('counts the CPU time of a failure', async () => {
    // oxlint-disable-next-line require-yield -- It fails before it has found anything.
    async function* handle(): AsyncGenerator<string> {
      burn();
      throw new Error('It fails on purpose.');
    }
    expect((await usedBy('ABSENT', () => runJob(handle, 'ERROR'))).cpu).to.be.at.least(BURNT);
  });

  it('counts the CPU time of components that the server has started', async () => {
    const used = await usedBy('LIGHT', async () => {
      const media = Array.from({ length: 40 }, () => sampleUri('astronaut.png'));
      await service.terminal(await service.submit({ media, pipelineName: 'LIGHT PIPELINE' }));
    });
    expect(used.cpu).to.be.above(0);
    expect(used.without).to.equal(0);
  });

  it('shows for how much time a component reported none', async () => {
    const component = new RawComponent(service);
    const used = await usedBy('ABSENT', async () => {
      const id = await submit();
      const { token } = await component.claimOf(id, 'ABSENT');
      // If a component reports no CPU time, the time for which it had the sub-job counts.
      await component.heartbeat(token, 1, 2);
      expect((await component.post(`/leases/${token}/result`, Readable.from(['']))).status).to.equal(200);
      await service.terminal(id);
    });
    expect(used.cpu).to.equal(0);
    expect(used.without).to.be.above(0).and.to.equal(used.processing);
  });

  it('believes no CPU time that is none, or more than a host has', async () => {
    const component = new RawComponent(service);
    const answer = async (headers: Record<string, string>) => {
      const id = await submit();
      const { token } = await component.claimOf(id, 'ABSENT');
      await component.post(`/leases/${token}/result`, '', undefined, headers);
      await service.terminal(id);
    };
    for (const wrong of ['x', '-1', '1e999'])
      expect((await usedBy('ABSENT', () => answer({ 'troupe-cpu-ms': wrong }))).cpu, wrong).to.equal(0);
    const huge = await usedBy('ABSENT', () => answer({ 'troupe-cpu-ms': '1e300' }));
    expect(huge.cpu).to.be.within(0, (huge.processing + 0.002) * 1_024);
  });

  it('adds the time of a retry alone, not that of the run before once more', async () => {
    const component = new RawComponent(service);
    const answer = async (id: string, ms: number, said: object) => {
      const { token } = await component.claimOf(id, 'ABSENT');
      if (ms > 1) burn();
      const { body } = await component.say('/answers', { answers: [{ token, ms, cpuMs: 2 * ms, ...said }] });
      expect((body as { refused: readonly unknown[] }).refused).to.deep.equal([null]);
      await service.terminal(id);
    };
    const id = await submit();
    const failure = { code: 'DETECTION_FAILED', message: 'It fails on purpose.' };
    const first = await usedBy('ABSENT', () => answer(id, BURNT_MS, { failure }));
    expect([first.processing, first.cpu]).to.deep.equal([BURNT, 2 * BURNT]);
    const second = await usedBy('ABSENT', async () => {
      const { status } = await service.ask('POST', `/rest/jobs/${id}/retry`, { what: 'FAILED_SUB_JOBS' });
      expect(status).to.equal(200);
      await answer(id, 1, { lines: '' });
    });
    expect([second.processing, second.cpu]).to.deep.equal([0.001, 0.002]);
  });
});
