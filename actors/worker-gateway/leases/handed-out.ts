/** A sub-job that a component has claimed, and the parts of the server that claiming uses. */
import type { FetchLimits } from '../../../protocol/media-work.ts';
import type { MovedStart } from '../../../results/moved-files.ts';
import type { Store } from '../../../store/store.ts';
import type { SubJobRow } from '../../batch-job/state/state.ts';

export interface AssignmentDeps {
  readonly store: Store;
  readonly heartbeatMs: number;
  readonly dataDir: string;
  /** Which media and results components may read. */
  readonly fetchLimits: FetchLimits;
  /** What documents of before a move of the data folder call their files, and what these are called today. */
  readonly movedFiles: readonly MovedStart[];
  /** A token of the service; undefined when there is none to be had. */
  bearer(): Promise<string | undefined>;
}

/** A sub-job that is handed out. */
export interface Handed {
  readonly jobNumber: string;
  readonly row: SubJobRow;
  readonly token: string;
  /** To a component that this server has started. */
  readonly besideServer: boolean;
}
