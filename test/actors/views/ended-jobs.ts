/** Writes many ended jobs to the store as their actor would leave them, without running them. */
import type { Owner } from '../../../domain/users/owner.ts';
import { withCause, type FailureCause } from '../../../actors/batch-job/failures/causes.ts';
import { indexesOf } from '../../../actors/batch-job/state/indexes.ts';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import type { JobRecord } from '../../../actors/batch-job/state/record.ts';
import { JOB_SCHEMA, type JobSnapshot } from '../../../actors/batch-job/state/snapshot.ts';
import type { BatchJobStatus } from '../../../actors/batch-job/state/status.ts';
import type { Store } from '../../../store/store.ts';

export interface GivenJob {
  readonly number: number;
  readonly pipeline?: string;
  readonly status?: BatchJobStatus;
  readonly ms?: number;
  readonly endedAt?: number;
  readonly media?: number;
  /** URI of all its media. */
  readonly uri?: string;
  readonly externalId?: string;
  readonly labels?: readonly string[];
  readonly owner?: Owner;
  /** Messages of failures at the end of the job. */
  readonly failures?: readonly string[];
  /** The job has a document. */
  readonly document?: true;
  /** Number of pending callbacks. */
  readonly owes?: number;
}

const owedBy = ({ owes = 0 }: GivenJob): JobSnapshot['callback'] =>
  owes === 0
    ? null
    : {
        ...{ pending: owes, open: '1', slow: '0', failures: [], attempts: 0 },
        ...{ lastError: null, nextAttempt: null, tried: [] },
      };

const causesOf = ({ failures = [] }: GivenJob, at: number): readonly FailureCause[] =>
  failures.reduce<readonly FailureCause[]>(
    (causes, message) => withCause(causes, { component: 'FACE', code: 'FAILED', message }, at),
    [],
  );

export async function storeJob(store: Store, given: GivenJob): Promise<void> {
  const { number, pipeline = 'A PIPELINE', status = 'COMPLETE', ms = 10, endedAt = 1_000, media = 1 } = given;
  const { uri = 'file:///a.jpg', externalId = null } = given;
  const medium = { uri, metadata: {}, properties: {}, frameRanges: [], timeRanges: [] };
  const record: JobRecord = {
    number,
    jobId: `host-${number}`,
    siteId: 'test',
    user: 'somebody',
    ...(given.owner === undefined ? {} : { owner: given.owner }),
    ...(given.labels === undefined ? {} : { labels: given.labels }),
    plan: { name: pipeline, description: '', tasks: [] },
    media: Array.from({ length: media }, (_, n) => ({ ...medium, mediaId: n + 1 })),
    priority: 4,
    buildOutput: true,
    externalId,
    jobProperties: {},
    algorithmProperties: {},
    serverProperties: {},
    environmentProperties: {},
  };
  const snapshot: JobSnapshot = {
    status,
    run: 1,
    outdated: null,
    priority: 4,
    stage: { name: 'ENDED' },
    startedAt: endedAt - ms,
    endedAt,
    endedBy: null,
    trace: null,
    objectId: '00000000-0000-0000-0000-000000000000',
    hasDocument: given.document === true,
    unindexed: false,
    cancelledBy: null,
    checkArchive: false,
    pastOutput: null,
    pastStatus: null,
    documentHash: null,
    outputUri: null,
    timing: [],
    versions: [],
    callback: owedBy(given),
    archive: null,
    removed: false,
    issues: [],
    firstError: null,
    failedMedia: null,
    progress: 100,
    causes: causesOf(given, endedAt),
  };
  await store.commit({
    actor: { kind: BATCH_JOB, id: String(number) },
    expected: 0,
    owner: { server: 'test', epoch: 1 },
    snapshot: { schema: JOB_SCHEMA, body: { state: snapshot, seen: [] } },
    record,
    ...indexesOf(record, undefined, snapshot),
  });
}

/** A store that counts calls by method, and the entries and jobs that were read. */
export function countCalls(store: Store): { readonly store: Store; readonly calls: Record<string, number> } {
  const calls: Record<string, number> = {};
  const add = (name: string, by = 1) => (calls[name] = (calls[name] ?? 0) + by);
  const counted = new Proxy(store, {
    get(target, name: keyof Store) {
      const value = target[name];
      if (typeof value !== 'function') return value;
      const verb = value.bind(target) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        add(name);
        const answer = await verb(...args);
        if (Array.isArray(answer)) add('entries', answer.length);
        return answer;
      };
    },
  });
  return { store: counted, calls };
}
