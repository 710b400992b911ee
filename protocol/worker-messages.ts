/** Messages between workers and the server about sub-jobs (HTTP + JSON under /worker/v1). */
import type { FailureRequest } from './coded-error.ts';
import type { Assignment } from './worker-protocol.ts';

/**
 * Header in which a component names its process: letters, digits and `._:-`, at most 100. So two processes with tokens of one client are
 * two owners of leases.
 */
export const INSTANCE_HEADER = 'troupe-instance';

export const INSTANCE = /^[\w.:-]{1,100}$/;

/** Header, or trailer, of a single result: CPU time in milliseconds that the component's process used for it, of all cores together. */
export const CPU_HEADER = 'troupe-cpu-ms';

/** POST /worker/v1/claim. The query `claim` of a result claims one more sub-job in the same way. */
export interface ClaimRequest {
  readonly algorithms: readonly string[];
  /** At most this many sub-jobs in the answer (1 to 64). */
  readonly max?: number;
  /** Long poll: waits at most this many milliseconds (0 to 25,000) for work. */
  readonly waitMs?: number;
  /**
   * True if the component does one sub-job after the other, so a heartbeat for one counts for all. If it dies with several of them, none
   * counts as an attempt, and each is handed out alone from then on. It gets at most half of many waiting sub-jobs.
   */
  readonly inTurn?: boolean;
}

export interface ClaimAnswer {
  readonly work: readonly Assignment[];
}

/** PUT /worker/v1/leases/{token}/files/{name}: path of the file on the server, which the answer contains. */
export interface StoredFile {
  readonly path: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** POST /worker/v1/leases/{token}/heartbeat. `done` counts processed frames, items or tracks. It must grow to count as progress. */
export interface HeartbeatRequest {
  readonly done?: number;
  readonly total?: number;
}

export interface HeartbeatAnswer {
  readonly go: 'on' | 'cancelled';
}

/**
 * POST /worker/v1/answers: answers to several sub-jobs that were claimed `inTurn`. `max` above 0 claims more work in the same way, without
 * waiting.
 */
export interface AnswersRequest {
  readonly answers: readonly SubJobAnswer[];
  readonly algorithms?: readonly string[];
  readonly max?: number;
}

export interface SubJobAnswer {
  readonly token: string;
  /** Milliseconds that the component worked on it. */
  readonly ms?: number;
  /** CPU time in milliseconds that its process used for it, of all cores together. Absent: not measured. */
  readonly cpuMs?: number | undefined;
  /** The lines of its result. Absent: it failed with `failure`. If both are absent, it is returned, and work on it has not begun. */
  readonly lines?: string | undefined;
  readonly failure?: FailureRequest | undefined;
}

export interface AnswersAnswer extends ClaimAnswer {
  /** In the order of the answers: null if accepted, otherwise the reason. */
  readonly refused: readonly (string | null)[];
}

/** Maximum number of sub-jobs that are claimed, or answered, in one message. */
export const MOST_IN_TURN = 64;
