import { expect } from 'chai';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import { ALL_JOBS, ENDED_JOBS, LIVE_JOBS, REMOVED_JOBS } from '../../../actors/batch-job/state/indexes.ts';
import type { JobCommand } from '../../../actors/batch-job/state/commands.ts';
import { recover } from '../../../actors/batch-job/life-cycle/recovery.ts';
import { storedJob } from '../../../actors/batch-job/state/stored-job.ts';
import { looseFiles, mediaFolder, outputFolder, spoolFolder } from '../../../results/layout.ts';
import { doneWith, LedJob, lose, failedWith, noticeFailed, type GivenJob } from './jobs.ts';
import { jobServer } from './simulation/served-jobs.ts';

const GIVEN: GivenJob = {
  media: [{ type: 'IMAGE', archiveUrl: 'http://archive.example' }],
  callback: { url: 'http://caller.example', method: 'POST' },
};
const REMOVAL = [{ type: 'removeFiles', run: 1, files: 'ALL' }, { type: 'forget' }];

describe('The removal of a batch job', () => {
  const removeJob = () => {
    const job = LedJob.accept(GIVEN).doAll();
    job.tell({ type: 'remove' });
    return job;
  };

  it('is first a mark that survives power loss; its notices and rows go with the same commit', () => {
    const job = removeJob();
    expect(job.last?.reply).to.deep.equal({ kind: 'done' });
    expect(job.state?.removed).to.equal(true);
    expect(job.last?.change).to.deep.include({
      synced: true,
      removed: [''],
      settled: ['here-7.1.callback', 'here-7.1.archive.0'],
    });
  });

  it('then takes the files, and then the job', () => {
    const job = removeJob();
    expect(job.effects).to.deep.equal(REMOVAL);
    expect(job.tell({ type: 'forget' })).to.deep.equal({ kind: 'done' });
    expect([job.last?.change?.gone, job.state]).to.deep.equal([true, undefined]);
  });

  it('is found again by whoever loads the job', () => {
    const job = removeJob();
    expect(recover(job.state!)).to.deep.equal(REMOVAL);
    job.tell({ type: 'resume' });
    expect(job.effects).to.deep.equal(REMOVAL);
  });

  it('does not happen to a job that was not removed', () => {
    const job = LedJob.accept(GIVEN).doAll();
    expect(job.tell({ type: 'forget' })).to.include({ kind: 'refused', reason: 'WRONG_STATE' });
    expect(recover(job.state!)).to.deep.equal([{ type: 'deliverPending' }, { type: 'index' }]);
  });

  const row = LedJob.accept(GIVEN).row('PREPARE');
  const OTHERS: readonly JobCommand[] = [
    { type: 'admit' },
    { type: 'cancel' },
    { type: 'shutdown' },
    { type: 'resubmit', priority: 4, admitted: true, objectId: 'second' },
    doneWith(GIVEN, row),
    failedWith(row),
    lose(row),
    { type: 'workDropped', keys: [row.key] },
    { type: 'archiveChecked', run: 1, answer: { kind: 'none' } },
    { type: 'noticeSent', id: 'here-7.1.callback' },
    noticeFailed('here-7.1.archive.0', 'it hung up'),
    { type: 'archiveReposted', arrived: [], failed: [] },
    { type: 'remove' },
  ];
  for (const command of OTHERS)
    it(`leaves a job that answers as if it had never been: ${command.type}`, () => {
      const job = removeJob();
      const reply = { kind: 'refused', reason: 'NO_SUCH_JOB', status: 'UNKNOWN' };
      expect(job.tell(command)).to.deep.equal(reply);
      expect(job.last?.change).to.equal(undefined);
    });
});

