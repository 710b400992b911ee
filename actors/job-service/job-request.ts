import type { Logger } from '../../config/logger.ts';
import type { PipelineRequest } from '../../domain/plan/plan-checks.ts';
import type { Owner } from '../../domain/users/owner.ts';
import type { RequestLimits } from '../../domain/plan/request-limits.ts';
import type { JobTrace } from '../../domain/job/trace.ts';
import type { MediaSelector, MediumProblem, Properties, Range } from '../../domain/types.ts';
import type { ZonePlan } from '../../domain/zones/types.ts';
import type { Store } from '../../store/store.ts';
import type { AdmissionCommand, AdmissionReply } from '../admission/model.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { JobNumbers } from '../requests/job-numbers.ts';
import type { Clock } from '../basics/clock.ts';
import type { Family } from '../runtime/system.ts';
import type { UploadStore } from '../uploads/upload-store.ts';
import type { ArchiveChecks } from '../batch-job/completion/archive-checks.ts';
import type { ArrivalRate } from '../basics/arrival-rate.ts';
import type { JobRecord } from '../batch-job/state/record.ts';
import type { JobCommand, JobReply } from '../batch-job/state/commands.ts';
import type { Repeats } from '../requests/idempotency.ts';
import type { JobModels } from '../requests/request-models.ts';

/** A validated request, independent of HTTP. */
export interface JobRequest extends PipelineRequest {
  readonly media: readonly JobRequestMedium[];
  readonly buildOutput: boolean;
  readonly externalId: string | null;
  /** Without duplicates. Absent: none. */
  readonly labels?: readonly string[];
  readonly jobProperties: Properties;
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  readonly priority: number | undefined;
  /** Absent if the request has no zones. */
  readonly zones?: ZonePlan;
  /** Name of the user who sends the request. */
  readonly user: string;
  readonly owner?: Owner | undefined;
  readonly callback: JobRecord['callback'] | undefined;
  /** Trace that the request belongs to. */
  readonly trace?: JobTrace | undefined;
}
export interface JobRequestMedium {
  readonly uri: string;
  readonly metadata: Properties;
  readonly properties: Properties;
  readonly frameRanges: readonly Range[];
  readonly timeRanges: readonly Range[];
  readonly selectors?: readonly MediaSelector[];
  readonly selectorsOutputAction?: string;
}

export interface JobServiceDeps {
  readonly store: Store;
  readonly catalog: Pick<Catalog, 'batchPlan'>;
  /** Resolves when the catalog includes the changes of other servers. Absent if there are no other servers. */
  readonly readCatalog?: () => Promise<unknown>;
  readonly jobs: Family<JobCommand, JobReply>;
  readonly admission: Family<AdmissionCommand, AdmissionReply>;
  readonly settings: {
    readonly jobIdHost: string;
    readonly siteId: string;
    readonly defaultPriority: number;
    readonly limits: RequestLimits;
    readonly minFreeBytes: number;
    readonly dataDir: string;
    /** Maximum number of characters of a `data:` URI in the store. */
    readonly dataUriLength: number;
    readonly serverProperties: Properties;
    readonly environmentProperties: Properties;
  };
  readonly repeats: Repeats;
  readonly numbers: JobNumbers;
  readonly arrivalRate: Pick<ArrivalRate, 'noteJob'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly archive: ArchiveChecks;
  readonly uploads: Pick<UploadStore, 'keepDuring'>;
  readonly models: JobModels;
  /** True if an administrator drains this server. */
  isDraining(): boolean;
  /** Why a medium cannot be used, as far as this is known without reading it. */
  checkMedium(uri: string): Promise<MediumProblem | undefined>;
}
