import type { Notice, Row } from '../../store/store.ts';
import type { JobEffect } from './effects.ts';
import type { JobState, SubJobRow } from './state.ts';

/** A new state with what is to be stored and done for it. */
export interface Change {
  readonly state: JobState;
  readonly rows: readonly SubJobRow[];
  readonly effects: readonly JobEffect[];
  /** Notices that the job owes from now on, and ids of those that it does not owe any more. */
  readonly notices?: readonly Notice[];
  readonly settled?: readonly string[];
  /** Rows that outlive the end: what is posted to the archive, for a repost. */
  readonly keptRows?: readonly Row[];
  /** The actor goes with all it has. */
  readonly gone?: boolean;
  /** Keys of rows that go. */
  readonly removed?: readonly string[];
  readonly synced?: boolean;
  /** Nothing to store: only effects. */
  readonly silent?: boolean;
}

/** What two changes are together, the second of which follows the first. */
export function oneChange(first: Change, second: Change): Change {
  // The end removes every row: one that is written with it would stay for ever.
  const hasEnded = second.state.stage.name === 'ENDED';
  const rows = new Map([...first.rows, ...second.rows].map((row) => [row.key, row]));
  return {
    ...second,
    rows: hasEnded ? [] : [...rows.values()],
    effects: [...(hasEnded ? [] : first.effects), ...second.effects],
    notices: [...(first.notices ?? []), ...(second.notices ?? [])],
    settled: [...(first.settled ?? []), ...(second.settled ?? [])],
    removed: [...(first.removed ?? []), ...(second.removed ?? [])],
    synced: first.synced === true || second.synced === true,
  };
}
