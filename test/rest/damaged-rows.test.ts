/** Rows that this version cannot read, in a database of live jobs: what becomes of their job, and that nobody else feels it. */
import { expect } from 'chai';
import Database from 'better-sqlite3';
import path from 'node:path';
import { RawComponent, trackNamed } from '../support/raw-component.ts';
import { sampleUri, Service, withoutRedis } from '../support/service.ts';
import { until } from '../support/until.ts';

const JOB = { media: [sampleUri('rocket.jpg')], pipelineName: 'ABSENT PIPELINE' };

describe('A stored row that cannot be read', () => {
  before(withoutRedis);
  let service: Service;
  let component: RawComponent;
  beforeEach(() => {
    service = new Service({ LEASE_MS: '2000' });
    component = new RawComponent(service);
  });
  afterEach(() => service.close());

  const database = <T>(look: (open: Database.Database) => T): T => {
    const open = new Database(path.join(service.dataDir, 'troupe.db'));
    try {
      return look(open);
    } finally {
      open.close();
    }
  };
  const quarantined = () =>
    database((open) =>
      open.prepare<[], { kind: string; id: string }>('select kind, id from quarantine').all(),
    );
  /** Changes the row of the detection of a job, as it is stored. */
  const change = (id: string, edit: (row: Record<string, unknown>) => unknown) =>
    database((open) => {
      const number = id.split('-').at(-1);
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
  /** Jobs that wait for a component, all but the last with a row of another shape; then the server is started again. */
  const withDamage = async (...edits: readonly ((row: Record<string, unknown>) => unknown)[]) => {
    await service.startHere();
    const damaged: string[] = [];
    for (const _ of edits) damaged.push(await service.submit(JOB));
    const sound = await service.submit(JOB);
    for (const id of [...damaged, sound]) {
      const { token } = await component.claimOf(id, 'ABSENT');
      await component.release(token);
    }
    await service.stop();
    for (const [n, edit] of edits.entries()) change(damaged[n]!, edit);
    await service.startHere();
    return { damaged, sound };
  };
  const completes = async (id: string) => {
    const { token } = await component.claimOf(id, 'ABSENT');
    expect((await component.result(token, [trackNamed('a')])).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
  };

  it('has its job put into quarantine when it is of an unknown kind, or no JSON; other jobs go on', async () => {
    const { damaged, sound } = await withDamage(
      (row) => ({ ...row, kind: 'FORETELL' }),
      () => '{"kind":',
    );
    await completes(sound);
    for (const id of damaged) expect(await service.job(id)).to.equal(undefined);
    await service.stop();
    const numbers = damaged.map((id) => id.split('-').at(-1)!);
    expect(quarantined()).to.have.deep.members(numbers.map((id) => ({ kind: 'batch-job', id })));
  });

  it('fails its sub-job when nobody can be told what to do; other jobs go on', async () => {
    const { damaged, sound } = await withDamage((row) => ({ ...row, work: { medium: 7 } }));
    const [id = ''] = damaged;
    await completes(sound);
    // Which of the two is handed out first is not promised: it fails when it is its turn.
    const failed = await until(
      'the damaged one was to be handed out',
      async () => {
        await component.claim('ABSENT', { waitMs: 100 });
        return service.job(id);
      },
      (job) => job?.terminal === true,
    );
    expect(failed?.jobStatus).to.equal('ERROR');
    const [medium] = (await service.document(id)).media;
    expect(JSON.stringify(medium?.detectionProcessingErrors)).to.include('cannot be read. Resubmit the job.');
  });

  it('is put aside when it is a lease that is no JSON, of another shape or nothing: its sub-job is handed out again, uncounted', async () => {
    await service.start();
    const bodies = ['{', '{"id":7}', 'null'];
    const held: { readonly job: string; readonly token: string; readonly id: string }[] = [];
    for (const _ of bodies) {
      const job = await service.submit(JOB);
      held.push({ job, ...(await component.claimOf(job, 'ABSENT')) });
    }
    const other = await service.submit(JOB);
    const kept = await component.claimOf(other, 'ABSENT');
    await service.kill9();
    database((open) => {
      const damage = open.prepare('update leases set body = ? where token = ?');
      for (const [n, { token }] of held.entries()) damage.run(bodies[n], token);
    });
    // However long the start takes: the other lease lasts.
    await service.startHere({ LEASE_MS: '60000' });
    expect((await component.result(kept.token, [trackNamed('kept')])).status).to.equal(200);
    for (const { job, token } of held) {
      expect((await component.result(token, [trackNamed('stale')])).status).to.equal(409);
      const again = await component.claimOf(job, 'ABSENT');
      expect(again.attempt).to.equal(1);
      expect((await component.result(again.token, [trackNamed('a')])).status).to.equal(200);
    }
    for (const id of [...held.map(({ job }) => job), other])
      expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    await service.stop();
    expect(quarantined()).to.have.deep.members(held.map(({ id }) => ({ kind: 'lease', id })));
  });

  it('or nobody has stored any more, harms nobody as a lease: its answer is refused', async () => {
    await service.start();
    const id = await service.submit(JOB);
    const { token } = await component.claimOf(id, 'ABSENT');
    await service.kill9();
    database((open) => {
      const { body } = open.prepare<[], { body: string }>('select body from leases').get()!;
      const item = { ...(JSON.parse(body) as object), actor: { kind: 'oracle', id: '1' } };
      open.prepare('update leases set body = ?').run(JSON.stringify(item));
    });
    // Nobody tells the job that its sub-job is nobody's any more: it is found by a look for such jobs.
    await service.startHere({ RECONCILE_MS: '100' });
    expect((await component.result(token, [trackNamed('a')])).status).to.equal(409);
    expect((await component.heartbeat(token)).status).to.equal(409);
    await completes(id);
  });
});

describe('A live job that a newer version has stored', () => {
  before(withoutRedis);
  let service: Service;
  before(async () => {
    service = await Service.here();
  });
  after(() => (service as Service | undefined)?.close());

  it('keeps the server from its start with a sentence that says what to do, and is left as it is', async () => {
    const id = await service.submit(JOB);
    const { token } = await new RawComponent(service).claimOf(id, 'ABSENT');
    await new RawComponent(service).release(token);
    await service.stop();
    const file = path.join(service.dataDir, 'troupe.db');
    const stored = (schema: number) => {
      const open = new Database(file);
      const before = open.prepare("select schema, snapshot from actors where kind = 'batch-job'").get();
      open.prepare("update actors set schema = ? where kind = 'batch-job'").run(schema);
      open.close();
      return before as { readonly schema: number; readonly snapshot: string };
    };
    const written = stored(99);
    const refusal = await service.start().then(String, String);
    expect(refusal).to.include(
      `was stored by a newer version of Troupe (schema 99, this version knows ${written.schema})`,
    );
    expect(refusal).to.include('Start that version, or another DATA_DIR.');
    expect(stored(written.schema)).to.deep.equal({ ...written, schema: 99 });
    await service.startHere();
    expect((await service.job(id))?.terminal).to.equal(false);
  });
});

describe('An answer for an earlier run of a job', () => {
  let service: Service;
  before(async () => {
    service = await Service.here();
  });
  after(() => service.close());

  it('is refused, and the run of today loses nothing', async () => {
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
