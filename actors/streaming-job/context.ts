import type { Outcome, Reply } from '../runtime/machine.ts';
import type { StreamingJobCommand, StreamingJobRefusal } from './commands.ts';
import type { StreamingJobEffect } from './effects.ts';
import type { StreamingJobRecord, StreamingJobState, StreamingStatus } from './state.ts';

export interface StreamingJobRules {
  /** Maximum number of components in a row that end without a segment. */
  readonly attempts: number;
  /** Pauses before another component is requested, in milliseconds. Each pause doubles, from the first up to the longest. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** BASE_URL without a slash at its end, for links in notices. Undefined if it is not set. */
  readonly baseUrl?: string | undefined;
}

export interface StreamingJobContext {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly record: StreamingJobRecord;
  readonly rules: StreamingJobRules;
}

export interface StreamingJobTypes {
  readonly state: StreamingJobState;
  readonly command: StreamingJobCommand;
  readonly effect: StreamingJobEffect;
  readonly reply: never;
  readonly refusal: StreamingJobRefusal;
  readonly context: StreamingJobContext;
  /** NONE: there is no such job. */
  readonly status: StreamingStatus | 'NONE';
}
export type StreamingJobReply = Reply<StreamingJobTypes>;
/** The result of a command: the change of the job. */
export type Change = Outcome<StreamingJobTypes>;
