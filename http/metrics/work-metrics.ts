import { Counter, Histogram, Registry } from 'prom-client';
import type { StreamMeter, WorkMeter } from '../../actors/basics/meter.ts';

/** Upper bounds of the duration buckets: seconds. A sub-job may take hours. */
const DURATIONS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400];
/** Upper bounds of the delay buckets: seconds. Longer delays come from components that were disconnected for a while. */
const DELAYS = [0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10, 30];
/** Maximum number of pipelines and queues with metrics of their own. Clients can create any number of names. */
const MAX_NAMES = 200;
const OTHERS = 'OTHER';

/** Metrics of the work since the server started. */
export class WorkMetrics implements WorkMeter, StreamMeter {
  readonly registry = new Registry();
  readonly #pipelines = new Names();
  readonly #queues = new Names();
  readonly #jobs = new Counter({
    name: 'troupe_jobs_ended_total',
    help: 'Jobs that have ended',
    labelNames: ['pipeline', 'status'],
    registers: [this.registry],
  });
  readonly #subJobs = new Histogram({
    name: 'troupe_sub_job_duration_seconds',
    help: 'Time from the lease of a sub-job to its result',
    labelNames: ['algorithm', 'outcome'],
    buckets: DURATIONS,
    registers: [this.registry],
  });
  readonly #tracks = new Counter({
    name: 'troupe_tracks_total',
    help: 'Tracks that were found and kept',
    registers: [this.registry],
  });
  readonly #detections = new Counter({
    name: 'troupe_detections_total',
    help: 'Detections of the tracks that were found and kept',
    registers: [this.registry],
  });

  readonly #streams = new Counter({
    name: 'troupe_streaming_jobs_ended_total',
    help: 'Streaming jobs that have ended',
    labelNames: ['pipeline', 'status'],
    registers: [this.registry],
  });
  readonly #reports = new Counter({
    name: 'troupe_stream_reports_total',
    help: 'Reports that were sent, failed, or were dropped',
    labelNames: ['kind', 'outcome'],
    registers: [this.registry],
  });
  readonly #delays = new Histogram({
    name: 'troupe_stream_event_delay_seconds',
    help: 'Time from a frame of a live stream to the event of a track in it',
    buckets: DELAYS,
    registers: [this.registry],
  });

  jobEnded(pipeline: string, status: string): void {
    this.#jobs.inc({ pipeline: this.#pipelines.of(pipeline), status });
  }

  subJobEnded(queue: string, outcome: 'done' | 'failed', seconds: number): void {
    this.#subJobs.observe({ algorithm: this.#queues.of(queue), outcome }, seconds);
  }

  countFound(tracks: number, detections: number): void {
    this.#tracks.inc(tracks);
    this.#detections.inc(detections);
  }

  streamEnded(pipeline: string, status: string): void {
    this.#streams.inc({ pipeline: this.#pipelines.of(pipeline), status });
  }

  reportEnded(kind: 'health' | 'summary', outcome: 'sent' | 'failed' | 'dropped'): void {
    this.#reports.inc({ kind, outcome });
  }

  eventCame(seconds: number): void {
    this.#delays.observe(seconds);
  }
}

/** Labels for names. The first MAX_NAMES names keep their label, all others share OTHER. */
class Names {
  readonly #known = new Set<string>();

  of(name: string): string {
    if (this.#known.size < MAX_NAMES) this.#known.add(name);
    return this.#known.has(name) ? name : OTHERS;
  }
}
