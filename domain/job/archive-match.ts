/** Selects the entry of an archive's answer whose results a job can use. Entries come from outside, so all of them are checked. */
import { ARCHIVE_SYSTEM } from './archive.ts';
import type { PastJob } from '../types.ts';
import { isBlank } from '../values.ts';

const LONGEST_TEXT = 8_192;
/** Statuses of stopped runs, whose results are incomplete. */
const STOPPED: ReadonlySet<string> = new Set(['CANCELLED', 'CANCELLED_BY_SHUTDOWN']);

/**
 * The best of `known` and the entries with the same configuration: COMPLETE, then COMPLETE_WITH_WARNINGS, then any other end. Of equal
 * ones, the latest. Entries of other systems and entries without results are skipped.
 */
export function bestMatch(
  entries: readonly unknown[],
  configHash: string,
  known: PastJob | null = null,
): PastJob | null {
  return entries.reduce<PastJob | null>((best, entry) => {
    const job = pastJob(entry, configHash);
    return job === null || (best !== null && !isBetter(job, best)) ? best : job;
  }, known);
}

function pastJob(entry: unknown, configHash: string): PastJob | null {
  const { system, dataObject } = fieldsOf(entry);
  const fields = fieldsOf(dataObject);
  if (fields['jobConfigHash'] !== configHash || (system !== undefined && system !== ARCHIVE_SYSTEM))
    return null;
  const [jobId, jobStatus, outputUri] = ['jobId', 'jobStatus', 'outputUri'].map((name) =>
    textIn(fields[name]),
  );
  const processedAt = Date.parse(textIn(fields['processDate']) ?? '');
  if (jobId === undefined || jobStatus === undefined || outputUri === undefined) return null;
  if (STOPPED.has(jobStatus) || Number.isNaN(processedAt)) return null;
  return { jobId, jobStatus, outputUri, processedAt };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Returns a text that is neither blank nor too long, on one line. Undefined for all other values. */
function textIn(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > LONGEST_TEXT || isBlank(value)) return undefined;
  return /\p{Cc}/u.test(value) ? undefined : value;
}

const rankOf = (status: string): number =>
  status === 'COMPLETE' ? 2 : status === 'COMPLETE_WITH_WARNINGS' ? 1 : 0;

function isBetter(job: PastJob, other: PastJob): boolean {
  const ranks = rankOf(job.jobStatus) - rankOf(other.jobStatus);
  return ranks > 0 || (ranks === 0 && job.processedAt > other.processedAt);
}
