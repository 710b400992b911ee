import { Counter, Gauge, type Registry } from 'prom-client';
import { isEnded, STREAMING_STATUSES } from '../../actors/streaming-job/state.ts';
import type { StreamFigures } from '../../actors/views/metrics.ts';
import type { StreamCounts } from '../../protocol/streams.ts';

const STATUSES = STREAMING_STATUSES.filter((status) => !isEnded(status));

/** Metrics of live streaming jobs. Metrics with the label of a job disappear when it ends. */
export function describeStreams(registry: Registry, streams: readonly StreamFigures[]): void {
  const jobs = new Gauge({
    name: 'troupe_streaming_jobs',
    help: 'Streaming jobs that have not ended',
    labelNames: ['status'],
    registers: [registry],
  });
  for (const status of STATUSES)
    jobs.set({ status }, streams.filter((stream) => stream.status === status).length);
  for (const [name, [metric, help]] of Object.entries(COUNTS)) {
    // The label is not `job`, because Prometheus uses this label for the scraped target.
    const labelNames = ['streaming_job', 'pipeline'];
    const counter = new Counter({ name: metric, help, labelNames, registers: [registry] });
    for (const { job, pipeline, counts } of streams)
      counter.inc({ streaming_job: job, pipeline }, counts[name as keyof StreamCounts]);
  }
}

const COUNTS: Readonly<Record<keyof StreamCounts, readonly [name: string, help: string]>> = {
  read: ['troupe_stream_frames_read_total', 'Frames that were decoded'],
  processed: ['troupe_stream_frames_processed_total', 'Frames that the detector processed'],
  dropped: ['troupe_stream_frames_dropped_total', 'Frames that were dropped because the detector was busy'],
  skipped: ['troupe_stream_frames_skipped_total', 'Frames that MOTION_GATE skipped'],
  reconnects: ['troupe_stream_reconnects_total', 'Reconnections to live streams after a failure'],
};
