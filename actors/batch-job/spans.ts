/** The spans of a job: the job itself, and each attempt at a sub-job with the part of the component in it. */
import {
  childOf,
  parseTraceparent,
  partOf,
  traceparentOf,
  type FinishedSpan,
} from '../../domain/job/trace.ts';
import type { WorkDone, WorkFailed } from './state/commands.ts';
import type { JobEnd } from './job-deps.ts';
import type { JobRecord } from './state/record.ts';
import type { SubJobRow } from './state/state.ts';

const COMPONENT = 'component';
const attemptName = ({ id, attempts }: SubJobRow) => `${id}.${attempts + 1}`;

/** Returns the `traceparent` header for a component. Returns undefined if the job has no trace. */
export function traceparentOfWork(row: SubJobRow): string | undefined {
  if (row.trace === undefined) return undefined;
  const attempt = partOf(row.trace, attemptName(row));
  return attempt === undefined ? row.trace.traceparent : traceparentOf(childOf(attempt, COMPONENT));
}

/** Returns the spans of an answered attempt. `from`: when the component got the sub-job, `to`: when its answer was stored. */
export function spansOfAnswer(
  row: SubJobRow,
  command: WorkDone | WorkFailed,
  { from, to }: Pick<FinishedSpan, 'from' | 'to'>,
): readonly FinishedSpan[] {
  const context = row.trace === undefined ? undefined : partOf(row.trace, attemptName(row));
  const job = parseTraceparent(row.trace?.traceparent);
  if (context === undefined || job === undefined) return [];
  const attributes = {
    'troupe.job.id': row.jobId,
    'troupe.sub_job.id': row.id,
    'troupe.algorithm': row.queue,
    'troupe.attempt': row.attempts + 1,
  };
  const error = command.type === 'workFailed' ? `${command.code}: ${command.message}` : undefined;
  const common = { kind: 'internal', attributes, error } as const;
  return [
    { ...common, name: `sub-job ${row.kind}`, context, parentId: job.spanId, from, to },
    {
      ...common,
      name: `component ${row.queue}`,
      context: childOf(context, COMPONENT),
      parentId: context.spanId,
      ...{ from, to: Math.min(to, from + command.ms) },
    },
  ];
}

/** Returns the span of a run that has ended. */
export function spanOfJob(
  { jobId, plan, media }: JobRecord,
  { trace, status, startedAt, endedAt, firstError }: JobEnd,
): readonly FinishedSpan[] {
  const context = parseTraceparent(trace?.traceparent);
  const parentId = trace?.parentId;
  if (context === undefined || parentId === undefined) return [];
  const attributes = {
    'troupe.job.id': jobId,
    'troupe.pipeline': plan.name,
    'troupe.media': media.length,
    'troupe.job.status': status,
  };
  const error = status === 'ERROR' ? (firstError ?? status) : undefined;
  const to = endedAt ?? startedAt;
  return [
    { name: `job ${plan.name}`, kind: 'internal', context, parentId, from: startedAt, to, attributes, error },
  ];
}
