import type { Endpoint } from '../steps/endpoint.ts';
import type { JobGuard } from '../users/job-step.ts';
import { administrationEndpoints, type AdministrationDeps } from './administration.ts';
import { batchJobEndpoints, type BatchJobDeps } from './jobs/batch-jobs.ts';
import { componentEndpoints, type CatalogDeps } from './components.ts';
import { zoneRunEndpoints } from './zone-runs.ts';
import { streamZoneEndpoints, type StreamZoneDeps } from './stream-zones.ts';
import { deliveryEndpoints, type DeliveryDeps } from './jobs/deliveries.ts';
import { countEndpoints } from './jobs/job-counts.ts';
import { foundEndpoints, type FoundDeps } from './jobs/job-findings.ts';
import { failureEndpoints, type FailureDeps } from './jobs/job-failures.ts';
import { jobEventEndpoints, type JobEventDeps } from './jobs/job-events.ts';
import { jobFileEndpoints, type JobFileDeps } from './jobs/job-files.ts';
import { jobFrameEndpoints, type JobFrameDeps } from './jobs/job-frames.ts';
import { jobListEndpoints, type JobListDeps } from './jobs/job-list.ts';
import { joinedExportEndpoints } from './jobs/joined-exports.ts';
import { jobRetryEndpoints, type JobRetryDeps } from './jobs/job-retry.ts';
import { keyEndpoints, type KeyDeps } from './users/keys.ts';
import { savedSearchEndpoints, type SavedSearchDeps } from './users/saved-searches.ts';
import { sessionEndpoints, type SessionDeps } from './users/sessions.ts';
import { mediaEndpoints, type MediaDeps } from './media.ts';
import { pieceUploadEndpoints } from './piece-uploads.ts';
import { modelEndpoints, type ModelDeps } from './models.ts';
import { nodeClassEndpoints } from './operation/node-classes.ts';
import { nodeSyncEndpoints } from './node-sync.ts';
import { nodeEndpoints, type NodeDeps } from './nodes.ts';
import { operationEndpoints, type OperationEndpointDeps } from './jobs/operations.ts';
import { pipelineEndpoints } from './pipelines.ts';
import { libraryEndpoints } from './search/library.ts';
import { auditEndpoints, type AuditDeps } from './operation/audit.ts';
import { drainEndpoints, type DrainDeps } from './operation/drains.ts';
import { queueChangeEndpoints, queueEndpoints, type QueueDeps } from './queues.ts';
import type { PictureDeps } from './search/like-picture.ts';
import { searchEndpoints, type SearchDeps } from './search/search.ts';
import { similarEndpoints } from './search/similar.ts';
import { peopleEndpoints, type PeopleDeps } from './search/people.ts';
import { serviceLogEndpoint } from './service-log.ts';
import { selfEndpoints, serviceEndpoints, type ServiceDeps } from './service.ts';
import { streamingJobEndpoints, type StreamingJobDeps } from './streaming-jobs.ts';
import { streamPipelineEndpoints } from './streams/stream-pipelines.ts';
import { streamRestartEndpoints } from './streams/restart.ts';
import { streamRecordingEndpoints, type StreamRecordingDeps } from './streams/recordings.ts';
import { systemMessageEndpoints, type SystemMessageDeps } from './system-messages.ts';
import { usageEndpoints, type UsageDeps } from './users/usage.ts';
import { workerFileEndpoints, type WorkerFileDeps } from './worker/worker-files.ts';
import { workerProtocolEndpoints, type WorkerProtocolDeps } from './worker/worker-protocol.ts';
import { workerStreamEndpoints, type WorkerStreamDeps } from './worker/worker-streams.ts';

