/** Validates a job request without storing or running anything, and reports what the job would do. */
import { mimeInRequest } from '../../domain/plan/accepted-media.ts';
import type { JobConfiguration } from '../../domain/job/job-config-hash.ts';
import { levelsOf } from '../../domain/job/job-config-hash.ts';
import { mediaTypeOf } from '../../domain/plan/media-types.ts';
import type { PlannedAction, PlannedTask } from '../../domain/plan.ts';
import { effectiveProperties } from '../../domain/properties/properties.ts';
import type { MediaType, Properties, Range } from '../../domain/types.ts';
import { censorProperties, maskUri } from '../../domain/job/censor.ts';
import { TimeSlices } from '../basics/time-slices.ts';
import type { JobRequest, JobRequestMedium } from './job-request.ts';
import type { PlannedJob } from './request-checks.ts';
import type { Overloaded, Refused } from '../requests/submission.ts';

export interface DryRunDeps {
  readonly jobService: {
    plan(request: JobRequest): Promise<PlannedJob | Overloaded | Refused>;
  };
  readonly settings: {
    readonly serverProperties: Properties;
    readonly environmentProperties: Properties;
  };
  /** The name under which clients know a queue. */
  nameOf(queue: string): string;
  /** Why no component takes work from a queue. Undefined if one does, or is started on demand. */
  idleReason(queue: string): string | undefined;
}

export interface DryRun {
  readonly kind: 'planned';
  readonly priority: number;
  readonly pipeline: {
    readonly name: string;
    readonly tasks: readonly {
      readonly name: string;
      readonly actionType: PlannedTask['actionType'];
      readonly actions: readonly PlannedStep[];
    }[];
  };
  readonly media: readonly {
    readonly mediaUri: string;
    /** Null if the type is known only after the inspection of the medium. */
    readonly mediaType: MediaType | null;
    /** Why the medium cannot be used. */
    readonly problem: string | null;
    /** The analyzed parts. If both are empty, the whole medium is analyzed. Times in milliseconds. */
    readonly frameRanges: readonly Range[];
    readonly timeRanges: readonly Range[];
  }[];
  readonly warnings: readonly string[];
}

interface PlannedStep {
  readonly name: string;
  readonly algorithm: string;
  /** Effective properties that differ from their defaults, without the properties of single media. */
  readonly properties: Properties;
  readonly queue: string;
  readonly served: boolean;
  /** Why no component takes work from the queue. */
  readonly reason: string | null;
}

export class DryRuns {
  readonly #deps: DryRunDeps;

  constructor(deps: DryRunDeps) {
    this.#deps = deps;
  }

  async of(request: JobRequest): Promise<DryRun | Overloaded | Refused> {
    const planned = await this.#deps.jobService.plan(request);
    if (planned.kind !== 'planned') return planned;
    const { wanted, notes, useless } = planned;
    const { plan, warnings = [], priority } = wanted;
    const job = { ...request, ...this.#deps.settings, plan };
    const timeSlices = new TimeSlices();
    const tasks: DryRun['pipeline']['tasks'][number][] = [];
    for (const { name, actionType, actions } of plan.tasks)
      tasks.push({
        name,
        actionType,
        actions: await timeSlices.map(actions, (action) => this.#step(job, action)),
      });
    return {
      kind: 'planned',
      priority,
      pipeline: { name: plan.name, tasks },
      media: await timeSlices.map(request.media, (medium, i) => shownMedium(medium, useless[i])),
      warnings: [...warnings, ...notes],
    };
  }

  #step(job: JobConfiguration, action: PlannedAction): PlannedStep {
    const queue = action.algorithm.name;
    const reason = this.#deps.idleReason(queue);
    return {
      name: action.name,
      algorithm: action.algorithm.name,
      properties: censorProperties(changedProperties(job, action)),
      queue: this.#deps.nameOf(queue),
      served: reason === undefined,
      reason: reason ?? null,
    };
  }
}

/** Properties that differ from their defaults. The media are not inspected yet, so a default for any media type counts as one. */
function changedProperties(job: JobConfiguration, action: PlannedAction): Properties {
  const levels = { ...levelsOf(job, action), media: {} };
  const none = { ...levels, environment: {}, algorithm: {}, job: {}, action: {} };
  const defaults = effectiveProperties(none, 'VIDEO');
  const others = effectiveProperties(none, 'UNKNOWN');
  const all = Object.entries(effectiveProperties(levels, 'VIDEO'));
  return Object.fromEntries(
    all
      .filter(([name, value]) => value !== (defaults[name] ?? others[name]))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function shownMedium(medium: JobRequestMedium, problem: string | undefined): DryRun['media'][number] {
  const { uri, frameRanges, timeRanges } = medium;
  const mime = mimeInRequest(medium);
  return {
    mediaUri: uri.startsWith('data:') ? 'data:…,<truncated>' : maskUri(uri),
    mediaType: mime === undefined ? null : mediaTypeOf(mime),
    problem: problem ?? null,
    frameRanges,
    timeRanges,
  };
}
