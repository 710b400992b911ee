/**
 * The main guarantee of the service: accepted jobs survive a crash at any moment. Two services with their own
 * folders run in parallel. One dies right before a commit and the other right after it, and both are
 * restarted.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { makeVideo } from '../media/support/make-video.ts';
import { isAlive } from '../support/processes/processes.ts';
import type { DeathWish } from '../support/processes/server-main.ts';
import {
  sampleUri,
  Service,
  type DetectionDocument,
  type JobRequest,
  type LogLine,
  withoutRedis,
} from '../support/processes/service.ts';
import { until } from '../support/until.ts';

type When = DeathWish['when'];

/** Without the commit that marks the document as indexed. `rest/search` tests crashes there. */
const QUIET = { SEARCH: 'false' };

/**
 * Commits of the job below: accepted, 2 media inspected, 1 + 3 segments, 2 media finished, artifacts of 2
 * media, end with the document.
 */
const COMMITS = 12;
const BOTH: readonly When[] = ['before', 'after'];
type Deaths = Readonly<Record<number, readonly When[]>>;
/**
 * After the first commit, and in the middle. `rest/after-kill` tests the end. `npm run test:long` (KILLS=all)
 * crashes before and after every commit, also in a second run. The state right before a commit equals that
 * after the previous one.
 */
const DEATHS: Deaths = { 1: ['after'], 8: ['before'] };
const DEATHS_OF_CANCEL: Deaths = { 1: ['after'] };
const DEATHS_OF_RESUBMIT: Deaths = {};
const SUB_JOBS = 11;
/**
 * Commits of a cancellation: cancelled, waiting work dropped, running work dropped, end with the document.
 */
const CANCEL_COMMITS = 4;

const numberOf = (jobId: string) => jobId.slice(jobId.lastIndexOf('-') + 1);

/** The commits at which a server dies, before or after each. */
function deathsOf(commits: number, some: Deaths): readonly (readonly [number, readonly When[]])[] {
  const all = Array.from({ length: commits }, (_, n): [number, readonly When[]] => [n + 1, BOTH]);
  return process.env['KILLS'] === 'all'
    ? all
    : all.map(([n]) => [n, some[n] ?? []] as const).filter(([, sides]) => sides.length > 0);
}

const describeSides = (sides: readonly When[]) => sides.join(' or right ');

/** The parts that are equal in two runs with the same media: without ids and dates. */
function content({
  jobId: _,
  objectId: __,
  timeStart: ___,
  timeStop: ____,
  timing: ______,
  media,
  ...rest
}: DetectionDocument): object {
  return { ...rest, media: media.map(({ mediaId: _____, ...medium }) => medium) };
}

const commitsOf = (service: Service, jobId: string) =>
  service.log('committed').filter((line) => line['job'] === numberOf(jobId));
/**
 * Ids of the sub-jobs whose results these commits accepted. The commit that ends a job accepts its document,
 * although it deletes all rows.
 */
const doneIn = (lines: readonly LogLine[]) =>
  lines.flatMap(({ job, run, stage, done }) => [
    ...(done as string[]).filter((id) => !id.endsWith('.document')),
    ...(stage === 'ENDED' ? [`test-host-${String(job)}.${String(run)}.document`] : []),
  ]);
const handedOut = (service: Service, run: string) =>
  service.handedOut().filter(({ subJob }) => subJob.startsWith(`${run}.`));

/** Sub-jobs that were assigned to a component although their result was already committed. */
function runAgain(service: Service): readonly string[] {
  const done = new Set<string>();
  const again: string[] = [];
  for (const line of service.log()) {
    if (line.message === 'committed') for (const id of doneIn([line])) done.add(id);
    if (line.message === 'handed out a sub-job' && done.has(line['subJob'] as string))
      again.push(line['subJob'] as string);
  }
  return again;
}