/** All parts of the server that the endpoints need. */
export interface EndpointDeps
  extends
    ServiceDeps,
    AdministrationDeps,
    BatchJobDeps,
    JobRetryDeps,
    JobListDeps,
    FailureDeps,
    DrainDeps,
    AuditDeps,
    DeliveryDeps,
    JobEventDeps,
    JobFileDeps,
    FoundDeps,
    JobFrameDeps,
    KeyDeps,
    SessionDeps,
    SavedSearchDeps,
    UsageDeps,
    OperationEndpointDeps,
    MediaDeps,
    ModelDeps,
    StreamingJobDeps,
    StreamZoneDeps,
    StreamRecordingDeps,
    NodeDeps,
    SystemMessageDeps,
    CatalogDeps,
    QueueDeps,
    SearchDeps,
    PictureDeps,
    PeopleDeps,
    WorkerProtocolDeps,
    WorkerFileDeps,
    WorkerStreamDeps,
    JobGuard {}

/** Every endpoint of the server. Those of the specification are first, in the order of its chapter 4. */
export const endpoints: readonly Endpoint<EndpointDeps>[] = [
  ...serviceEndpoints,
  ...batchJobEndpoints,
  ...streamingJobEndpoints,
  ...streamRestartEndpoints,
  ...streamPipelineEndpoints,
  ...streamZoneEndpoints,
  ...streamRecordingEndpoints,
  ...nodeEndpoints,
  ...nodeClassEndpoints,
  ...systemMessageEndpoints,
  ...componentEndpoints,
  ...pipelineEndpoints,
  ...queueEndpoints,
  ...jobRetryEndpoints,
  ...jobListEndpoints,
  ...joinedExportEndpoints,
  ...failureEndpoints,
  ...queueChangeEndpoints,
  ...drainEndpoints,
  ...deliveryEndpoints,
  ...jobEventEndpoints,
  ...jobFileEndpoints,
  ...foundEndpoints,
  ...countEndpoints,
  ...zoneRunEndpoints,
  ...jobFrameEndpoints,
  ...operationEndpoints,
  ...searchEndpoints,
  ...similarEndpoints,
  ...savedSearchEndpoints,
  ...libraryEndpoints,
  ...peopleEndpoints,
  ...mediaEndpoints,
  ...pieceUploadEndpoints,
  ...modelEndpoints,
  ...keyEndpoints,
  ...sessionEndpoints,
  ...usageEndpoints,
  ...selfEndpoints,
  ...administrationEndpoints,
  ...auditEndpoints,
  serviceLogEndpoint,
  ...workerProtocolEndpoints,
  ...workerFileEndpoints,
  ...workerStreamEndpoints,
  ...nodeSyncEndpoints,
];

/** Groups (OpenAPI tags) of the endpoints. */
export const tags = [
  { name: 'Service', description: 'The service itself: version, health, this document' },
  { name: 'Batch jobs', description: 'Run a pipeline over media and get the results' },
  { name: 'Operations', description: 'Apply an action to many jobs at once' },
  { name: 'Callbacks', description: 'How callbacks of jobs are delivered' },
  { name: 'Files of jobs', description: 'Media of jobs and files created from them' },
  { name: 'Search', description: 'Search the results of all jobs' },
  { name: 'People', description: 'Faces that look like one person' },
  { name: 'Media', description: 'Upload media, when the service cannot reach them' },
  { name: 'Nodes and services', description: 'Hosts and the services that they run' },
  { name: 'Streaming jobs', description: 'Run a pipeline over a live stream' },
  { name: 'System messages', description: 'Messages to the users of the service' },
  { name: 'Components', description: 'Programs that run the algorithms' },
  { name: 'Pipelines', description: 'Pipelines, tasks, actions and algorithms' },
  { name: 'Queues', description: 'Pending sub-jobs of each algorithm' },
  { name: 'API keys', description: 'Keys with which scripts act as a user' },
  { name: 'Sessions', description: 'Browsers that are logged in' },
  { name: 'Worker protocol', description: 'How components claim work and answer it' },
  { name: 'Nodes on other hosts', description: 'How nodes on other hosts synchronize with the server' },
] as const;
