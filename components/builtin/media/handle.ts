/** Handles the sub-jobs of the built-in media component. Passed to its worker loop as `handle`. */
import { DetectionError } from '../../sdk/detector.ts';
import type { CopyWork } from '../../../protocol/bucket-work.ts';
import type { FeedWork } from '../../../protocol/detection-work.ts';
import type { FindingsWork } from '../../../protocol/document-work.ts';
import type { FrameWork } from '../../../protocol/media-work.ts';
import type { ArtifactsWork } from '../../../protocol/track-work.ts';
import type { Assignment, SubJobAssignment } from '../../../protocol/worker-protocol.ts';
import type { WorkContext } from '../../sdk/work/work-context.ts';
import { document } from './document.ts';
import { fetchRemote } from './fetch.ts';
import { finish } from './finish/finish.ts';
import { prepare } from './prepare.ts';
import { upload } from './upload.ts';

export function handleMediaWork(
  assignment: Assignment,
  context: WorkContext,
): AsyncIterable<string | Uint8Array> {
  switch (assignment.kind) {
    case 'PREPARE':
      return prepare(assignment.work, context);
    case 'FEED':
      return feedTracks(assignment.work, context);
    case 'FINISH':
      return finish(assignment.work, context);
    case 'ARTIFACTS':
      return pictures(assignment.work, context);
    case 'DOCUMENT':
      return document(assignment.work, context);
    case 'FRAME':
      return frames(assignment.work, context);
    case 'FINDINGS':
      return findingsSoFar(assignment.work, context);
    case 'DETECT':
    case 'MARKUP':
    case 'UPLOAD':
    case 'COPY':
    case 'STREAM':
      throw new DetectionError(
        'DETECTION_NOT_INITIALIZED',
        `The media component does not do ${assignment.kind}.`,
      );
  }
}

/** Handles sub-jobs that wait for other hosts. One process handles many of them concurrently. */
export function handleTransfer(
  assignment: SubJobAssignment,
  context: WorkContext,
): AsyncIterable<string | Uint8Array> {
  const { kind } = assignment;
  if (kind === 'PREPARE') return fetchRemote(assignment.work, context);
  if (kind === 'UPLOAD') return upload(assignment.work, context);
  if (kind === 'COPY') return copyDocument(assignment.work, context);
  if (kind === 'FINISH' || kind === 'ARTIFACTS' || kind === 'MARKUP')
    return storeResults(assignment, context);
  throw new DetectionError('DETECTION_NOT_INITIALIZED', `${kind} is no transfer.`);
}

type Stored = Extract<SubJobAssignment, { readonly kind: 'FINISH' | 'ARTIFACTS' | 'MARKUP' }>;

/** Loaded on demand, because few jobs name a bucket for their results. */
async function* storeResults({ kind, work }: Stored, context: WorkContext): AsyncGenerator<string> {
  const { made } = work;
  if (made === undefined) throw new DetectionError('DETECTION_NOT_INITIALIZED', `${kind} is not made yet.`);
  const { storeArtifacts, storeFinished, storeMarkup } = await import('./store-made.ts');
  if (kind === 'FINISH') yield* storeFinished({ ...work, made }, context);
  else if (kind === 'ARTIFACTS') yield* storeArtifacts({ ...work, made }, context);
  else yield* storeMarkup({ ...work, made }, context);
}

/** Loaded on demand: few jobs feed tracks forward, and fewer are copied from an archive. This code is a fifth of what the others load. */
async function* feedTracks(work: FeedWork, context: WorkContext): AsyncGenerator<string> {
  const { feed } = await import('./finish/feed.ts');
  yield* feed(work, context);
}

async function* copyDocument(work: CopyWork, context: WorkContext): AsyncGenerator<Uint8Array> {
  const { copy } = await import('./copy/copy.ts');
  yield* copy(work, context);
}

/** Loaded for the first requested frame. */
async function* frames(work: FrameWork, context: WorkContext): AsyncGenerator<string> {
  const { frame } = await import('./frame.ts');
  yield* frame(work, context);
}

/** Loaded for the first running job whose findings are requested. */
async function* findingsSoFar(work: FindingsWork, context: WorkContext): AsyncGenerator<string> {
  const { findings } = await import('./findings.ts');
  yield* findings(work, context);
}

/** Loaded for the first picture that is cut out. Other kinds of work do not need this large code. */
async function* pictures(work: ArtifactsWork, context: WorkContext): AsyncGenerator<string> {
  const { artifacts } = await import('./artifacts/artifacts.ts');
  yield* artifacts(work, context);
}
