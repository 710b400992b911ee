/** Damaged rows in the database of live jobs: only the affected job fails, and the server continues. */
import { expect } from 'chai';
import Database from 'better-sqlite3';
import path from 'node:path';
import { RawComponent, trackNamed } from '../support/processes/raw-component.ts';
import { sampleUri, Service, withoutRedis } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const JOB = { media: [sampleUri('rocket.jpg')], pipelineName: 'ABSENT PIPELINE' };

const numberOf = (id: string) => id.split('-').at(-1)!;

/** A sub-job that a component has claimed. */
interface Held {
  readonly job: string;
  readonly token: string;
  readonly id: string;
}

describe('Stored rows that cannot be read', () => {
  before(withoutRedis);
  let service: Service;
  let component: RawComponent;
  const waiting = { unknownKind: '', noJson: '', untold: '', sound: '' };
  const held: (Held & { readonly body: string })[] = [];
  let kept: Held;
  let nobodys: Held;

  const database = <T>(look: (open: Database.Database) => T): T => {
    const open = new Database(path.join(service.dataDir, 'troupe.db'));
    try {
      return look(open);
    } finally {
      open.close();
    }
  };
  /** Edits the stored row of a job's detection. */
  const change = (id: string, edit: (row: Record<string, unknown>) => unknown) =>
    database((open) => {
      const number = numberOf(id);
      const key = open
        .prepare<unknown[], { key: string; body: string }>(
          'select key, body from actor_rows where id = ? and body like \'%"DETECT"%\'',
        )
        .get(number)!;
      const body = edit(JSON.parse(key.body) as Record<string, unknown>);
      open
        .prepare('update actor_rows set body = ? where id = ? and key = ?')
        .run(typeof body === 'string' ? body : JSON.stringify(body), number, key.key);
    });
  const submitJob = async (): Promise<Held> => {
    const job = await service.submit(JOB);
    return { job, ...(await component.claimOf(job, 'ABSENT')) };
  };
  const completes = async (id: string) => {
    const { token, attempt } = await component.claimOf(id, 'ABSENT');
    expect(attempt).to.equal(1);
    expect((await component.result(token, [trackNamed('a')])).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
  };

  // Damages rows of waiting and of claimed sub-jobs while the server is stopped.
  before(async () => {
    // Long leases, so that none expires during the test.
    service = await Service.here({ LEASE_MS: '60000' });
    component = new RawComponent(service);
    for (const name of Object.keys(waiting) as (keyof typeof waiting)[]) {
      const { job, token } = await submitJob();
      waiting[name] = job;
      await component.release(token);
    }
    // Claimed by this component, so that the following claims do not get these sub-jobs.
    const parked = [];
    for (const _ of Object.keys(waiting)) parked.push(...(await component.claim('ABSENT')));
    for (const body of ['{', '{"id":7}', 'null']) held.push({ ...(await submitJob()), body });
    kept = await submitJob();
    nobodys = await submitJob();
    for (const { token } of parked) await component.release(token);
    await service.stop();
    change(waiting.unknownKind, (row) => ({ ...row, kind: 'FORETELL' }));
    change(waiting.noJson, () => '{"kind":');
    change(waiting.untold, (row) => ({ ...row, work: { medium: 7 } }));
    database((open) => {
      const damage = open.prepare('update leases set body = ? where token = ?');
      for (const { token, body } of held) damage.run(body, token);
      const { body } = open
        .prepare<[string], { body: string }>('select body from leases where token = ?')
        .get(nobodys.token)!;
      const item = { ...(JSON.parse(body) as object), actor: { kind: 'oracle', id: '1' } };
      damage.run(JSON.stringify(item), nobodys.token);
    });
    // The job actor gets no message when its sub-job is lost. The periodic check finds it.
    await service.startHere({ RECONCILE_MS: '100' });
  });
  after(() => (service as Service | undefined)?.close());

  it('as leases of a wrong form are put aside; their sub-jobs are queued again, uncounted', async () => {
    expect((await component.result(kept.token, [trackNamed('kept')])).status).to.equal(200);
    for (const { job, token } of held) {
      expect((await component.result(token, [trackNamed('stale')])).status).to.equal(409);
      await completes(job);
    }
    expect((await service.terminal(kept.job)).jobStatus).to.equal('COMPLETE');
  });

  it('as a lease of what nobody has stored any more harm nobody: its answer is refused', async () => {
    expect((await component.result(nobodys.token, [trackNamed('a')])).status).to.equal(409);
    expect((await component.heartbeat(nobodys.token)).status).to.equal(409);
    await completes(nobodys.job);
  });

  it('have their job quarantined when they are of an unknown kind or no JSON; others continue', async () => {
    await completes(waiting.sound);
    for (const id of [waiting.unknownKind, waiting.noJson]) expect(await service.job(id)).to.equal(undefined);
  });

  it('fail their sub-job when nobody can be told what to do', async () => {
    // The order of claims is not defined. The damaged sub-job fails when it is next in the queue.
    const claimed: { readonly token: string }[] = [];
    const failed = await until(
      'the damaged one was to be handed out',
      async () => {
        claimed.push(...(await component.claim('ABSENT', { waitMs: 100 })));
        return service.job(waiting.untold);
      },
      (job) => job?.terminal === true,
    );
    for (const { token } of claimed) await component.release(token);
    expect(failed?.jobStatus).to.equal('ERROR');
    const [medium] = (await service.document(waiting.untold)).media;
    expect(JSON.stringify(medium?.detectionProcessingErrors)).to.include('cannot be read. Resubmit the job.');
  });

  it('as those of a live job of a newer version stop the server with advice, and stay unchanged', async () => {
    const id = await service.submit(JOB);
    const { token } = await component.claimOf(id, 'ABSENT');
    await component.release(token);
    await service.stop();
    const file = path.join(service.dataDir, 'troupe.db');
    const storeRow = (schema: number) => {
      const open = new Database(file);
      const before = open.prepare("select schema, snapshot from actors where kind = 'batch-job'").get();
      open.prepare("update actors set schema = ? where kind = 'batch-job'").run(schema);
      open.close();
      return before as { readonly schema: number; readonly snapshot: string };
    };
    const written = storeRow(99);
    const refusal = await service.startHere().then(String, String);
    expect(refusal).to.include('was stored by a newer version of Troupe (schema 99, this version knows 2)');
    expect(refusal).to.include('Start that version, or another DATA_DIR.');
    expect(storeRow(written.schema)).to.deep.equal({ ...written, schema: 99 });
    await service.startHere();
    expect((await service.job(id))?.terminal).to.equal(false);
  });

  it('are kept aside, with none beside them', async () => {
    await service.stop();
    const kept = database((open) => open.prepare('select kind, id from quarantine').all());
    expect(kept).to.have.deep.members([
      ...[waiting.unknownKind, waiting.noJson].map((id) => ({ kind: 'batch-job', id: numberOf(id) })),
      ...held.map(({ id }) => ({ kind: 'lease', id })),
    ]);
    await service.startHere();
  });
});

describe('A live job', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => (service as Service | undefined)?.close());

  it('refuses an answer for an earlier run, and the run of today loses nothing', async () => {
    const component = new RawComponent(service);
    const id = await service.submit(JOB);
    const stale = await component.claimOf(id, 'ABSENT');
    await service.cancel(id);
    await component.release(stale.token);
    await service.terminal(id);
    expect((await service.resubmit(id)).status).to.equal(200);
    const now = await component.claimOf(id, 'ABSENT');
    expect(now.id).to.match(/\.2\./);
    expect((await component.result(stale.token, [trackNamed('stale')])).status).to.equal(409);
    expect((await component.failure(stale.token, 'OTHER', 'stale')).status).to.equal(409);
    expect((await component.result(now.token, [trackNamed('now')])).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(JSON.stringify(await service.document(id)))
      .to.include('"now"')
      .and.not.include('"stale"');
  });
});
