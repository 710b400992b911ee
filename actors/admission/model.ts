import type { Map, Set } from 'immutable';
import type { Done, Reply } from '../runtime/machine.ts';
import type { Owner } from '../../domain/users/owner.ts';
import type { ScoreHeap } from './score-heap.ts';

/** Live jobs and jobs that wait for admission. The collections are persistent, so a changed copy is cheap. */
export interface AdmissionState {
  /** Numbers of live jobs. */
  readonly live: Set<number>;
  /** Waiting jobs with their scores. The lowest score is next. */
  readonly waiting: Map<number, number>;
  /** The same as a heap with the next job on top. It may still contain jobs that no longer wait. */
  readonly turns: ScoreHeap | null;
  /** When jobs entered that may be missing in the indexes, in milliseconds since the epoch. */
  readonly entered: Map<number, number>;
}

/** Jobs in the indexes of the store: live ones, and waiting ones with their scores. */
export interface StoredJobs {
  readonly live: ReadonlySet<number>;
  readonly waiting: ReadonlyMap<number, number>;
}

export type AdmissionCommand =
  /** From the server at start and from reconciliation: compares with the indexes and admits jobs. */
  | { readonly type: 'open' }
  /** From admission itself, with the content of the indexes. */
  | { readonly type: 'looked'; readonly stored: StoredJobs }
  /** From the job service: asks whether a new run may begin. The reply reserves its place. */
  | {
      readonly type: 'enter';
      readonly jobNumber: number;
      readonly priority: number;
      readonly owner?: Owner | undefined;
      /** From admission itself: the job's turn if it has to wait. If absent, its number. */
      readonly turn?: number;
    }
  /** From the job service: the priority of a job that may be waiting has changed. It keeps its turn. */
  | { readonly type: 'prioritize'; readonly jobNumber: number; readonly priority: number }
  /** From a job that has ended, or from the job service if the job could not be stored. */
  | { readonly type: 'leave'; readonly jobNumber: number };

export type AdmissionEffect =
  /** Reads the indexes; `looked` follows. */
  | { readonly type: 'look' }
  /** Tells a waiting job to begin. */
  | { readonly type: 'admit'; readonly jobNumber: number };

export interface AdmissionTypes {
  readonly state: AdmissionState;
  readonly command: AdmissionCommand;
  readonly effect: AdmissionEffect;
  /** live: the job may begin. waiting: the job is told later when it may begin. */
  readonly reply: Done | { readonly kind: 'live' } | { readonly kind: 'waiting'; readonly turn?: number };
  /** The limit of waiting jobs is reached. */
  readonly refusal: 'FULL';
  readonly context: {
    /** Milliseconds since the epoch. */
    readonly at: number;
    readonly maxLive: number;
    readonly maxWaiting: number;
  };
  readonly status: never;
}
export type AdmissionReply = Reply<AdmissionTypes>;
