import type { JobEnd } from './actor.ts';
import type { JobRecord } from './record.ts';

/** What lines of the log say of a job: who wanted what. */
export const jobFacts = ({ jobId, user, plan, media }: JobRecord) => ({
  jobId,
  user: user ?? null,
  pipeline: plan.name,
  media: media.length,
});

/** And how it ended. */
export const endFacts = ({ status, startedAt, endedAt, firstError }: JobEnd) => ({
  status,
  ms: Math.max(0, Math.round((endedAt ?? startedAt) - startedAt)),
  ...(firstError === null ? {} : { error: firstError }),
});
