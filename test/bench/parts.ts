/** The actors of a server without REST and component processes, for benchmarks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Catalog } from '../../actors/catalog/catalog.ts';
import type { Descriptor } from '../../actors/catalog/descriptors/descriptor.ts';
import { install } from '../../actors/catalog/install.ts';
import { EMPTY_CATALOG } from '../../actors/catalog/state.ts';
import { guard, type Guardian } from '../../actors/guardian/guardian.ts';
import { systemClock } from '../../actors/basics/clock.ts';
import { ComedyTree } from '../../actors/runtime/comedy-tree.ts';
import { ActorSystem } from '../../actors/runtime/system.ts';
import type { JobRequest } from '../../actors/job-service/job-request.ts';
import { MEDIA_QUEUES, type Assignment } from '../../protocol/worker-protocol.ts';
import { WorkMetrics } from '../../http/metrics/work-metrics.ts';
import { ResultChecker, type CheckedResult } from '../../results/check/check.ts';
import { LOCAL_LOCKS, StoredLocks } from '../../store/cluster-locks.ts';
import { settingsOf } from '../support/processes/environment.ts';
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../store/store.ts';

export const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A component whose algorithm does nothing. The benchmark claims and answers its work. */
export const NOOP: Descriptor = {
  componentName: 'Noop',
  componentVersion: '1',
  middlewareVersion: '1',
  sourceLanguage: 'typescript',
  batchLibrary: 'detector',
  environmentVariables: [],
  algorithm: {
    name: 'NOOP',
    description: 'Does nothing.',
    actionType: 'DETECTION',
    trackType: 'NOTHING',
    requiresCollection: { states: [] },
    providesCollection: { states: [], properties: [] },
  },
  actions: [{ name: 'NOOP ACTION', description: 'Does nothing.', algorithm: 'NOOP', properties: [] }],
  tasks: [{ name: 'NOOP TASK', description: 'Does nothing.', actions: ['NOOP ACTION'] }],
  pipelines: [{ name: 'NOOP PIPELINE', description: 'Does nothing.', tasks: ['NOOP TASK'] }],
};

export const emptyJob: JobRequest = {
  media: [
    {
      uri: 'file:///media/a.jpg',
      metadata: {
        MEDIA_HASH: 'a'.repeat(64),
        MIME_TYPE: 'image/jpeg',
        FRAME_WIDTH: '640',
        FRAME_HEIGHT: '480',
      },
      properties: {},
      frameRanges: [],
      timeRanges: [],
    },
  ],
  pipelineName: 'NOOP PIPELINE',
  buildOutput: false,
  externalId: null,
  jobProperties: {},
  algorithmProperties: {},
  priority: undefined,
  user: 'bench',
  callback: undefined,
};

export interface Core extends Guardian {
  readonly store: Store;
  readonly system: ActorSystem;
  close(): Promise<void>;
}

/** `shared`: with other servers on one store. */
export async function startCore(
  environment: Readonly<Record<string, string>> = {},
  shared?: { readonly store: Store; readonly serverId: string },
): Promise<Core> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const settings = settingsOf({ DATA_DIR: dataDir, MIN_FREE_BYTES: '0', ...environment });
  const store = shared?.store ?? new SqliteStore(path.join(dataDir, 'troupe.db'));
  const serverId = shared?.serverId ?? 'bench';
  const epoch = await store.next('epoch');
  const system = new ActorSystem(new ComedyTree(), systemClock);
  const checker = new ResultChecker();
  const guardian = guard({
    system,
    store,
    settings,
    logger: silent,
    meter: new WorkMetrics(),
    checker,
    catalog: new Catalog({}, install(EMPTY_CATALOG, [NOOP]).state),
    serverProperties: {},
    components: [],
    own: [],
    places: { TROUPE_NODE: process.execPath, TROUPE_HOME: dataDir },
    fetchLimits: { mediaRoots: [], excluded: [], maxBytes: 1, timeoutMs: 1, allowPrivate: false },
    movedFiles: [],
    together: new Set(),
    findModel: { algorithms: new Set(), problem: () => Promise.resolve(undefined) },
    realDataDir: dataDir,
    uploads: { keepDuring: (_, work) => work() },
    serverId,
    alone: shared === undefined,
    cluster: undefined,
    locks: shared === undefined ? LOCAL_LOCKS : new StoredLocks(store, { server: serverId, epoch }, Date.now),
    epoch,
    version: 'bench',
    send: () => Promise.resolve({ kind: 'sent' }),
    present: () => Promise.reject(new Error('there is no broker')),
    askArchive: () => Promise.resolve({ kind: 'none' }),
    url: 'http://127.0.0.1',
    serverUrl: () => '',
    bearer: () => Promise.resolve(undefined),
    checkMedium: () => Promise.resolve(undefined),
    localPath: () => Promise.resolve(undefined),
  });
  const close = async () => {
    await system.stop(1_000);
    await checker.close();
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { ...guardian, store, system, close };
}

/** Answers all queued work in this process until `signal`, with generated results. */
export async function answerAll({ workerGateway, jobs }: Core, signal: AbortSignal): Promise<void> {
  const claim = {
    queues: [...Object.values(MEDIA_QUEUES), 'NOOP'],
    max: 64,
    waitMs: 1_000,
    worker: 'bench',
    lasting: false,
  };
  while (!signal.aborted) {
    const { work } = await workerGateway.claim(claim, signal);
    await Promise.all(
      work.map(async (assignment) => {
        const { token } = assignment;
        const [job, row] = addressOf(assignment);
        const command = {
          type: 'workDone',
          key: row,
          token,
          file: '/dev/null',
          result: resultOf(assignment),
          ms: 0,
        } as const;
        await jobs.ask(job, command, { envelopeId: token });
      }),
    );
  }
}

/** Job number and row key from the id of the sub-job. */
function addressOf({ id }: Assignment): readonly [string, string] {
  const [job = '', run = '', rest = ''] = /-(\d+)\.(\d+)\.(.+)$/.exec(id)?.slice(1) ?? [];
  const [first, second, third, end = ''] = rest.split('.');
  const padPart = (part = '', width = 3) => part.padStart(width, '0');
  const of = (medium?: string) => `${padPart(run, 4)}/${padPart(medium, 6)}`;
  if (first === 'prepare') return [job, `${of(second)}/p`];
  const place = `${of(third)}/t${padPart(first)}/a${padPart(second)}`;
  return [job, end === 'finish' ? `${place}/f` : `${place}/d${padPart(end, 7)}`];
}

function resultOf({ kind }: Assignment): CheckedResult & { ok: true } {
  switch (kind) {
    case 'PREPARE': {
      const facts = {
        mediaType: 'IMAGE',
        mimeType: 'image/jpeg',
        sha256: 'a'.repeat(64),
        length: 1,
        metadata: {},
      } as const;
      return {
        ok: true,
        kind,
        prepared: { facts, inspected: false, path: '/media/a.jpg', warnings: [], ranges: [] },
      };
    }
    case 'DETECT':
      return { ok: true, kind, tracks: 0, detections: 0, derived: 0, warnings: 0 };
    case 'FINISH':
      return { ok: true, kind, summary: { tracks: 0, detections: 0, types: {}, warnings: [], ranges: [] } };
    case 'DOCUMENT':
      return { ok: true, kind, bytes: 2, sha256: '' };
    case 'FEED':
    case 'ARTIFACTS':
    case 'MARKUP':
    case 'UPLOAD':
    case 'COPY':
    case 'STREAM':
    case 'FRAME':
    case 'FINDINGS':
      throw new Error(`An empty job has no ${kind}.`);
  }
}
