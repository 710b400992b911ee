/** Sub-jobs that wait for another host. A failed attempt is retried later, and uses no slot until then. */
import type { WorkFailed } from '../state/commands.ts';
import type { DecisionContext } from '../state/context.ts';
import type { SubJobRow } from '../state/state.ts';

/** Maximum number of attempts. */
const ATTEMPTS = 4;

/** Returns the row with the time of its next attempt. Returns undefined if no attempt is left. The pause doubles with each failure. */
export function laterAttempt(
  row: SubJobRow,
  { mayPass, ms }: WorkFailed,
  { at, settings }: Pick<DecisionContext, 'at' | 'settings'>,
): SubJobRow | undefined {
  const { failures = 0, spentMs = 0 } = row.transfer ?? {};
  if (mayPass !== true || failures + 1 >= ATTEMPTS) return undefined;
  const notBefore = at + settings.transferPauseMs * 2 ** failures;
  return { ...row, transfer: { failures: failures + 1, spentMs: spentMs + ms, notBefore } };
}
