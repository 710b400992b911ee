/** Counts finished work since the server started, for metrics. Actors never wait for it. */
export interface WorkMeter {
  jobEnded(pipeline: string, status: string): void;
  /** A component has reported a result or a failure of a sub-job of this queue. */
  subJobEnded(queue: string, outcome: 'done' | 'failed', seconds: number): void;
  countFound(tracks: number, detections: number): void;
}

/** The same for live streams. */
export interface StreamMeter {
  streamEnded(pipeline: string, status: string): void;
  reportEnded(kind: 'health' | 'summary', outcome: 'sent' | 'failed' | 'dropped'): void;
  /** @param seconds from the time of a frame until its findings reached the server */
  eventCame(seconds: number): void;
}
