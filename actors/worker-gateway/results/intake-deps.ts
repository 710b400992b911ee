/** What taking answers in needs. */
import type { FailureRequest } from '../../../protocol/coded-error.ts';
import type { ResultChecker } from '../../../results/check/check.ts';
import type { SpoolLimits } from '../../../results/spool.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { AnswerFilesDeps } from './answer-files.ts';
import type { Taken } from '../../../protocol/answer-outcome.ts';
import type { AnswerSettlementDeps } from './answer-settlement.ts';

export interface IntakeDeps extends AnswerFilesDeps, AnswerSettlementDeps {
  readonly checker: ResultChecker;
  readonly heartbeatMs: number;
  readonly resultLimits: SpoolLimits;
  /** Takes what goes wrong with live streams. */
  readonly streams: { failed(lease: Lease, failure: FailureRequest): Promise<Taken> };
  /** Takes frames that were made. */
  readonly frames: { answered(lease: Lease, failure?: FailureRequest): Promise<Taken> };
}
