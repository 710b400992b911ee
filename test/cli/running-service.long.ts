/**
 * Two simultaneous commands that would both start the service, and a job that waits for an unconfigured
 * service. `running-service.test.ts` tests commands that use an existing service, and
 * `rest/system/nodes.test.ts` the reason why a job waits.
 */
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { documentOf, Place, sample } from './support/support.ts';

/** The detector that starts fastest. */
const PICTURES = ['--pipeline', 'IMAGE PROPERTIES DETECTION PIPELINE'];
const FACES = ['--pipeline', 'FACE DETECTION PIPELINE'];

describe('troupe', () => {
  const place = new Place();
  after(() => place.leave());

  it('shares the service of another command that began at the same time', async () => {
    const jobs = [
      ['analyze', sample('astronaut.png'), ...FACES, '--json'],
      ['analyze', sample('chelsea.png'), ...FACES, '--json'],
    ].map((job) => place.start(job));
    const outcomes = await Promise.all(jobs.map(({ ended }) => ended));
    for (const { code, stdout, stderr } of outcomes) {
      expect(code, stderr).to.equal(0);
      expect(documentOf(stdout).status).to.equal('COMPLETE');
    }
    expect(outcomes.filter(({ stderr }) => stderr.includes('Using the service at '))).to.have.length(1);
    expect(existsSync(place.lock)).to.equal(false);
  });
});

describe('troupe, where a service runs', () => {
  const place = new Place({ warm: true });
  before(() => place.serveHere({ MEDIA_ROOTS: path.dirname(sample('astronaut.png')) }));
  after(() => place.leave());

  it('says without a terminal, too, that a job waits for a service that nobody has configured', async () => {
    const before = await place.troupe(['nodes', 'config', '--json']);
    const nodes = (services: string) => writeFileSync(path.join(place.folder, 'nodes.json'), services);
    const hosts = JSON.parse(before.stdout) as readonly { readonly host: string }[];
    nodes(JSON.stringify(hosts.map(({ host }) => ({ host, services: [] }))));
    const applied = await place.troupe(['nodes', 'apply', 'nodes.json']);
    expect(applied.code, applied.stderr).to.equal(0);
    expect(applied.stdout + applied.stderr).to.include('Jobs that need them wait until it has');
    const job = place.start(['analyze', sample('astronaut.png'), ...PICTURES]);
    await job.says(
      'stderr',
      'waiting: No component processes its sub-jobs now: no service of IMAGE PROPERTIES is configured on this node.',
    );
    nodes(before.stdout);
    await place.troupe(['nodes', 'apply', 'nodes.json']);
    const { code, stderr } = await job.ended;
    expect(code, stderr).to.equal(0);
  });
});
