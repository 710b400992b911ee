/** What the service answers, as the schemas of its interface say. Types only: the tool checks nothing that the service has checked. */
import type { z } from 'zod';
import type { Sent } from '../http/schemas/sent-type.ts';
import type { actorPage } from '../http/schemas/actors.ts';
import type { component } from '../http/schemas/components.ts';
import type { action, algorithm, pipeline, task } from '../http/schemas/pipelines.ts';
import type { failureGroups } from '../http/schemas/jobs/job-failures.ts';
import type { trackCounts } from '../http/schemas/jobs/job-counts.ts';
import type { lanes, mediaOfJob, trackPage } from '../http/schemas/jobs/job-findings.ts';
import type { detectionDocument } from '../http/schemas/jobs/detection-document.ts';
import type { delivery, deliveryPage } from '../http/schemas/jobs/deliveries.ts';
import type { jobPage, liveIssues } from '../http/schemas/jobs/job-list.ts';
import type {
  allJobsStatistics,
  archiveRepostResponse,
  dryRunResponse,
  jobCreationRequest,
  singleJobInfo,
  waitingFor,
} from '../http/schemas/jobs/batch-jobs.ts';
import type { apiKey, newKey } from '../http/schemas/users/keys.ts';
import type { operation, operationList, operationRequest } from '../http/schemas/jobs/operations.ts';
import type { frameTable, upload } from '../http/schemas/media.ts';
import type { modelList } from '../http/schemas/models.ts';
import type {
  deployedNodeManagerModel,
  nodeConfiguration,
  nodeInfos,
  serviceLog,
} from '../http/schemas/nodes.ts';
import type { auditPage } from '../http/schemas/operation/audit.ts';
import type { drain } from '../http/schemas/operation/drains.ts';
import type { queueInfo } from '../http/schemas/queues.ts';
import type { searchPage } from '../http/schemas/search/search.ts';
import type { duplicateGroups, similarPage } from '../http/schemas/search/similar.ts';
import type { info } from '../http/schemas/service.ts';
import type {
  allStreamingJobs,
  streamingJobCancelResponse,
  streamingJobCreationRequest,
  streamingJobCreationResponse,
  streamingJobInfo,
} from '../http/schemas/streaming-jobs.ts';
import type { browserSession } from '../http/schemas/users/sessions.ts';
import type { usageReport } from '../http/schemas/users/usage.ts';
import type { systemMessage } from '../http/schemas/system-messages.ts';

type Answer<S extends z.ZodType> = Sent<z.output<S>>;

export type ApiKey = Answer<typeof apiKey>;
export type BrowserSession = Answer<typeof browserSession>;
export type NewApiKey = Answer<typeof newKey>;
export type Usage = Answer<typeof usageReport>;
export type ModelList = Answer<typeof modelList>;
export type JobRequest = Sent<z.input<typeof jobCreationRequest>>;
export type JobInfo = Answer<typeof singleJobInfo>;
/** Why a live job does nothing now. */
export type WaitingFor = Answer<typeof waitingFor>;
/** How far a job is: a part of SingleJobInfo, and of the events of a job. */
export type JobProgress = Pick<JobInfo, 'jobProgress' | 'jobStatus' | 'terminal'> & {
  readonly waitingFor?: Pick<WaitingFor, 'reason'> | null | undefined;
};
/** What has gone wrong so far in a job that is under way. */
export type LiveIssues = Answer<typeof liveIssues>;
export type LiveIssue = LiveIssues['errors']['shown'][number];
/** What a job would do. */
export type Plan = Answer<typeof dryRunResponse>;
export type PlannedAction = Plan['pipeline']['tasks'][number]['actions'][number];
export type Uploaded = Answer<typeof upload>;
export type PipelineName = Pick<Pipeline, 'name' | 'description'>;
export type ListedJob = JobPage['jobs'][number];
export type JobPage = Answer<typeof jobPage>;
export type Delivery = Answer<typeof delivery>;
export type DeliveryPage = Answer<typeof deliveryPage>;
/** The media of a job with what was found in them, and the tracks of one. */
export type MediaOfJob = Answer<typeof mediaOfJob>;
export type ViewedMedium = MediaOfJob['media'][number];
export type Lanes = Answer<typeof lanes>;
export type TrackPage = Answer<typeof trackPage>;
export type ViewedTrack = TrackPage['tracks'][number];
export type TrackCounts = Answer<typeof trackCounts>;
export type FrameTable = Answer<typeof frameTable>;
export type SearchPage = Answer<typeof searchPage>;
export type SearchHit = SearchPage['hits'][number];
export type SimilarPage = Answer<typeof similarPage>;
export type DuplicateGroups = Answer<typeof duplicateGroups>;
export type Statistics = Answer<typeof allJobsStatistics>;
export type PipelineStatistics = Statistics['aggregatePipelineStatsMap'][string];
/** One action on many jobs. */
export type OperationRequest = Sent<z.input<typeof operationRequest>>;
export type Operation = Answer<typeof operation>;
export type OperationList = Answer<typeof operationList>;
export type Reposted = Answer<typeof archiveRepostResponse>;

export type StreamRequest = Sent<z.input<typeof streamingJobCreationRequest>>;
export type StreamInfo = Answer<typeof streamingJobInfo>;
export type StreamIds = Answer<typeof allStreamingJobs>;
export type CreatedStream = Answer<typeof streamingJobCreationResponse>;
export type CancelledStream = Answer<typeof streamingJobCancelResponse>;

export type Info = Answer<typeof info>;
/** Failures of all jobs by cause. */
export type FailureGroups = Answer<typeof failureGroups>;
/** A service, node or server that drains. */
export type Drain = Answer<typeof drain>;
/** Who changed what. */
export type AuditPage = Answer<typeof auditPage>;
export type Queue = Answer<typeof queueInfo>;
export type SystemMessage = Answer<typeof systemMessage>;
export type ActorPage = Answer<typeof actorPage>;
export type Actor = ActorPage['actors'][number];

export type NodeManagerModel = Answer<typeof nodeConfiguration>[number];
export type ServiceModel = NodeManagerModel['services'][number];
export type ServiceLog = Answer<typeof serviceLog>;
export type Deployed = Answer<typeof deployedNodeManagerModel>;
export type NodeInfo = Answer<typeof nodeInfos>[number];
export type DeployedService = Deployed['nodeModels'][number];

export type Component = Answer<typeof component>;
export type Pipeline = Answer<typeof pipeline>;
export type Task = Answer<typeof task>;
export type Action = Answer<typeof action>;
export type Algorithm = Answer<typeof algorithm>;

export type DetectionDocument = Answer<typeof detectionDocument>;
export type DocumentMedium = DetectionDocument['media'][number];
export type DocumentTrack = NonNullable<DocumentMedium['output'][string][number]['tracks']>[number];
export type DocumentDetection = DocumentTrack['exemplar'];
/** A copy of a medium into which was drawn what was found. */
export type DocumentMarkup = NonNullable<DocumentMedium['markupResult']>;
