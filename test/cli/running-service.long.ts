/** Two commands at a time, each of which would start the service; that one uses the service of another is seen in `running-service.test.ts`. */
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { documentOf, Place, sample } from './support.ts';

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
