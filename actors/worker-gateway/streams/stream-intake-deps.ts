/** Parts of the server that the intake of live streams uses. */
import type { ResultChecker } from '../../../results/check/check.ts';
import type { SpoolLimits } from '../../../results/spool.ts';
import type { Store } from '../../../store/store.ts';
import type { Clock } from '../../basics/clock.ts';
import type { StreamMeter } from '../../basics/meter.ts';
import type { Family } from '../../runtime/system.ts';
import type { StreamingJobCommand } from '../../streaming-job/commands.ts';
import type { StreamingJobReply } from '../../streaming-job/context.ts';
import type { LiveStreams } from '../../streaming-job/live.ts';
import type { RecordingStore } from '../../streaming-job/recordings/recording-store.ts';
import type { StreamCounters } from './stream-counters.ts';

export interface StreamIntakeDeps {
  readonly store: Store;
  readonly streamingJobs: Family<StreamingJobCommand, StreamingJobReply>;
  readonly checker: ResultChecker;
  readonly live: LiveStreams;
  readonly meter: Pick<StreamMeter, 'eventCame'>;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly resultLimits: SpoolLimits;
  readonly settings: { readonly maxPictureBytes: number };
  readonly counters: StreamCounters;
  readonly recordings: Pick<RecordingStore, 'accept'>;
  /** True if tracks of segments are stored for the search. */
  readonly searchesStreams: boolean;
  /** Called when the process of this worker has finished its work. */
  rest(worker: string): void;
}
