/** A server with only job actors, on a real store. */
import { expect } from 'chai';
import path from 'node:path';
import { FailureGroups } from '../../../../actors/batch-job/failures/failure-groups.ts';
import { batchJobKind } from '../../../../actors/batch-job/actor.ts';
import { TransferTimers } from '../../../../actors/batch-job/transfer-timers.ts';
import type { JobDeps } from '../../../../actors/batch-job/job-deps.ts';
import { BATCH_JOB } from '../../../../actors/batch-job/state/keys.ts';
import type { JobCommand, JobReply } from '../../../../actors/batch-job/state/commands.ts';
import { jobSnapshotSchema, type JobSnapshot } from '../../../../actors/batch-job/state/snapshot.ts';
import type { SubJobRow } from '../../../../actors/batch-job/state/state.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { PlainTree } from '../../runtime/plain-tree.ts';
import { DEFAULT_INTENSITY } from '../../../../actors/runtime/supervision.ts';
import { ActorSystem, type Family } from '../../../../actors/runtime/system.ts';
import type { WorkLedger } from '../../../../store/ledger.ts';
import { SqliteStore } from '../../../../store/sqlite/sqlite-store.ts';
import { allRows, type OutboxEntry, type Store } from '../../../../store/store.ts';
import { around, temporaryFolder } from '../../../store/folder.ts';
import { doneWith, OBJECT_ID, recordOf, settingsOf, type GivenJob } from '../jobs.ts';

export const OWNER = { server: 'here', epoch: 1 };
const silent = { debug() {}, info() {}, warn() {}, error() {} };
/** Records what the jobs request from other parts. */
export class ServedJobs {
  readonly clock = new VirtualClock(1_000);
  readonly family: Family<JobCommand, JobReply>;
  readonly system: ActorSystem;
  readonly #store: Store;
  readonly ended: number[] = [];
  /** Runs with an archive check. */
  readonly asked: number[] = [];
  readonly woken: string[] = [];
  /** Requests to the search index. */
  readonly indexed: string[] = [];
  broken: Error | undefined;
  /** Requests to forget a job are ignored. */
  deaf = false;

  constructor(store: Store, dataDir: string, server = OWNER.server) {
    this.system = new ActorSystem(new PlainTree(), this.clock);
    this.#store = store;
    const work = around<WorkLedger>(store.work, {
      offer: (items) => (this.broken === undefined ? store.work.offer(items) : Promise.reject(this.broken)),
    });
    const deps: JobDeps = {
      store: around<Store>(store, { work }),
      owner: { ...OWNER, server },
      settings: settingsOf({ dataDir, server }),
      logger: silent,
      mailbox: 100,
      intensity: DEFAULT_INTENSITY,
      idleMs: 60_000,
      clock: this.clock,
      failures: new FailureGroups(store, this.clock),
      findDocument: () => Promise.resolve(),
      checkArchive: (_, { run }) => this.asked.push(run),
      deliver: (destinations) => this.woken.push(...destinations),
      forget: (number) => {
        if (!this.deaf) this.family.tell(String(number), { type: 'forget' });
      },
      search: {
        wake: () => this.indexed.push('wake'),
        remove: (number, run) => Promise.resolve(this.indexed.push(`remove ${number}.${run}`) > 0),
      },
      timers: new TransferTimers(this.clock, (number) =>
        this.family.tell(String(number), { type: 'transfersDue' }),
      ),
      onEnd: ({ number }) => this.ended.push(number),
    };
    this.family = this.system.register(batchJobKind(deps));
  }

  /** Sends a command and returns the reply, or the reason why there is none. Time passes meanwhile. */
  async tell(number: number, command: JobCommand, envelopeId?: string): Promise<string> {
    const seen: string[] = [];
    const id = envelopeId === undefined ? {} : { envelopeId };
    const asked = this.family.ask(String(number), command, { deadlineMs: 1e12, ...id }).then(
      (reply) => seen.push(reply.kind === 'done' ? 'done' : reply.reason),
      (error: unknown) => seen.push((error as { reason: string }).reason),
    );
    while (seen.length === 0) await this.clock.advance(100);
    await asked;
    return seen[0]!;
  }

  /** Sub-jobs of a job that wait in the ledger. */
  async offeredRows(number = 7): Promise<readonly SubJobRow[]> {
    const actor = { kind: BATCH_JOB, id: String(number) };
    const known = await this.#store.work.listIds(actor);
    const rows: SubJobRow[] = [];
    for await (const { body } of allRows(this.#store, actor)) rows.push(body as SubJobRow);
    return rows.filter(({ id, state }) => state === 'QUEUED' && known.has(id));
  }

  /** Answers up to `max` of the offered sub-jobs. */
  async work(given: GivenJob, number: number, max = Infinity): Promise<void> {
    for (let answered = 0; answered < max; answered++) {
      const [row] = await this.offeredRows(number);
      if (row === undefined) return;
      expect(await this.tell(number, doneWith(given, row))).to.equal('done');
    }
  }
}

type Accept = Extract<JobCommand, { type: 'accept' }>;

/** Job actors on a SQLite store that can be stopped and restarted. */
export class JobServer {
  readonly #given: GivenJob;
  #dataDir = '';
  #running: { readonly store: SqliteStore; readonly jobs: ServedJobs } | undefined;

  constructor(given: GivenJob) {
    this.#given = given;
  }

  open(dataDir: string): void {
    this.#dataDir = dataDir;
    const store = new SqliteStore(path.join(dataDir, 'troupe.db'));
    this.#running = { store, jobs: new ServedJobs(store, dataDir) };
  }

  close(): Promise<void> {
    return this.store.close();
  }

  /** Loses everything that is not stored. */
  async restart(): Promise<void> {
    await this.close();
    this.open(this.#dataDir);
  }

  get dataDir(): string {
    return this.#dataDir;
  }

  get store(): SqliteStore {
    return this.#running!.store;
  }

  get jobs(): ServedJobs {
    return this.#running!.jobs;
  }

  accept(given: GivenJob = this.#given, more: Partial<Pick<Accept, 'admitted' | 'archive'>> = {}) {
    const record = recordOf(given);
    const accept = {
      type: 'accept',
      record,
      admitted: true,
      objectId: OBJECT_ID,
      archive: 'notAsked',
    } as const;
    return this.jobs.tell(record.number, { ...accept, ...more });
  }

  async snapshot(number = 7): Promise<JobSnapshot | undefined> {
    const stored = await this.store.load({ kind: BATCH_JOB, id: String(number) });
    if (stored === undefined) return undefined;
    return jobSnapshotSchema.parse((stored.snapshot.body as { state: unknown }).state);
  }

  async rows(number = 7): Promise<readonly string[]> {
    const keys: string[] = [];
    for await (const { key } of allRows(this.store, { kind: BATCH_JOB, id: String(number) })) keys.push(key);
    return keys;
  }

  async listIndex(index: string): Promise<readonly string[]> {
    return (await this.store.list(index, { limit: 10 })).map(({ id }) => id);
  }

  /** All pending notices. */
  async outbox(): Promise<readonly OutboxEntry[]> {
    const entries: OutboxEntry[] = [];
    for (const destination of await this.store.destinations({ limit: 100 }))
      entries.push(...(await this.store.outbox(destination, { limit: 100 })));
    return entries;
  }
}

/** Creates one with an empty store for each test of a suite. */
export function jobServer(given: GivenJob): JobServer {
  const server = new JobServer(given);
  const place = temporaryFolder();
  let folders = 0;
  beforeEach(() => server.open(place(`data-${++folders}`)));
  afterEach(() => server.close());
  return server;
}
