import { mergeDetectionErrors } from '../../../domain/tracks/detection-errors.ts';
import type { DocumentHead, DocumentIssue, DocumentMedium } from '../../../protocol/document-work.ts';
import type { Store } from '../../../store/store.ts';
import { isTerminal } from '../../batch-job/state/status.ts';
import { documentInput } from '../../job-files/document-input.ts';
import { listedUri } from './listed-uri.ts';
import { storedJob } from '../../batch-job/state/stored-job.ts';

/** Number of issues listed one by one. The others are only counted. */
const SHOWN = 100;

/** Belongs to the whole job if it has no medium. */
export interface LiveIssue extends DocumentIssue {
  readonly mediaId: number | null;
  readonly mediaUri: string | null;
}

interface Counted {
  readonly shown: LiveIssue[];
  count: number;
}

/** Issues so far of a job that has not ended, in the form of its document. */
export interface LiveIssues {
  readonly errors: Readonly<Counted>;
  readonly warnings: Readonly<Counted>;
}

/** Errors and warnings of a running job. `ended`: they are in its document. */
export async function liveIssues(store: Store, number: number): Promise<LiveIssues | 'ended' | undefined> {
  const job = await storedJob(store, number);
  if (job === undefined) return undefined;
  const { status } = job.snapshot;
  if (isTerminal(status)) return 'ended';
  const found = { errors: none(), warnings: none() };
  // Most jobs have no issues, so nothing more is read.
  if (status === 'IN_PROGRESS' || status === 'INITIALIZED') return found;
  for await (const part of documentInput(store, number, ({ uri }) => uri)) {
    take(found.errors, errorsOf(part), part);
    take(found.warnings, part.warnings, part);
  }
  return found;
}

type Part = DocumentHead | DocumentMedium;

/** As in the document, equal errors of a medium's sub-jobs are merged. */
function errorsOf(part: Part): readonly DocumentIssue[] {
  if (!('mediaId' in part)) return part.errors;
  const failures = Object.values(part.detectionErrors).flat();
  return [...part.errors, ...mergeDetectionErrors(failures, part.facts?.mediaType ?? 'UNKNOWN')];
}

function take(counted: Counted, issues: readonly DocumentIssue[], part: Part): void {
  const medium =
    'mediaId' in part
      ? { mediaId: part.mediaId, mediaUri: listedUri(part.path) }
      : { mediaId: null, mediaUri: null };
  const room = Math.max(0, SHOWN - counted.shown.length);
  for (const { source, code, message } of issues.slice(0, room))
    counted.shown.push({ ...medium, source, code, message });
  counted.count += issues.length;
}

const none = (): Counted => ({ shown: [], count: 0 });
