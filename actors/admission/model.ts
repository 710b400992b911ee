import type { Map, Set } from 'immutable';
import type { Done, Reply } from '../runtime/machine.ts';
import type { Owner } from '../../domain/users/owner.ts';
import type { ScoreHeap } from './score-heap.ts';

/** Live jobs and jobs that wait for admission. The collections are persistent, so a changed copy is cheap. */
export interface AdmissionState {
  /** Numbers of live jobs. */
  readonly live: Set<number>;
  /** Jobs that wait: the lower the score, the sooner their turn. */
  readonly waiting: Map<number, number>;
  /** The same, the one whose turn is next on top. Whoever no longer waits may still stand in it. */
  readonly turns: ScoreHeap | null;
  /** When jobs came in that the indexes may not know yet: milliseconds since the epoch. */
  readonly entered: Map<number, number>;
}

/** What the indexes of the store say: live jobs, and waiting ones with their scores. */
export interface StoredJobs {
  readonly live: ReadonlySet<number>;
  readonly waiting: ReadonlyMap<number, number>;
}

export type AdmissionCommand =
  /** From the server at start and from reconciliation: compare with the indexes, let in whoever may come. */
  | { readonly type: 'open' }
  /** From admission itself, which has looked at the indexes. */
  | { readonly type: 'looked'; readonly stored: StoredJobs }
  /** From the job service: may a new run begin? The place is taken by the answer. */
  | {
      readonly type: 'enter';
      readonly jobNumber: number;
      readonly priority: number;
      readonly owner?: Owner | undefined;
      /** From admission itself: the job's turn if it has to wait; absent: its number. */
      readonly turn?: number;
    }
  /** From the job service: the priority of a job has changed, which may be waiting. It keeps its turn. */
  | { readonly type: 'prioritize'; readonly jobNumber: number; readonly priority: number }
  /** From a job that has ended, or from the job service when the job was not stored after all. */
  | { readonly type: 'leave'; readonly jobNumber: number };

export type AdmissionEffect =
  /** Look at the indexes; `looked` follows. */
  | { readonly type: 'look' }
  /** Tell a waiting job that its turn has come. */
  | { readonly type: 'admit'; readonly jobNumber: number };

export interface AdmissionTypes {
  readonly state: AdmissionState;
  readonly command: AdmissionCommand;
  readonly effect: AdmissionEffect;
  /** live: the job may begin. waiting: it is told when its turn has come. */
  readonly reply: Done | { readonly kind: 'live' } | { readonly kind: 'waiting'; readonly turn?: number };
  /** As many jobs wait as may. */
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
