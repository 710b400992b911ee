/** Counters of finished work that actors report, for metrics, since the server started. Actors never wait for them. */
export interface WorkMeter {
  jobEnded(pipeline: string, status: string): void;
  /** A component brought an answer, or a failure, of a sub-job of this queue. */
  subJobEnded(queue: string, outcome: 'done' | 'failed', seconds: number): void;
  countFound(tracks: number, detections: number): void;
}

/** The same of live streams. */
export interface StreamMeter {
  streamEnded(pipeline: string, status: string): void;
  reportEnded(kind: 'health' | 'summary', outcome: 'sent' | 'failed' | 'dropped'): void;
  /** From the time of a frame until the server was told what was found in it. */
  eventCame(seconds: number): void;
}
