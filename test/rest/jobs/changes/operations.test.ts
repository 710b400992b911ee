/** Operations: one action on many jobs (an extension). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { OperationInfo } from '../../../../actors/operations/views.ts';
import { EventClient } from '../../../support/events.ts';
import { sampleUri, Service, type JobRequest } from '../../../support/processes/service.ts';
import { until } from '../../../support/until.ts';

const LIGHT = { media: [sampleUri('digital-clock.jpg')], pipelineName: 'LIGHT PIPELINE' };
/** Has no component, so the jobs stay in progress. */
const STUCK = { ...LIGHT, pipelineName: 'ABSENT PIPELINE' };

describe('An operation', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({ OPERATION_BATCH: '2', MAX_LIVE_JOBS: '2', MAX_WAITING_JOBS: '1' });
  });
  after(() => service.close());

  const start = (body: object) => service.ask('POST', '/rest/operations', body);
  const messageOf = ({ body }: { readonly body: unknown }) => (body as { message: string }).message;
  const operation = async (id: string) =>
    (await service.ask('GET', `/rest/operations/${id}`)).body as OperationInfo;
  const end = async (id: string) =>
    until(
      `operation ${id} ends`,
      () => operation(id),
      ({ terminal }) => terminal,
    );
  const run = async (body: object): Promise<OperationInfo> => {
    const { status, body: started, text } = await start(body);
    expect(status, text).to.equal(202);
    return end((started as OperationInfo).operationId);
  };
  /**
   * Waits while the limit of waiting jobs is reached. Servers that share a store admit jobs only at
   * intervals.
   */
  const submit = async (request: JobRequest): Promise<string> => {
    const { body } = await until(
      'a job is accepted',
      () => service.create(request),
      ({ status }) => status === 201,
    );
    return (body as { jobId: string }).jobId;
  };
  /** Jobs that fail at once, because their only medium is empty. */
  const failed = async (count: number, label: string): Promise<readonly string[]> => {
    const path = join(service.mediaDir, `${label}.png`);
    writeFileSync(path, '');
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      ids.push(await submit({ ...LIGHT, media: [pathToFileURL(path).href], labels: [label] }));
      await service.terminal(ids.at(-1)!);
    }
    return ids;
  };
  const labelsOf = async (id: string) => (await service.detailedJob(id))?.labels;

  it('labels all jobs that fit a filter, counts them, and shows the filter', async () => {
    const ids = await failed(5, 'many');
    const { headers, body } = await start({ action: 'label', filter: { label: 'many' }, add: ['seen'] });
    const { operationId } = body as OperationInfo;
    expect(headers.get('location')).to.equal(`${service.url}/rest/operations/${operationId}`);
    const { status, matched, done, refused, filter, add, startedBy } = await end(operationId);
    expect([status, matched, done, refused]).to.deep.equal(['COMPLETE', 5, 5, 0]);
    expect([filter, add, startedBy]).to.deep.equal([{ label: ['many'] }, ['seen'], 'troupe-cli']);
    for (const id of ids) expect(await labelsOf(id)).to.deep.equal(['many', 'seen']);
    await run({ action: 'label', ids, remove: ['many'], add: ['other'] });
    expect(await labelsOf(ids[0]!)).to.deep.equal(['seen', 'other']);
  });

  it('resubmits each job once, and waits while the server takes no more', async () => {
    const ids = await failed(5, 'again');
    const stuck = [await submit(STUCK), await submit(STUCK)];
    const { body } = await start({
      action: 'resubmit',
      filter: { label: 'again', status: 'ERROR' },
      priority: 7,
    });
    const { operationId } = body as OperationInfo;
    const waiting = await until(
      'it waits',
      () => operation(operationId),
      ({ message }) => message !== null,
    );
    expect(waiting.message).to.include('Too many jobs wait');
    for (const id of stuck) await service.cancel(id);
    const { status, done, refused } = await end(operationId);
    expect([status, done, refused]).to.deep.equal(['COMPLETE', 5, 0]);
    for (const id of ids) {
      await service.terminal(id);
      expect((await service.detailedJob(id))?.jobPriority).to.equal(7);
    }
    const runs = service.log('a job has ended').filter(({ jobId }) => ids.includes(String(jobId)));
    expect(runs).to.have.lengthOf(10);
  });

  it('groups the jobs that it refuses by reason, with examples', async () => {
    const ids = await failed(1, 'mixed');
    const stuck = await submit(STUCK);
    const { matched, done, refused, refusals } = await run({
      action: 'resubmit',
      ids: [...ids, stuck, ids[0], 'test-host-90001', '90002', 90003, 90004],
    });
    expect([matched, done, refused]).to.deep.equal([6, 1, 5]);
    expect(refusals).to.have.deep.members([
      { reason: 'NOT_ENDED', message: 'The job has not ended.', count: 1, examples: [stuck] },
      {
        reason: 'NO_SUCH_JOB',
        message: 'There is no such job.',
        count: 4,
        examples: ['test-host-90001', 'test-host-90002', 'test-host-90003'],
      },
    ]);
    await service.cancel(stuck);
  });

  it('that deletes, and retries at the same time, leave each job whole or gone', async () => {
    const ids = await failed(6, 'contested');
    const { operationId } = (await start({ action: 'delete', filter: { label: 'contested' } }))
      .body as OperationInfo;
    const retries = ids.map((id) =>
      service.ask('POST', `/rest/jobs/${id}/retry`, { what: 'FAILED_SUB_JOBS' }),
    );
    for (const { status } of await Promise.all(retries)) expect(status).to.be.oneOf([200, 404, 409, 503]);
    const { status, done, refused, refusals } = await end(operationId);
    expect([status, done + refused]).to.deep.equal(['COMPLETE', ids.length]);
    expect(refusals.every(({ reason }) => reason === 'NOT_ENDED')).to.equal(true);
    const found = await Promise.all(ids.map((id) => service.job(id)));
    const left = ids.filter((_, n) => found[n] !== undefined);
    expect(left).to.have.lengthOf(refused);
    for (const id of left) expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
    const isLeft = (name: string) => left.some((id) => name.startsWith(`${id}.`));
    const mine = (await service.files('output-objects')).filter((name) =>
      ids.some((id) => name.startsWith(`${id}.`)),
    );
    expect(mine.every(isLeft), mine.join()).to.equal(true);
  });

  it('tells with dryRun what it would do, and changes nothing', async () => {
    const ids = await failed(3, 'dry');
    const { status, dryRun, done, refused } = await run({
      action: 'delete',
      filter: { label: 'dry' },
      dryRun: true,
    });
    expect([status, dryRun, done, refused]).to.deep.equal(['COMPLETE', true, 3, 0]);
    for (const id of ids) expect((await service.job(id))?.terminal).to.equal(true);
  });

  it('cancels, changes priorities, deletes, and reposts to archives', async () => {
    const ended = await failed(2, 'rest');
    const stuck = [await submit(STUCK), await submit(STUCK)];
    const raised = await run({ action: 'priority', ids: [...stuck, ...ended], priority: 9 });
    expect([raised.done, raised.refusals[0]?.reason]).to.deep.equal([2, 'HAS_ENDED']);
    expect((await service.detailedJob(stuck[0]!))?.jobPriority).to.equal(9);
    expect((await run({ action: 'archiverepost', ids: ended })).done, 'they have no archive').to.equal(2);
    const cancelled = await run({ action: 'cancel', filter: { terminal: false } });
    expect([cancelled.matched, cancelled.done]).to.deep.equal([2, 2]);
    for (const id of stuck) expect((await service.terminal(id)).jobStatus).to.equal('CANCELLED');
    const deleted = await run({ action: 'delete', ids: [...stuck, ...ended] });
    expect([deleted.done, deleted.refused]).to.deep.equal([4, 0]);
    for (const id of [...stuck, ...ended]) expect(await service.job(id)).to.equal(undefined);
  });

  it('completes with matched 0 when no job fits', async () => {
    const { status, matched, progress } = await run({ action: 'delete', filter: { label: 'nobody' } });
    expect([status, matched, progress]).to.deep.equal(['COMPLETE', 0, 100]);
    expect((await run({ action: 'cancel', ids: [] })).matched).to.equal(0);
  });

  it('can be cancelled: jobs that were not handled stay as they are', async () => {
    const ids = await failed(5, 'stop');
    const stuck = [await submit(STUCK), await submit(STUCK), await submit(STUCK)];
    const { operationId } = (await start({ action: 'resubmit', ids })).body as OperationInfo;
    await until(
      'it waits',
      () => operation(operationId),
      ({ message }) => message !== null,
    );
    expect((await service.ask('POST', `/rest/operations/${operationId}/cancel`)).status).to.equal(200);
    const { status, matched, done } = await end(operationId);
    expect([status, matched, done]).to.deep.equal(['CANCELLED', 5, 0]);
    const again = await service.ask('POST', `/rest/operations/${operationId}/cancel`);
    expect([again.status, messageOf(again)]).to.deep.equal([
      409,
      `Operation ${operationId} cannot be cancelled: its status is CANCELLED.`,
    ]);
    for (const id of stuck) {
      await service.cancel(id);
      await service.terminal(id);
    }
  });

  it('is listed, can be watched, and is in the audit log with who started it', async () => {
    const { operationId } = (await start({ action: 'cancel', ids: ['1'] })).body as OperationInfo;
    const client = await EventClient.open(service, `/rest/operations/${operationId}/events`);
    await client.end;
    const last = client.events.at(-1);
    expect([last?.name, (last?.data as unknown as OperationInfo | undefined)?.operationId]).to.deep.equal([
      'operation',
      operationId,
    ]);
    expect(last?.data.terminal).to.equal(true);
    const page = (await service.ask('GET', '/rest/operations?limit=1')).body as {
      operations: readonly OperationInfo[];
      next: string;
    };
    expect(page.operations[0]?.operationId).to.equal(operationId);
    const older = await service.ask('GET', `/rest/operations?limit=1&before=${page.next}`);
    expect((older.body as typeof page).operations[0]?.operationId).not.to.equal(operationId);
    const audited = await service.waitForLog('audit', (line) => line['operationId'] === operationId);
    expect(audited).to.include({ user: 'troupe-cli', method: 'POST', path: '/rest/operations', status: 202 });
    await service.waitForLog(
      'an operation has ended',
      (line) => `op-${String(line['operation'])}` === operationId,
    );
  });

  it('is refused with the reason when the request makes no sense', async () => {
    const refused = async (body: object) => {
      const answer = await start(body);
      expect(answer.status, answer.text).to.equal(400);
      return messageOf(answer);
    };
    expect(await refused({ action: 'explode', ids: [] })).to.include('action: must be');
    expect(await refused({ action: 'cancel' })).to.include('filter: must be given, or ids');
    expect(await refused({ action: 'cancel', ids: [], filter: {} })).to.include('one of both');
    expect(await refused({ action: 'cancel', filter: { statuses: 'ERROR' } })).to.include('"statuses"');
    expect(await refused({ action: 'cancel', filter: { status: 'BROKEN' } })).to.include('filter.status');
    expect(await refused({ action: 'cancel', ids: ['x'] })).to.equal(
      'ids[0] is "x"; it must be the id of a job, such as host-12.',
    );
    expect(await refused({ action: 'priority', ids: [] })).to.include('priority: must be a whole number');
    expect(await refused({ action: 'label', ids: [] })).to.include('add: must have a label');
    expect(await refused({ action: 'label', ids: [], add: ['x'.repeat(10_000)] })).to.include(
      'has 10000 characters',
    );
    expect(await refused({ action: 'cancel', ids: [], priority: 3 })).to.include('no meaning');
    expect(await refused({ action: 'resubmit', ids: [], what: 'FAILED_MEDIA' })).to.include('no meaning');
    expect(await refused({ action: 'retry', ids: [], what: 'ALL' })).to.include('what: must be');
    const many = await refused({ action: 'cancel', ids: Array.from({ length: 1_000_001 }, () => 1) });
    expect(many).to.include('has 1000001 ids. At most 1000000 are allowed');
    for (const path of ['op-999', 'op-999/events', 'x']) {
      const answer = await service.ask('GET', `/rest/operations/${path}`);
      expect([path, answer.status]).to.deep.equal([path, 404]);
    }
  });

  it('takes a million ids', async () => {
    const ids = Array.from({ length: 1_000_000 }, (_, n) => 5_000_000 + n);
    const { status, body } = await start({ action: 'cancel', ids });
    const { operationId, matched } = body as OperationInfo;
    expect([status, matched]).to.deep.equal([202, 1_000_000]);
    await service.ask('POST', `/rest/operations/${operationId}/cancel`);
    expect((await end(operationId)).status).to.equal('CANCELLED');
  });
});
