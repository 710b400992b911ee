import { mkdir } from 'node:fs/promises';
import type { CopyWork } from '../../../protocol/bucket-work.ts';
import type { DetectWork } from '../../../protocol/detection-work.ts';
import type { PrepareWork } from '../../../protocol/media-work.ts';
import { queueOf } from '../../../protocol/transfers.ts';
import type { SubJobAssignment, WorkKind, WorkTypes } from '../../../protocol/worker-protocol.ts';
import { readSmallPiece } from '../../../results/feed-index.ts';
import { pathOf, type FileKey } from '../../../results/file-keys.ts';
import { ownDocument, resultRoots } from '../../../results/layout.ts';
import { booleanOf } from '../../../domain/properties/properties.ts';
import { feedForwardType } from '../../../domain/properties/trigger.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { ActorKey, Store } from '../../../store/store.ts';
import { selectedProperties } from '../../batch-job/kinds/detect.ts';
import type {
  PlannedCopy,
  PlannedFinish,
  PlannedPrepare,
  PlannedWork,
} from '../../batch-job/state/planned-work.ts';
import { traceparentOfWork } from '../../batch-job/spans.ts';
import type { SubJobRow } from '../../batch-job/state/state.ts';
import { storedJob } from '../../batch-job/state/stored-job.ts';
import { withPaths } from './files.ts';
import { finishWork } from './finish-work.ts';
import type { AssignmentDeps, Handed } from './handed-out.ts';

/** This version cannot read the stored sub-job, so no component can process it. */
export class UnreadableSubJob extends Error {
  override readonly name = 'UnreadableSubJob';
}

/**
 * Returns the work that a component receives for its claimed sub-job. Returns undefined if the row was deleted because the job has ended.
 * @throws UnreadableSubJob
 */
export async function assignmentOf(
  deps: AssignmentDeps,
  lease: Lease,
  besideServer: boolean,
): Promise<SubJobAssignment | undefined> {
  try {
    return await readAssignment(deps, lease, besideServer);
  } catch (error) {
    // The row has another shape, or is no JSON. All other errors are errors of the store or the disk.
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    throw new UnreadableSubJob(`What is stored of the sub-job ${lease.item.id} cannot be read.`, {
      cause: error,
    });
  }
}

async function readAssignment(
  deps: AssignmentDeps,
  lease: Lease,
  besideServer: boolean,
): Promise<SubJobAssignment | undefined> {
  const { store, heartbeatMs } = deps;
  const { item, token } = lease;
  const row = (lease.row as SubJobRow | undefined) ?? (await rowOf(store, item));
  if (row === undefined || row.state !== 'QUEUED' || row.work === null) return undefined;
  const planned = await workOf(deps, row.work, { jobNumber: item.actor.id, row, token, besideServer });
  const work = withPaths(row.kind, planned, (key) => pathOf(deps.dataDir, key));
  const attempt = row.attempts + 1;
  const traceparent = traceparentOfWork(row);
  return {
    token,
    id: row.id,
    kind: row.kind,
    algorithm: queueOf(row.queue),
    attempt,
    heartbeatMs,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(lease.last === undefined ? {} : { last: lease.last }),
    work,
  } as SubJobAssignment;
}

export async function rowOf(
  store: Store,
  { actor, key }: { readonly actor: ActorKey; readonly key: string },
): Promise<SubJobRow | undefined> {
  const [row] = await store.rows(actor, { prefix: key, limit: 1 });
  return row?.key === key ? (row.body as SubJobRow) : undefined;
}

/** Values that are known only when a sub-job is claimed, by its kind. Work of other kinds is sent as planned. */
const FILLED_IN: {
  readonly [K in WorkKind]?: (
    deps: AssignmentDeps,
    work: Planned<K>,
    handed: Handed,
  ) => Promise<WorkTypes[K]['work']> | WorkTypes[K]['work'];
} = {
  PREPARE: withBearer,
  async DETECT(deps, work, handed) {
    const own = await ofAttempt(deps, work, handed);
    const { fed } = handed.row;
    return fed === undefined ? own : fedWork(deps, handed, fed, own);
  },
  FINISH: finishWork,
  DOCUMENT: (_, work, { token }) => ({ ...work, input: inputPath(token) }),
  COPY: copyWork,
};

type Planned<K extends WorkKind> = K extends 'PREPARE'
  ? PlannedPrepare
  : K extends 'FINISH'
    ? PlannedFinish
    : K extends 'COPY'
      ? PlannedCopy
      : WorkTypes[K]['work'];

