import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findHolder } from '../../cli/service/holder.ts';
import { sampleUri, type Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { serverPair } from './two-servers/server-pair.ts';

const LIGHT = { media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' };
/** Two seconds, plus half of that for a busy machine. The component alone may take two seconds to end. */
const MOST_REFUSED_MS = 3_000;
/** Longer than any test waits. */
const DRAIN_MS = 600_000;

describe('A server that stops while another works on the same store', () => {
  const pair = serverPair({ DRAIN_MS: String(DRAIN_MS) }, { oneHere: true });

  const waitForFile = (file: string) => ({
    ...LIGHT,
    pipelineName: 'TROUBLE PIPELINE',
    jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
  });
  const holds = (service: Service, id: string) =>
    service
      .handedOut()
      .some(({ subJob, worker }) => subJob.startsWith(`${id}.`) && worker.includes('Trouble'));

  const findUrl = async () => (await findHolder(pair().one.dataDir))?.url;
  const locks = async () => (await pair().one.files('.')).filter((name) => name.startsWith('lock'));

  it('is found again when it had only stood still, and the other had removed its file', async () => {
    const { two } = pair();
    process.kill(two.pid, 'SIGSTOP');
    try {
      await until('the other takes it for dead', async () => (await locks()).length === 1);
    } finally {
      process.kill(two.pid, 'SIGCONT');
    }
    await until('its file is there again', async () => (await locks()).length === 2);
    expect((await two.ask('GET', '/rest/jobs')).status).to.equal(200);
  });

  it('does not wait for work of the other, costs no attempt and no job, and answers only 503', async () => {
    const { one, two } = pair();
    const file = join(one.folder, 'goes-on');
    const held = await one.submit(waitForFile(file));
    await until('a component has it in hand', () => [one, two].some((service) => holds(service, held)));
    const [holder, other] = holds(one, held) ? [one, two] : [two, one];
    expect([one.url, two.url]).to.include(await findUrl());

    const ids = [held];
    const refused = new Set<number>();
    let isOver = false;
    const submit = async (service: Service) => {
      // A stopped server accepts no connection; a load balancer would use the other server.
      const answer = await service.create(LIGHT).catch(() => undefined);
      if (answer?.status === 201) ids.push((answer.body as { jobId: string }).jobId);
      else if (answer !== undefined) refused.add(answer.status);
      return isOver;
    };
    /** Pauses between requests, so that they are always pending but do not overload the machine. */
    const submitTo = (service: Service) =>
      until('it is over', () => submit(service), Boolean, { withinMs: 60_000, everyMs: 300 });
    const clients = [submitTo(one), submitTo(two)];
    await until('some have been accepted', () => ids.length > 3);
    await other.stop();
    expect((await holder.job(held))?.terminal).to.equal(false);
    expect(await findUrl()).to.equal(holder.url);
    const before = ids.length;
    await until('the other goes on', () => ids.length > before + 3);
    writeFileSync(file, '');
    await (other === one ? one.startHere() : two.start());
    await until('both go on', () => ids.length > before + 9);
    isOver = true;
    await Promise.all(clients);

    for (const id of ids) expect((await one.terminal(id)).jobStatus, id).to.equal('COMPLETE');
    expect([...refused].filter((status) => status !== 503)).to.deep.equal([]);
    const handedOut = [...one.handedOut(), ...two.handedOut()];
    expect(handedOut.filter(({ attempt }) => attempt !== 1)).to.deep.equal([]);
  });

  it('does not wait for the work that it holds when Redis refuses all writes', async () => {
    const { one, two, redis } = pair();
    const held = await one.submit(waitForFile(join(one.folder, 'refused')));
    await until('a component has it in hand', () => [one, two].some((service) => holds(service, held)));
    const holder = holds(one, held) ? one : two;
    await redis.set('min-replicas-to-write', '1');
    const begun = performance.now();
    await holder.stop();
    expect(performance.now() - begun).to.be.below(MOST_REFUSED_MS);
    await redis.set('min-replicas-to-write', '0');
    writeFileSync(join(one.folder, 'refused'), '');
    await (holder === one ? one.startHere() : two.start());
    const { jobStatus } = await one.terminal(held);
    expect(jobStatus).to.equal('COMPLETE');
  });

  it('leaves the other to be found by the tools of the machine also when it is killed', async () => {
    const { one, two } = pair();
    await two.kill9();
    expect(await findUrl()).to.equal(one.url);
    await until('the other has removed what it left', async () => (await locks()).length === 1);
  });
});
