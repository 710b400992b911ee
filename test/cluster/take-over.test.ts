/**
 * The other server notices the death of a server by its closed connection to Redis, before the heartbeat
 * timeout.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sampleUri } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { serverPair } from './two-servers/server-pair.ts';

/** Longer than the test may take. */
const SERVER_SILENCE_MS = '600000';

describe('The work of a server that was killed', function () {
  this.timeout(120_000);
  const pair = serverPair({ SERVER_SILENCE_MS });

  it('is continued by another one without waiting for its silence, and counts no attempt', async () => {
    const { one, two } = pair();
    const file = join(one.folder, 'go-on');
    const job = {
      media: [sampleUri('hello-world.png')],
      pipelineName: 'TROUBLE PIPELINE',
      jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
    };
    const ids = [await two.submit(job), await two.submit(job)];
    await until('a component of each server works on one', () =>
      ['one:', 'two:'].every((node) =>
        [one, two].some((service) =>
          service.handedOut().some(({ worker }) => worker.startsWith(`${node}TestTrouble`)),
        ),
      ),
    );
    await two.kill9();
    writeFileSync(file, '');
    for (const id of ids) expect((await one.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(one.handedOut().every(({ attempt }) => attempt === 1)).to.equal(true);
    // The same server may restart at once under its name.
    await two.start();
    expect((await two.detailedJob(ids[0]!))?.jobStatus).to.equal('COMPLETE');
  });

  it('is continued by the first one that starts after all were killed, as soon', async () => {
    const { one, two } = pair();
    const file = join(one.folder, 'go-on-after-all');
    const id = await two.submit({
      media: [sampleUri('hello-world.png')],
      pipelineName: 'TROUBLE PIPELINE',
      jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
    });
    await until('a component works on it', () =>
      [one, two].some((service) => service.handedOut().some(({ subJob }) => subJob.startsWith(`${id}.`))),
    );
    await Promise.all([one.kill9(), two.kill9()]);
    writeFileSync(file, '');
    // Its node has the name of a server that has not been declared dead yet.
    await one.start();
    expect((await one.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(one.handedOut().every(({ attempt }) => attempt === 1)).to.equal(true);
    await two.start();
  });
});
