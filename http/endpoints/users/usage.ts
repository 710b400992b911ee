import type { Context } from 'koa';
import type { NamedUsage, UsageQuery } from '../../../actors/views/usage.ts';
import { ownerOf } from '../../../domain/users/owner.ts';
import { noteMissingRole, userOf } from '../../access/bearer.ts';
import { json, ok, sentence } from '../../routing/declaration.ts';
import { HttpError } from '../../routing/errors.ts';
import { usageQuery, usageReport } from '../../schemas/users/usage.ts';
import { endpoint } from '../../steps/endpoint.ts';
import type { JobGuard } from '../../users/job-step.ts';

export interface UsageDeps {
  usage(query: UsageQuery): Promise<readonly NamedUsage[]>;
}

const DAY_MS = 86_400_000;
const MOST_DAYS = 366;
const EXAMPLE = {
  by: 'user' as const,
  from: '2026-03-01',
  to: '2026-03-31',
  usage: [
    {
      ...{ name: 'alice', jobs: 120, media: 4_800, bytes: 9_437_184_000 },
      ...{ processingSeconds: 7_342.5, cpuSeconds: 12_640.2, processingSecondsWithoutCpu: 0 },
    },
  ],
};

/** Usage by user, group and other criteria (not in the specification). */
export const usageEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/usage',
    id: 'getUsage',
    tag: 'Service',
    caller: 'USER',
    // The answer contains sums only, no single job.
    jobs: 'NONE',
    summary: 'Show how much was processed',
    description:
      'Counted by day (UTC) when a run of a batch job ends, and kept for 400 days. A USER who does not see all jobs (JOB_VISIBILITY) sees ' +
      'only the own user or group.',
    query: usageQuery,
    answers: {
      200: json('The report.', usageReport, EXAMPLE),
      400: sentence('A part of the query is wrong, or covers more than 366 days.'),
      403: sentence('The caller does not see all jobs, and asks for pipelines or components.'),
    },
    async handle({ query, ctx }, { usage, jobAccess }: UsageDeps & JobGuard) {
      const to = query.to === undefined ? Date.now() : Date.parse(query.to);
      const last = Math.floor(to / DAY_MS) * DAY_MS;
      const from = query.from === undefined ? last - 30 * DAY_MS : Date.parse(query.from);
      if (from > last || last - from >= MOST_DAYS * DAY_MS)
        throw new HttpError(
          'invalid-parameter',
          `from must not be after to, nor ${MOST_DAYS} days or more before it.`,
        );
      const own = jobAccess.sight(ctx) === 'ALL' ? undefined : ownName(ctx, query.by);
      const all = await usage({ by: query.by, from, to: last });
      const seen = own === undefined ? all : all.filter(({ name }) => name === own.name);
      const shown = seen.map(inSeconds);
      return ok({ by: query.by, from: dayText(from), to: dayText(last), usage: shown });
    },
  }),
];

const inSeconds = ({ ms, cpuMs, measuredMs, ...figures }: NamedUsage) => ({
  ...figures,
  processingSeconds: ms / 1_000,
  cpuSeconds: cpuMs / 1_000,
  // The counters are rounded to whole milliseconds separately, so the difference can be negative.
  processingSecondsWithoutCpu: Math.max(0, ms - measuredMs) / 1_000,
});

const dayText = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Returns the only name that the user may see. @throws HttpError 403 if `by` is neither the user nor the group */
function ownName(ctx: Context, by: UsageQuery['by']): { readonly name: string | undefined } {
  if (by === 'user' || by === 'group') return { name: ownerOf(userOf(ctx))?.[by] };
  const message = `You do not see all jobs (JOB_VISIBILITY), so you cannot see the usage by ${by}. Use by=user or by=group.`;
  noteMissingRole(ctx, message);
  throw new HttpError('role-required', message);
}
