/** Kills the server around the commits of an operation: each job is processed once and counted once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { OperationInfo } from '../../../actors/operations/views.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

type Kill = { readonly at: number; readonly when: 'before' | 'after' };
const JOBS = 5;
/** Two commits at the start of the operation, two for each of three batches, and one for each job. */
const COMMITS = 2 + 2 * 3 + JOBS;
const commits = Array.from({ length: COMMITS }, (_, n) => n + 1);
/**
 * Each action has its own file, so that they run in parallel. The state before a commit equals that after the
 * previous one, except for deletions of jobs, which remove files in between.
 */
export const EVERY_COMMIT: readonly Kill[] = [
  { at: 1, when: 'before' },
  ...commits.map((at) => ({ at, when: 'after' }) as const),
];
export const BETWEEN_COMMITS: readonly Kill[] = commits
  .slice(1)
  .map((at) => ({ at, when: 'before' }) as const);

type Action = 'resubmit' | 'retry' | 'delete' | 'cancel' | 'label';

export function operationKills(action: Action, kills: readonly Kill[]): void {
  describe(`kill -9 during an operation that does ${action}`, () => {
    let service: Service;
    before(async () => {
      service = await Service.start({ OPERATION_BATCH: '2' });
    });
    after(() => service.close());

    const makeJobs = async (label: string): Promise<readonly string[]> => {
      const path = join(service.mediaDir, `${label}.png`);
      // Not a picture, so each job fails and can be retried.
      writeFileSync(path, '');
      const ids: string[] = [];
      const pipelineName = action === 'cancel' ? 'ABSENT PIPELINE' : 'LIGHT PIPELINE';
      const media = [action === 'cancel' ? 'file:///work/none' : pathToFileURL(path).href];
      for (let n = 0; n < JOBS; n++)
        ids.push(
          await service.submit({
            media: action === 'cancel' ? [sample()] : media,
            pipelineName,
            labels: [label],
          }),
        );
      if (action !== 'cancel') for (const id of ids) await service.terminal(id);
      return ids;
    };
    const sample = () => 'data:text/plain,waits';
    const operationOf = async (id: string) => {
      const { status, body } = await service.ask('GET', `/rest/operations/${id}`);
      return status === 200 ? (body as OperationInfo) : undefined;
    };

    for (const kill of kills)
      it(`handles each job once when it dies ${kill.when} commit ${kill.at}`, async () => {
        const label = `k${kill.at}-${kill.when}`;
        const ids = await makeJobs(label);
        const request = { action, filter: { label }, ...(action === 'label' ? { add: ['done'] } : {}) };
        await service.dieAt({ ...kill, operations: true });
        const started = await service.ask('POST', '/rest/operations', request).catch(() => undefined);
        await Promise.race([service.waitForExit(), endOf(started?.body)]);
        await service.kill9().catch(() => undefined);
        await service.start();
        const { operations } = (await service.ask('GET', '/rest/operations?limit=1')).body as {
          operations: readonly OperationInfo[];
        };
        const newest = operations[0];
        // The start was neither acknowledged nor stored, so it may be repeated.
        const isStored = JSON.stringify(newest?.filter) === JSON.stringify({ label: [label] });
        const id = isStored
          ? newest!.operationId
          : ((await service.ask('POST', '/rest/operations', request)).body as OperationInfo).operationId;
        const over = await until(
          `${id} ends`,
          () => operationOf(id),
          (now) => now?.terminal === true,
        );
        expect([over?.status, over?.matched, over?.done, over?.refused, over?.refusals]).to.deep.equal([
          'COMPLETE',
          JOBS,
          JOBS,
          0,
          [],
        ]);
        await wereHandledOnce(ids);
      });

    /** For an operation that survives because it has fewer commits. */
    async function endOf(body: unknown): Promise<void> {
      const id = (body as OperationInfo | undefined)?.operationId;
      if (id === undefined) return new Promise(() => undefined);
      await until(
        `${id} ends or dies`,
        () => operationOf(id).catch(() => undefined),
        (now) => now?.terminal === true,
        { withinMs: 30_000 },
      ).catch(() => undefined);
    }

    async function wereHandledOnce(ids: readonly string[]): Promise<void> {
      for (const id of ids) {
        if (action === 'delete') expect(await service.job(id), id).to.equal(undefined);
        if (action === 'label') expect((await service.detailedJob(id))?.labels).to.include('done');
        if (action === 'cancel') expect((await service.terminal(id)).jobStatus).to.equal('CANCELLED');
        if (action !== 'resubmit' && action !== 'retry') continue;
        await service.terminal(id);
        const runs = new Set(
          service
            .log('committed')
            .flatMap((line) => (`test-host-${String(line['job'])}` === id ? [line['run']] : [])),
        );
        expect(Math.max(...([...runs] as number[])), id).to.equal(2);
      }
    }
  });
}
