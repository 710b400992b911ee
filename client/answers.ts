/** Types of answers with the names of this package, and types of parts of answers. */
import type {
  ActorInfo,
  AggregatePipelineStatsModel,
  AllJobsStatisticsModel,
  AllStreamingJobsInfoModel,
  ArchiveRepostResponse,
  DeployedNodeManagerModel,
  DeployedServiceModel,
  Detection,
  DetectionMedium,
  DetectionOutputObject,
  DryRunResponse,
  FailureGroup,
  InfoModel,
  JobCreationRequest,
  LiveIssues,
  Pipeline,
  QueueInfo,
  RemainingTime,
  SingleJobInfo,
  StreamEventList,
  StreamingJobCancelResponse,
  StreamingJobCreationRequest,
  StreamingJobRestartRequest,
  StreamingJobCreationResponse,
  StreamingJobInfo,
  StreamRecordingList,
  Track,
  TrackPage,
  UploadedMedium,
  UsageReport,
  WaitingFor,
} from './rest-types.ts';

export type * from './rest-types.ts';

export type Usage = UsageReport;
export type JobRequest = JobCreationRequest;
export type JobInfo = SingleJobInfo;
export type Plan = DryRunResponse;
export type Uploaded = UploadedMedium;
export type Statistics = AllJobsStatisticsModel;
export type PipelineStatistics = AggregatePipelineStatsModel;
export type Reposted = ArchiveRepostResponse;
export type StreamRequest = StreamingJobCreationRequest;
export type StreamChanges = StreamingJobRestartRequest;
export type StreamInfo = StreamingJobInfo;
export type ZoneEventList = StreamEventList;
export type RecordingList = StreamRecordingList;
export type StreamIds = AllStreamingJobsInfoModel;
export type CreatedStream = StreamingJobCreationResponse;
export type CancelledStream = StreamingJobCancelResponse;
export type Info = InfoModel;
export type Queue = QueueInfo;
export type Actor = ActorInfo;
export type Deployed = DeployedNodeManagerModel;
export type DeployedService = DeployedServiceModel;
export type DetectionDocument = DetectionOutputObject;
export type DocumentMedium = DetectionMedium;
export type DocumentTrack = Track;
export type DocumentDetection = Detection;
/** Progress of a job: a part of SingleJobInfo, and of the events of a job. */
export type JobProgress = Pick<SingleJobInfo, 'jobProgress' | 'jobStatus' | 'terminal'> & {
  readonly waitingFor?: Pick<WaitingFor, 'reason'> | null | undefined;
};
/** An event of a job. */
export type JobEvent = Pick<SingleJobInfo, 'jobId' | 'jobProgress' | 'jobStatus' | 'terminal'> & {
  readonly stage: 'WAITING' | 'PREPARE' | 'CHECK' | 'TASK' | 'DOCUMENT' | 'ENDED';
  /** The current task, or null. `number`: from 1. */
  readonly task: { readonly name: string; readonly number: number; readonly of: number } | null;
  readonly waitingFor: WaitingFor | null;
  readonly remaining: RemainingTime | null;
};
export type LiveIssue = LiveIssues['errors']['shown'][number];
export type ViewedTrack = TrackPage['tracks'][number];
export type PlannedAction = DryRunResponse['pipeline']['tasks'][number]['actions'][number];
export type PipelineName = Pick<Pipeline, 'name' | 'description'>;
/** Failures of all jobs by cause. */
export type FailureGroups = readonly FailureGroup[];
/** A copy of a medium with its detections drawn into it. */
export type DocumentMarkup = NonNullable<DetectionMedium['markupResult']>;
