/** Claims of live streams, between the worker protocol, the work ledger and the streaming jobs. */
import type { StreamAssignment } from '../../../protocol/worker-protocol.ts';
import type { Lease } from '../../../store/ledger.ts';
import { storedStream } from '../../streaming-job/stored-stream.ts';
import { streamAssignment, type StreamSettings } from './stream-assignment.ts';
import { StreamCounters } from './stream-counters.ts';
import { StreamIntake } from './stream-intake.ts';
import type { StreamIntakeDeps } from './stream-intake-deps.ts';

export interface StreamGatewayDeps extends Omit<StreamIntakeDeps, 'counters'> {
  readonly settings: StreamSettings;
}

export class StreamGateway {
  /** Counts of frames since the server started. */
  readonly counters = new StreamCounters();
  /** Handles reports of components. */
  readonly intake: StreamIntake;
  readonly #deps: StreamGatewayDeps;

  constructor(deps: StreamGatewayDeps) {
    this.#deps = deps;
    this.intake = new StreamIntake({ ...deps, counters: this.counters });
  }

  /** Returns the work of the component that has claimed a stream. Returns undefined if the work is no longer needed. */
  async assignment(lease: Lease): Promise<StreamAssignment | undefined> {
    const { item } = lease;
    const { store, settings, streamingJobs, live } = this.#deps;
    const job = await storedStream(store, Number(item.actor.id));
    if (job === undefined || job.state.attempt !== item.attempt) return undefined;
    // From here on, another component watches the frames.
    if (job.state.opened) await streamingJobs.ask(item.actor.id, { type: 'claimed', attempt: item.attempt });
    const { number } = job.record;
    this.counters.begins(number, item.attempt);
    live.begins(number);
    return streamAssignment(lease, job, settings);
  }
}
