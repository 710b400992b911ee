import { operationKind } from '../operations/actor.ts';
import { OperationRunner } from '../operations/runner.ts';
import { OperationService } from '../operations/service.ts';
import { OperationViews } from '../operations/views.ts';
import { JobWatch } from '../views/jobs/job-watch.ts';
import type { JobService } from '../job-service/job-service.ts';
import type { Foundation } from './guardian-deps.ts';
import type { Actors } from './registered-actors.ts';

/** Actions on many jobs, as the HTTP layer uses them. */
export interface Operations {
  readonly service: OperationService;
  readonly runner: OperationRunner;
  readonly views: OperationViews;
  readonly watch: JobWatch<OperationEvent>;
}

type OperationEvent = NonNullable<Awaited<ReturnType<OperationViews['single']>>>;

export function registerOperations(
  base: Foundation,
  { jobs, archiveChecks }: Actors,
  jobService: JobService,
): Operations {
  const { system, store, logger, settings } = base;
  const { clock } = system;
  const operations = system.register(
    operationKind({
      ...base,
      clock,
      idleMs: settings.IDLE_ACTOR_MS,
      drive: (number) => runner.drive(number),
      stop: (number) => runner.stop(number),
    }),
  );
  const runner = new OperationRunner({
    ...base,
    ...{ operations, clock, jobService, jobs, archiveChecks, jobIdHost: settings.JOB_ID_HOST },
    batch: settings.OPERATION_BATCH,
  });
  const views = new OperationViews(store);
  return {
    service: new OperationService({ store, operations, clock, logger }),
    runner,
    views,
    watch: new JobWatch({ views, clock, logger, pollMs: settings.EVENTS_POLL_MS }),
  };
}
