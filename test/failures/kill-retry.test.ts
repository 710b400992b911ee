/**
 * A server that dies at each commit of a retry: the final document equals that of a retry without a crash.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { makeVideo } from '../media/support/make-video.ts';
import type { DeathWish } from '../support/processes/server-main.ts';
import { sampleUri, Service, type DetectionDocument, type JobRequest } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

/**
 * Accepted with the failed segment, segment answered, medium finished, artifacts extracted, end with the
 * document.
 */
const COMMITS = 5;
/**
 * The state before a commit equals the state after the previous one, so most commits need only one of the
 * two.
 */
const DEATHS: readonly DeathWish[] = [
  { at: 1, when: 'before' },
  ...Array.from({ length: COMMITS }, (_, n): DeathWish => ({ at: n + 1, when: 'after' })),
];
const SUB_JOBS = ['0.0.1.2', '0.0.1.artifacts', '0.0.1.finish', 'document'];

describe('A server that is killed during a retry', () => {
  const service = new Service({ SEARCH: 'false' });
  let jobs = 0;
  /** A retry without a crash. */
  let calm: { readonly id: string; readonly before: number; readonly status: number };
  let reference: unknown;

  /** The last segment of a video fails once. */
  const request = (): JobRequest => ({
    media: [
      sampleUri('hello-world.png'),
      {
        mediaUri: pathToFileURL(join(service.mediaDir, 'video.avi')).href,
        properties: {
          TROUBLE: 'code',
          TROUBLE_RUNS: '1',
          TROUBLE_FILE: join(service.folder, `runs-${++jobs}`),
        },
      },
    ],
    pipelineName: 'TROUBLE PIPELINE',
    jobProperties: {
      TARGET_SEGMENT_LENGTH: '25',
      MIN_SEGMENT_LENGTH: '5',
      ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES',
    },
  });
  const retry = (id: string) => service.ask('POST', `/rest/jobs/${id}/retry`, { what: 'FAILED_SUB_JOBS' });
  const failed = async () => {
    const id = await service.submit(request());
    expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
    await until('the end is committed', () => commitsOf(id).at(-1)?.['stage'] === 'ENDED');
    return id;
  };
  const commitsOf = (id: string) =>
    service.log('committed').filter((line) => line['job'] === id.slice(id.lastIndexOf('-') + 1));
  const handedOut = (id: string) =>
    service.handedOut().flatMap(({ subJob }) => {
      const [, name] = subJob.split(`${id}.2.`);
      return name === undefined ? [] : [name.replace(/^0\.0\.1\.\d$/, '0.0.1.2')];
    });
  /** Removes the parts that differ between jobs, runs and files. */
  const same = (document: DetectionDocument): unknown =>
    JSON.parse(
      JSON.stringify(document, (key, value: unknown) =>
        ['jobId', 'objectId', 'timeStart', 'timeStop', 'timing', 'mediaId', 'mediaProperties'].includes(key)
          ? undefined
          : value,
      ).replaceAll(/artifacts\/[\w.-]+\/\d+\//g, 'artifacts/'),
    );

  before(async () => {
    makeVideo(join(service.mediaDir, 'video.avi'), { frames: 60, encoder: 'mpeg4' });
    await service.start();
    const id = await failed();
    const before = commitsOf(id).length;
    calm = { id, before, status: (await retry(id)).status };
    await service.terminal(id);
    reference = same(await service.document(id));
  });
  after(() => service.close());

  it('does the work of the failure in five commits when nobody kills it', async () => {
    const { id, before, status } = calm;
    expect(status).to.equal(200);
    expect((await service.job(id))?.jobStatus).to.equal('COMPLETE');
    await until('all is committed', () => commitsOf(id).length >= before + COMMITS);
    expect(commitsOf(id)).to.have.length(before + COMMITS);
    expect(handedOut(id).toSorted()).to.deep.equal(SUB_JOBS);
  });

  for (const wish of DEATHS)
    it(`has the same document when it dies right ${wish.when} commit ${wish.at}`, async () => {
      const id = await failed();
      await service.dieAt(wish);
      const answer = await retry(id).catch(() => undefined);
      expect(await service.waitForExit()).to.equal('SIGKILL');
      expect(answer?.status).to.equal(wish.at === 1 ? undefined : 200);
      await service.start();
      if (wish.when === 'before') {
        expect((await service.job(id))?.jobStatus, 'a retry that was never stored').to.equal('ERROR');
        expect((await retry(id)).status).to.equal(200);
      }
      expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
      expect(same(await service.document(id))).to.deep.equal(reference);
      const again = handedOut(id).toSorted();
      expect([...new Set(again)], 'sub-jobs of the retry').to.deep.equal(SUB_JOBS);
      const left = async () => (await service.files('spool')).filter((name) => name.startsWith(`${id}.`));
      await until('its spool is gone', left, (names) => names.length === 0);
    });
});
