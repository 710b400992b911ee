import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleUri, type Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { serverPair } from './two-servers/server-pair.ts';

const MAX_LIVE = 4;

describe('MAX_LIVE_JOBS of two servers of one store', () => {
  // Periodic checks are switched off in practice, so this test sees only what servers tell each other.
  const pair = serverPair({ MAX_LIVE_JOBS: String(MAX_LIVE), RECONCILE_MS: '3600000' }, { oneHere: true });
  const waitingFor = (file: string) => ({
    media: [sampleUri('astronaut.png')],
    pipelineName: 'TROUBLE PIPELINE',
    jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
  });
  const live = async (service: Service, ids: readonly string[]) => {
    const jobs = await Promise.all(ids.map((id) => service.job(id)));
    return ids.filter((_, n) => jobs[n]!.jobStatus !== 'INITIALIZED' && !jobs[n]!.terminal);
  };

  it('holds for the jobs of both together, and what waits begins when jobs of the other end', async () => {
    const { one, two } = pair();
    const file = join(one.folder, 'begun');
    const first = await Promise.all([one, two, one, two].map((service) => service.submit(waitingFor(file))));
    await until('as many live as may', async () => (await live(one, first)).length === MAX_LIVE);
    const second = join(one.folder, 'next');
    const next = await Promise.all([one, two, one, two].map((service) => service.submit(waitingFor(second))));
    expect(await live(two, [...first, ...next])).to.have.members(first);
    writeFileSync(file, '');
    await until('the others live', async () => (await live(two, next)).length === MAX_LIVE);
    writeFileSync(second, '');
    for (const id of [...first, ...next]) expect((await one.terminal(id)).jobStatus).to.equal('COMPLETE');
  });

  it('holds when many jobs come to both at a time', async () => {
    const { one, two } = pair();
    const file = join(one.folder, 'many');
    const services = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? one : two));
    const ids = await Promise.all(services.map((service) => service.submit(waitingFor(file))));
    const seen = await until(
      'as many live as may',
      () => live(one, ids),
      (found) => found.length >= MAX_LIVE,
    );
    expect(seen).to.have.length(MAX_LIVE);
    writeFileSync(file, '');
    for (const id of ids) expect((await two.terminal(id)).jobStatus).to.equal('COMPLETE');
  });
});
