import type { Operation } from '../openapi/operation.ts';
import { actorOperations } from './actors.ts';
import { backupOperations } from './backup.ts';
import { batchJobOperations } from './batch-jobs.ts';
import { componentOperations, pipelineOperations } from './catalog.ts';
import { jobListOperations } from './job-list.ts';
import { mediaOperations } from './media.ts';
import { nodeOperations } from './nodes.ts';
import { metricsOperations } from './metrics.ts';
import { queueOperations } from './queues.ts';
import { serviceOperations } from './service.ts';
import { streamingJobOperations } from './streaming-jobs.ts';
import { systemMessageOperations } from './system-messages.ts';
import { workerProtocolOperations } from './worker-protocol.ts';

/** Every operation of the server: one list a file of routes, in the order of the specification's chapters. */
export const operations: readonly Operation[] = [
  ...serviceOperations,
  ...metricsOperations,
  ...backupOperations,
  ...actorOperations,
  ...batchJobOperations,
  ...jobListOperations,
  ...mediaOperations,
  ...nodeOperations,
  ...streamingJobOperations,
  ...systemMessageOperations,
  ...componentOperations,
  ...pipelineOperations,
  ...queueOperations,
  ...workerProtocolOperations,
];

/** The groups in which a reader finds them. */
export const tags = [
  { name: 'Service', description: 'The service itself: version, health, this document' },
  { name: 'Batch jobs', description: 'Run a pipeline over media and get what it found' },
  { name: 'Media', description: 'Upload media, when the service cannot reach them' },
  { name: 'Nodes and services', description: 'What runs where' },
  { name: 'Streaming jobs', description: 'Run a pipeline over a live stream' },
  { name: 'System messages', description: 'What the users of the service are told' },
  { name: 'Components', description: 'What finds things in media' },
  { name: 'Pipelines', description: 'Pipelines, tasks, actions and algorithms' },
  { name: 'Queues', description: 'What waits for components' },
  { name: 'Worker protocol', description: 'How components claim work and answer it' },
] as const;
