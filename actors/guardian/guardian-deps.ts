import type { Logger } from '../../config/logger.ts';
import type { Settings } from '../../config/settings.ts';
import type { Traces } from '../../domain/job/trace.ts';
import type { ArchiveFinding, ArchiveQuestion, Issue, Properties } from '../../domain/types.ts';
import type { Send } from '../../egress/request.ts';
import type { FetchLimits } from '../../protocol/media-work.ts';
import type { ResultChecker } from '../../results/check/check.ts';
import type { MovedStart } from '../../results/moved-files.ts';
import type { ClusterLocks } from '../../store/cluster-locks.ts';
import type { SearchIndex } from '../../store/search.ts';
import type { Owner, Store } from '../../store/store.ts';
import type { FindModel } from '../requests/request-models.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ManagedComponent } from '../node-manager/components.ts';
import type { PauseBook } from '../pauses/pause-book.ts';
import type { JobNumbers } from '../requests/job-numbers.ts';
import type { ActorSystem } from '../runtime/system.ts';
import type { SystemMessageService } from '../system-messages/service.ts';
import type { UploadStore } from '../uploads/upload-store.ts';
import type { StreamMeter, WorkMeter } from '../basics/meter.ts';

/** The parts of the server that its actors use. */
export interface GuardianDeps {
  readonly system: ActorSystem;
  readonly store: Store;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly checker: ResultChecker;
  readonly catalog: Catalog;
  readonly serverProperties: Properties;
  /** Installed detectors: the services of the initial node configuration. */
  readonly components: readonly ManagedComponent[];
  /** Components of the server itself, which are in no node configuration. */
  readonly own: readonly ManagedComponent[];
  /** What `${TROUPE_NODE}` and `${TROUPE_HOME}` stand for in a node configuration. */
  readonly places: Readonly<Record<'TROUPE_NODE' | 'TROUPE_HOME', string>>;
  readonly fetchLimits: FetchLimits;
  /** DATA_DIR without symbolic links. */
  readonly realDataDir: string;
  /** What documents of before a move of the data folder call their files, and what these are called today. */
  readonly movedFiles: readonly MovedStart[];
  /** Keeps uploads from being removed while a job that uses them comes in. */
  readonly uploads: Pick<UploadStore, 'keepDuring'>;
  /** Random at each start: tells this server from every other one, and from itself before a restart. */
  readonly serverId: string;
  /** No other server works on the same store. */
  readonly alone: boolean;
  /** Those that do; absent: there are none. */
  readonly cluster: Pick<Cluster, 'order' | 'onOrder' | 'servers'> | undefined;
  /** What one of all servers does. */
  readonly locks: ClusterLocks;
  /** Number of this start; higher than that of every earlier one. */
  readonly epoch: number;
  /** What jobs found, to be searched; absent: it is not. */
  readonly searchIndex?: SearchIndex;
  /** Counts work as it gets done. */
  readonly meter: WorkMeter & StreamMeter;
  /** Version of the product. */
  readonly version: string;
  /** Absent: no spans are reported. */
  readonly traces?: Traces | undefined;
  /** Sends callbacks and archive posts. */
  readonly send: Send;
  /** Asks archives for an earlier job like this one. */
  askArchive(question: ArchiveQuestion): Promise<ArchiveFinding>;
  /** How clients reach the server, without a slash at its end. */
  readonly url: string;
  serverUrl(): string;
  /** A token of the service; undefined when there is none to be had. */
  bearer(): Promise<string | undefined>;
  /** Algorithms whose components can watch a stream in one process. */
  readonly together: ReadonlySet<string>;
  /** Model files of this host. */
  readonly findModel: FindModel;
  checkMedium(uri: string): Promise<Issue | undefined>;
  localPath(uri: string): Promise<string | undefined>;
}

/** The same, with what all of them share. */
export interface Foundation extends GuardianDeps {
  /** Tells the administrators of whatever is put into quarantine. */
  readonly store: Store;
  /** Who commits: this server, by the number of its start. */
  readonly owner: Owner;
  readonly systemMessages: SystemMessageService;
  readonly numbers: JobNumbers;
  /** What operators have paused. */
  readonly pauseBook: PauseBook;
}
