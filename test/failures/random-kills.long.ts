/**
 * 2,000 sub-jobs whose components are killed at random, and once the server: no result is lost or duplicated.
 */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { seed, seeded } from '../support/seed.ts';
import { isAlive } from '../support/processes/processes.ts';
import { sampleUri, Service, tracksOf, type DetectionDocument } from '../support/processes/service.ts';

const JOBS = 10;
/** Each needs an inspection and a detection: two sub-jobs. */
const IMAGES = 100;
const SAMPLES = ['astronaut.png', 'coffee.png', 'rocket.jpg', 'chelsea.png'].map(sampleUri);
const REQUEST = {
  media: Array.from({ length: IMAGES }, (_, n) => SAMPLES[n % SAMPLES.length]!),
  pipelineName: 'LIGHT PIPELINE',
};
const LONGEST_PAUSE_MS = 4_000;

describe('Components that are killed at random', function () {
  this.timeout(1_200_000);
  let service: Service;
  before(async () => {
    // Sub-jobs are always retried, however often a kill hits them.
    service = await Service.start({ COMPONENT_PROCESSES: '2', SUB_JOB_ATTEMPTS: '1000' });
  });
  after(() => service.close());

  const meansOf = ({ media }: DetectionDocument) =>
    media.map((medium) =>
      tracksOf(medium, 'LIGHT').map(({ detections }) => detections[0]?.detectionProperties),
    );

  it(`lose no finding of ${JOBS * IMAGES * 2} sub-jobs, and none comes twice ${seeded}`, async () => {
    const numbers = fc.sample(fc.double({ min: 0, max: 0.999, noNaN: true }), { seed, numRuns: 20_000 });
    let drawn = 0;
    const random = () => numbers[drawn++ % numbers.length]!;
    const expected = meansOf(await service.run(REQUEST));
    expect(expected.map((tracks) => tracks.length)).to.deep.equal(Array(IMAGES).fill(1));
    const jobs = await Promise.all(Array.from({ length: JOBS }, () => service.submit(REQUEST)));
    let killed = 0;
    const over = new AbortController();
    const kill = async () => {
      while (!over.signal.aborted) {
        // Kills only processes that have had work: five exits before that would mark the component as
        // impossible to start.
        const atWork = new Set(service.handedOut().map(({ worker }) => worker));
        const started = service
          .log('component process started')
          .filter(({ worker }) => atWork.has(worker as string));
        const alive = started.map(({ pid }) => pid).filter((pid) => isAlive({ pid }));
        const pid = alive[Math.floor(random() * alive.length)];
        if (pid !== undefined && isKilled(pid)) killed++;
        await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_PAUSE_MS));
      }
    };
    const killing = kill();
    await service.terminal(jobs[JOBS / 2]!, 600_000);
    await service.kill9();
    await service.start();
    for (const job of jobs) {
      const { jobStatus } = await service.terminal(job, 600_000);
      const { errors } = await service.document(job);
      expect(jobStatus, JSON.stringify(errors)).to.equal('COMPLETE');
    }
    over.abort();
    await killing;
    expect(killed).to.be.greaterThan(20);
    for (const job of jobs) expect(meansOf(await service.document(job)), job).to.deep.equal(expected);
    const done = service.log('committed').flatMap((line) => line['done'] as readonly string[]);
    expect(done.length).to.equal(new Set(done).size);
  });
});

/** False if the process has just ended by itself. */
function isKilled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
