import { streamQueue, streamTasksQueue } from '../../protocol/streams.ts';
import type { WorkItem } from '../../store/ledger.ts';
import { STREAMING_JOB, type StreamingJobRecord, type StreamingJobState } from './state.ts';

/** Returns the only work item of a streaming job: the component of this attempt watches the stream. */
export function streamItem(
  {
    number,
    algorithm,
    actions,
    owner,
  }: Pick<StreamingJobRecord, 'number' | 'algorithm' | 'actions' | 'owner'>,
  { attempt }: Pick<StreamingJobState, 'attempt'>,
): WorkItem {
  return {
    id: `stream.${number}.${attempt}`,
    actor: { kind: STREAMING_JOB, id: String(number) },
    key: '',
    queue: actions === undefined ? streamQueue(algorithm) : streamTasksQueue(algorithm),
    // Live video cannot wait.
    priority: 9,
    kind: 'STREAM',
    attempt,
    share: 0,
    ...owner,
  };
}