describe('A server that is killed', () => {
  const service = new Service(QUIET);
  let reference: object;

  const request = (): JobRequest => ({
    media: [sampleUri('hello-world.png'), pathToFileURL(join(service.mediaDir, 'video.avi')).href],
    pipelineName: 'LIGHT PIPELINE',
    jobProperties: {
      TARGET_SEGMENT_LENGTH: '25',
      MIN_SEGMENT_LENGTH: '5',
      ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES',
    },
  });
  const slow = (): JobRequest => ({
    ...request(),
    media: request().media.slice(1),
    pipelineName: 'TROUBLE PIPELINE',
    algorithmProperties: { TROUBLE: { TROUBLE: 'slow' } },
  });
  /** Removes the run from the paths of artifacts. */
  const same = (document: DetectionDocument): object =>
    JSON.parse(
      JSON.stringify(content(document)).replaceAll(/artifacts\/[\w.-]+\/\d+\//g, 'artifacts/'),
    ) as object;
  const dead = async () => {
    expect(await service.waitForExit()).to.equal('SIGKILL');
    expect(service.log().at(-1)?.message, 'the last line of the log').to.match(/^dies right/);
  };

  before(async () => {
    makeVideo(join(service.mediaDir, 'video.avi'), { frames: 60, encoder: 'mpeg4' });
    await service.start();
    reference = same(await service.run(request()));
  });
  after(() => service.close());

  it('takes twelve commits for a job of an image and a video when nobody kills it', async () => {
    // Components that are warmed up answer several sub-jobs in one commit.
    await service.kill9();
    await service.start();
    const id = await service.submit(request());
    const job = await service.terminal(id);
    expect(job.jobStatus).to.equal('COMPLETE');
    await until('all is committed', () => commitsOf(service, id).length >= COMMITS);
    expect(commitsOf(service, id)).to.have.length(COMMITS);
    expect(doneIn(commitsOf(service, id))).to.have.length(SUB_JOBS);
    expect(handedOut(service, `${id}.1`)).to.have.length(SUB_JOBS);
    expect(same(await service.document(id)), 'a second run').to.deep.equal(reference);
  });

  for (const [commit, sides] of deathsOf(COMMITS, DEATHS)) {
    const which = commit === 1 ? 'the commit that accepts a job' : `commit ${commit} of a job`;
    it(`goes on where it stopped when it dies right ${describeSides(sides)} ${which}`, async () => {
      for (const when of sides) {
        await service.dieAt({ at: commit, when });
        const accepted = await service.submit(request()).catch(() => undefined);
        await dead();
        expect(accepted === undefined, 'without an answer only the acceptance itself dies').to.equal(
          commit === 1,
        );
        const id = accepted ?? `test-host-${String(service.log().at(-1)?.['job'])}`;
        const before = doneIn(commitsOf(service, id));

        await service.start();
        if (commit === 1 && when === 'before') {
          expect(await service.job(id), 'a job that was never stored').to.equal(undefined);
          continue;
        }
        const job = await service.terminal(id);
        expect(job.jobStatus).to.equal('COMPLETE');
        expect(same(await service.document(id))).to.deep.equal(reference);

        expect(runAgain(service), 'sub-jobs run again after their commit').to.deep.equal([]);
        // Clients see the end when it is written. The job learns of it after the sync.
        await until('the end is committed', () => commitsOf(service, id).at(-1)?.['stage'] === 'ENDED');
        const done = doneIn(commitsOf(service, id));
        expect(new Set(done).size, 'sub-jobs committed').to.equal(SUB_JOBS);
        expect(done, 'nothing is counted twice').to.have.length(SUB_JOBS);
        expect(done.slice(0, before.length)).to.deep.equal(before);
        const given = handedOut(service, `${id}.1`);
        expect(
          new Set(given.map(({ attempt }) => attempt)),
          'a death of the server is no attempt',
        ).to.deep.equal(new Set([1]));
      }
    });
  }

  it('leaves no files of ended jobs but their documents', async () => {
    const listLeft = async () => [...(await service.files('spool')), ...(await service.files('media'))];
    await until('spool and media are empty', listLeft, (files) => files.length === 0);
    const jobs = new Set(service.log('committed').map((line) => `test-host-${String(line['job'])}`));
    const documents = (await service.files('output-objects')).map((name) => name.replace(/\.\d+$/, ''));
    expect(documents.toSorted(), 'one of each job').to.deep.equal([...jobs].toSorted());
  });

  it('cancels a job in four commits when nobody kills it', async () => {
    const { id, cancelled } = await cancelRunning();
    expect(cancelled).to.equal(200);
    const job = await service.terminal(id, 10_000);
    expect(job.jobStatus).to.equal('CANCELLED');
    // Clients see the end when it is written. The job learns of it after the sync.
    const lines = await until(
      'the end is committed',
      () => commitsOf(service, id),
      (found) => found.at(-1)?.['stage'] === 'ENDED',
    );
    const first = lines.findIndex((line) => line['status'] === 'CANCELLING');
    expect(lines.slice(first).map((line) => line['stage'])).to.deep.equal([
      'TASK',
      'TASK',
      'DOCUMENT',
      'ENDED',
    ]);
    expect(lines.length - first).to.equal(CANCEL_COMMITS);
  });

  for (const [commit, sides] of deathsOf(CANCEL_COMMITS, DEATHS_OF_CANCEL))
    it(`ends a job CANCELLED with a document when it dies right ${describeSides(sides)} commit ${commit} of a cancel`, async () => {
      for (const when of sides) {
        const { id, cancelled } = await cancelRunning({ at: commit, when });
        await dead();
        await service.start();
        if (cancelled === undefined && commit === 1 && when === 'before') {
          // The cancellation was neither stored nor acknowledged, so the job runs until the next one.
          expect((await service.job(id))?.jobStatus).to.equal('IN_PROGRESS');
          expect((await service.cancel(id)).status).to.equal(200);
        }
        const job = await service.terminal(id, 20_000);
        expect(job.jobStatus).to.equal('CANCELLED');
        const document = await service.document(id);
        expect(document.status).to.equal('CANCELLED');
        expect(document.media.map(({ mediaType }) => mediaType)).to.deep.equal(['VIDEO']);
        expect(runAgain(service)).to.deep.equal([]);
      }
    });

  for (const [commit, sides] of deathsOf(COMMITS, DEATHS_OF_RESUBMIT))
    it(`keeps the old document until a resubmitted run is stored, when it dies right ${describeSides(sides)} its commit ${commit}`, async () => {
      for (const when of sides) {
        const id = await service.submit(request());
        await service.terminal(id);
        const old = await service.document(id);
        await service.dieAt({ at: commit, when });
        const answer = await service.resubmit(id).catch(() => undefined);
        expect(answer?.status).to.equal(commit === 1 ? undefined : 200);
        await dead();

        await service.start();
        if (commit === 1 && when === 'before') {
          expect(await service.document(id), 'the old document').to.deep.equal(old);
          expect((await service.resubmit(id)).status).to.equal(200);
        }
        const job = await service.terminal(id);
        expect(job.jobStatus).to.equal('COMPLETE');
        const document = await service.document(id);
        expect(document['objectId']).to.not.equal(old['objectId']);
        expect(same(document)).to.deep.equal(reference);
        expect(runAgain(service)).to.deep.equal([]);
        expect(new Set(handedOut(service, `${id}.2`).map(({ subJob }) => subJob)).size).to.equal(SUB_JOBS);
      }
    });

  /** Cancels a job while the first segment of its video runs and two more wait. */
  async function cancelRunning(wish?: DeathWish): Promise<{ id: string; cancelled: number | undefined }> {
    const id = await service.submit(slow());
    await service.waitForLog('handed out a sub-job', ({ subJob }) => subJob === `${id}.1.0.0.0.0`);
    if (wish !== undefined) await service.dieAt(wish);
    const answer = await service.cancel(id).catch(() => undefined);
    return { id, cancelled: answer?.status };
  }
});

describe('The components of a server that is killed', () => {
  const service = new Service(QUIET);
  before(() => service.start());
  after(() => service.close());

  it('end with it, also one that blocks its event loop', async () => {
    const id = await service.submit({
      media: [sampleUri('hello-world.png')],
      pipelineName: 'TROUBLE PIPELINE',
      algorithmProperties: { TROUBLE: { TROUBLE: 'loop' } },
    });
    await service.waitForLog('handed out a sub-job', ({ subJob }) => subJob === `${id}.1.0.0.0.0`);
    const alive = () => service.componentPids().filter((pid) => isAlive({ pid }));
    expect(alive()).to.have.length.at.least(1);
    await service.kill9();
    await until('all component processes are gone', alive, (pids) => pids.length === 0, { withinMs: 15_000 });
  });
});

describe('A server that is told to stop', () => {
  let service: Service;
  const segmentedRequest = (): JobRequest => ({
    media: [pathToFileURL(join(service.mediaDir, 'video.avi')).href],
    pipelineName: 'TROUBLE PIPELINE',
    jobProperties: { TARGET_SEGMENT_LENGTH: '25', MIN_SEGMENT_LENGTH: '5' },
    algorithmProperties: { TROUBLE: { TROUBLE: 'slow' } },
  });

  beforeEach(() => {
    service = new Service(QUIET);
    makeVideo(join(service.mediaDir, 'video.avi'), { frames: 60, encoder: 'mpeg4' });
  });
  afterEach(() => service.close());

  it('gives running sub-jobs DRAIN_MS, keeps their results, and requeues the rest uncounted', async function () {
    withoutRedis.call(this);
    await service.startHere({ DRAIN_MS: '100' });
    const id = await service.submit(segmentedRequest());
    await service.waitForLog('handed out a sub-job', ({ subJob }) => subJob === `${id}.1.0.0.0.0`);
    const pids = service.componentPids();
    expect(await service.stop()).to.equal(0);
    expect(service.log().at(-1)?.message).to.equal('Troupe is down');
    expect(
      pids.filter((pid) => isAlive({ pid })),
      'component processes',
    ).to.deep.equal([]);

    await service.startHere({ DRAIN_MS: '5000' });
    expect((await service.job(id))?.jobStatus).to.equal('IN_PROGRESS');
    await until(
      'the segment runs again',
      () => handedOut(service, `${id}.1.0`).length,
      (times) => times === 2,
    );
    expect(await service.stop(), 'a second stop, with time for the running segment').to.equal(0);
    expect(doneIn(commitsOf(service, id)))
      .to.include(`${id}.1.0.0.0.0`)
      .and.not.include(`${id}.1.0.0.0.1`);

    await service.startHere();
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(runAgain(service)).to.deep.equal([]);
    expect(handedOut(service, `${id}.1.0`).map(({ attempt }) => attempt)).to.satisfy((attempts: number[]) =>
      attempts.every((attempt) => attempt === 1),
    );
    await service.stop();
  });

  it('ends live jobs CANCELLED_BY_SHUTDOWN with a document when SHUTDOWN_POLICY is cancel', async function () {
    withoutRedis.call(this);
    await service.startHere({ SHUTDOWN_POLICY: 'cancel', DRAIN_MS: '10000' });
    const id = await service.submit(segmentedRequest());
    await service.waitForLog('handed out a sub-job', ({ subJob }) => subJob === `${id}.1.0.0.0.0`);
    expect(await service.stop()).to.equal(0);
    await service.startHere();
    const job = await service.job(id);
    expect([job?.jobStatus, job?.terminal]).to.deep.equal(['CANCELLED_BY_SHUTDOWN', true]);
    expect((await service.document(id)).status).to.equal('CANCELLED_BY_SHUTDOWN');
    expect((await service.resubmit(id)).status, 'it can be run once more').to.equal(200);
  });
});
