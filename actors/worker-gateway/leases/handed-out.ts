/** A sub-job that a component has claimed, and the parts of the server that claiming uses. */
import type { FetchLimits } from '../../../protocol/media-work.ts';
import type { MovedStart } from '../../../results/moved-files.ts';
import type { Store } from '../../../store/store.ts';
import type { SubJobRow } from '../../batch-job/state/state.ts';

export interface AssignmentDeps {
  readonly store: Store;
  readonly heartbeatMs: number;
  readonly dataDir: string;
  /** Limits of the media and results that components may read. */
  readonly fetchLimits: FetchLimits;
  /** Old and current starts of file names, for documents from before the data folder was moved. */
  readonly movedFiles: readonly MovedStart[];
  /** Returns a token of the service, or undefined if there is none. */
  bearer(): Promise<string | undefined>;
}

/** A claimed sub-job. */
export interface Handed {
  readonly jobNumber: string;
  readonly row: SubJobRow;
  readonly token: string;
  /** True if this server has started the component. */
  readonly besideServer: boolean;
}