describe('The actor of a batch job that is removed', () => {
  const server = jobServer(GIVEN);
  const endJob = async () => {
    await server.accept();
    await server.jobs.work(GIVEN, 7);
    expect(await server.snapshot()).to.include({ status: 'COMPLETE' });
    for (const folder of folders()) mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(server.dataDir, outputFolder('here-7.1'), 'detection.json'), '{}');
    for (const file of files()) writeFileSync(file, 'a medium');
  };
  const files = () =>
    looseFiles('here-7.1', GIVEN.media!.length).map((file) => path.join(server.dataDir, file));
  const folders = () => [
    path.join(server.dataDir, outputFolder('here-7.1')),
    path.join(server.dataDir, mediaFolder('here-7.1')),
    path.join(server.dataDir, spoolFolder('here-7', 1)),
  ];
  const waitUntilGone = async () => {
    while ((await server.store.load({ kind: BATCH_JOB, id: '7' })) !== undefined)
      await server.jobs.clock.advance(100);
  };
  const leftOver = async () => ({
    indexes: await Promise.all(
      [ALL_JOBS, ENDED_JOBS, LIVE_JOBS, REMOVED_JOBS].map((name) => server.listIndex(name)),
    ),
    // The usage report keeps the usage of deleted jobs.
    counters: [...(await server.store.counters(''))].filter(([name]) => !name.startsWith('@usage:')),
    outbox: await server.outbox(),
    rows: await server.rows(),
    files: [...folders(), ...files()].filter((place) => existsSync(place)),
  });
  const NOTHING = { indexes: [[], [], [], []], counters: [], outbox: [], rows: [], files: [] };

  it('leaves nothing behind but its usage: no file, no row, no notice, no entry, no count', async () => {
    await endJob();
    expect((await server.outbox()).map(({ id }) => id)).to.have.members([
      'here-7.1.callback',
      'here-7.1.archive.0',
    ]);
    expect(await server.jobs.tell(7, { type: 'remove' })).to.equal('done');
    expect(await storedJob(server.store, 7), 'seen by those who read').to.equal(undefined);
    await waitUntilGone();
    expect(await leftOver()).to.deep.equal(NOTHING);
    const used = await server.store.counters('@usage:');
    expect([...used].filter(([name]) => name.endsWith('user/somebody/jobs')).map(([, n]) => n)).to.deep.equal(
      [1],
    );
    for (const type of ['remove', 'resume', 'forget', 'cancel'] as const)
      expect(await server.jobs.tell(7, { type })).to.equal('NO_SUCH_JOB');
  });

  it('is refused while the job is live, which goes on', async () => {
    await server.accept();
    expect(await server.jobs.tell(7, { type: 'remove' })).to.equal('WRONG_STATE');
    await server.jobs.work(GIVEN, 7);
    expect(await server.snapshot()).to.include({ status: 'COMPLETE' });
  });

  it('is finished by the next start when the server died in the middle of it', async () => {
    await endJob();
    // Like a server that is killed right after the mark: the request to forget the job gets lost.
    server.jobs.deaf = true;
    await server.jobs.tell(7, { type: 'remove' });
    expect(await server.snapshot()).to.include({ removed: true });
    for (const folder of folders()) mkdirSync(folder, { recursive: true });
    await server.restart();
    expect(await server.listIndex(REMOVED_JOBS)).to.deep.equal(['7']);
    expect(
      await server.jobs.tell(7, { type: 'resubmit', priority: 4, admitted: true, objectId: 'x' }),
    ).to.equal('NO_SUCH_JOB');
    await waitUntilGone();
    expect(await leftOver()).to.deep.equal(NOTHING);
  });

  it('keeps its mark while its files cannot be removed, and the next start tries again', async () => {
    await endJob();
    const outputs = path.join(server.dataDir, 'output-objects');
    rmSync(outputs, { recursive: true });
    writeFileSync(outputs, 'a file where a folder should be');
    expect(await server.jobs.tell(7, { type: 'remove' })).to.equal('done');
    for (let time = 0; time < 3; time++) await server.jobs.tell(7, { type: 'resume' });
    expect(await server.listIndex(REMOVED_JOBS)).to.deep.equal(['7']);
    rmSync(outputs);
    await server.restart();
    await server.jobs.tell(7, { type: 'resume' });
    await waitUntilGone();
    expect(await leftOver()).to.deep.equal(NOTHING);
  });
});
