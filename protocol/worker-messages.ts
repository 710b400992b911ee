/** What workers and the server say to each other of their sub-jobs (HTTP + JSON under /worker/v1). */
import type { FailureRequest } from './coded-error.ts';
import type { Assignment } from './worker-protocol.ts';

/**
 * Header in which a component names its process, so that two processes with tokens of one client are two owners of leases: letters,
 * digits and `._:-`, at most 100.
 */
export const INSTANCE_HEADER = 'troupe-instance';

export const INSTANCE = /^[\w.:-]{1,100}$/;

/**
 * Header, or trailer, of a result that is sent alone: milliseconds of CPU time that the process of the component used for it, of all cores
 * together.
 */
export const CPU_HEADER = 'troupe-cpu-ms';

/** POST /worker/v1/claim; the query `claim` of a result asks for one more sub-job in the same way. */
export interface ClaimRequest {
  readonly algorithms: readonly string[];
  /** At most this many sub-jobs in the answer (1 to 64). */
  readonly max?: number;
  /** Long poll: wait up to so many milliseconds (0 to 25,000) for work. */
  readonly waitMs?: number;
  /**
   * The component does one sub-job after the other, and what it beats for one of them goes for all. When it dies with several of them, none
   * counts as an attempt, and each is handed out alone from then on. Of many that wait it gets no more than half.
   */
  readonly inTurn?: boolean;
}

export interface ClaimAnswer {
  readonly work: readonly Assignment[];
}

/** PUT /worker/v1/leases/{token}/files/{name}: where the file lies on the server, by which the answer names it. */
export interface StoredFile {
  readonly path: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** POST /worker/v1/leases/{token}/heartbeat. `done` counts frames, items or tracks so far; it must grow for progress. */
export interface HeartbeatRequest {
  readonly done?: number;
  readonly total?: number;
}

export interface HeartbeatAnswer {
  readonly go: 'on' | 'cancelled';
}

/** POST /worker/v1/answers: to several sub-jobs that were claimed `inTurn`. `max` above 0 claims more work in the same way, without waiting. */
export interface AnswersRequest {
  readonly answers: readonly SubJobAnswer[];
  readonly algorithms?: readonly string[];
  readonly max?: number;
}

export interface SubJobAnswer {
  readonly token: string;
  /** Milliseconds that the component worked on it. */
  readonly ms?: number;
  /** Milliseconds of CPU time that its process used for it, of all cores together; absent: not measured. */
  readonly cpuMs?: number | undefined;
  /** The lines of its result; else it failed; with neither it is given back, and work on it has not begun. */
  readonly lines?: string | undefined;
  readonly failure?: FailureRequest | undefined;
}

export interface AnswersAnswer extends ClaimAnswer {
  /** In the order of the answers: null when it is taken, else why not. */
  readonly refused: readonly (string | null)[];
}

/** Sub-jobs that are claimed, or answered, in one message. */
export const MOST_IN_TURN = 64;