async function workOf(
  deps: AssignmentDeps,
  work: PlannedWork,
  handed: Handed,
): Promise<SubJobAssignment['work']> {
  const fill = FILLED_IN[handed.row.kind] as
    | ((...given: readonly [AssignmentDeps, PlannedWork, Handed]) => Promise<SubJobAssignment['work']>)
    | undefined;
  return fill === undefined ? (work as SubJobAssignment['work']) : fill(deps, work, handed);
}

/**
 * Returns the work of a COPY. Only documents of this service move with its data folder, which may have moved after the work was planned.
 */
function copyWork(deps: AssignmentDeps, work: PlannedCopy, { token }: Handed): CopyWork {
  const { dataDir, movedFiles, fetchLimits } = deps;
  // Only a document of this service may name files of this host.
  const isOwn = ownDocument(dataDir, work.document) !== undefined;
  const { mediaRoots, excluded, maxBytes: maxFileBytes } = fetchLimits;
  const files = isOwn ? { roots: resultRoots(dataDir), excluded: [] } : { roots: mediaRoots, excluded };
  const moved = isOwn && movedFiles.length > 0 ? { movedFiles } : {};
  return { ...work, input: inputPath(token), files, maxFileBytes, ...moved };
}

/**
 * Each attempt has its own folder, because a lost attempt may still write to its folder. For a component that the server has not started,
 * the folder already exists. A component that does not see the folder knows that it is on another host.
 */
async function ofAttempt(
  { dataDir }: AssignmentDeps,
  work: DetectWork,
  { token, besideServer }: Handed,
): Promise<DetectWork> {
  const medium = { ...work.medium, url: leasePath(token, 'medium') };
  if (work.outputFolder === undefined) return { ...work, medium };
  const outputFolder = attemptFolder(work.outputFolder, token);
  if (besideServer) return { ...work, medium, outputFolder, besideServer };
  // If the disk is full, the component gets the error when it creates a file.
  await mkdir(pathOf(dataDir, outputFolder), { recursive: true }).catch(() => undefined);
  return { ...work, medium, outputFolder };
}

/** Returns the output folder of the attempt with this lease. Its name begins with that of the planned folder. */
export const attemptFolder = (planned: FileKey, token: string): FileKey => `${planned}.${token}`;

const leasePath = (token: string, what: string) => `/worker/v1/leases/${token}/${what}`;
const inputPath = (token: string) => leasePath(token, 'input');

/** Adds a token of the service for a remote medium, if there is one. The time limit applies to all attempts together. */
async function withBearer(
  { bearer, fetchLimits }: AssignmentDeps,
  work: PlannedPrepare,
  { row }: Handed,
): Promise<PrepareWork> {
  const timeoutMs = Math.max(1, Math.round(fetchLimits.timeoutMs - (row.transfer?.spentMs ?? 0)));
  const limits = { ...fetchLimits, timeoutMs };
  if (!/^https?:/i.test(work.uri) || !booleanOf(work.properties, 'REMOTE_MEDIA_ADD_TOKEN', false))
    return { ...work, limits };
  const token = await bearer();
  return { ...work, limits, ...(token === undefined ? {} : { bearer: token }) };
}

/** Maximum size of tracks that are sent with the claim. The component reads more tracks separately. */
const MOST_LINES_BYTES = 32 * 1024;

/** Returns the work of a fed piece. Only the answer to FEED contains its input. */
async function fedWork(
  { store, dataDir }: AssignmentDeps,
  { jobNumber, row, token }: Handed,
  fed: NonNullable<SubJobRow['fed']>,
  work: DetectWork,
): Promise<DetectWork> {
  const piece = await readSmallPiece(pathOf(dataDir, fed.file), fed.indexAt, fed.piece, MOST_LINES_BYTES);
  // The job is read only if needed, because reading a job of thousands of media for each piece would slow down the server.
  const reads = piece.selector >= 0 && fed.selective === true;
  const job = reads ? await storedJob(store, Number(jobNumber)) : undefined;
  const properties =
    job === undefined ? work.properties : selectedProperties(job.record, row, work.medium, piece.selector);
  return {
    ...work,
    properties,
    range: { start: piece.start, stop: piece.stop },
    feedForward: {
      // Selections of media selectors are fed unchanged, independent of the pipeline's feed-forward.
      type: feedForwardType(properties['FEED_FORWARD_TYPE']) ?? 'REGION',
      allTracks: booleanOf(properties, 'FEED_FORWARD_ALL_TRACKS'),
      annotate: fed.annotate,
      input: inputPath(token),
      bytes: piece.bytes,
      ...(piece.lines === undefined ? {} : { lines: piece.lines }),
    },
  };
}
