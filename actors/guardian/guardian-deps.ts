import type { Logger } from '../../config/logger.ts';
import type { Settings } from '../../config/settings.ts';
import type { Traces } from '../../domain/job/trace.ts';
import type { ArchiveFinding, ArchiveQuestion, Issue, Properties } from '../../domain/types.ts';
import type { Send } from '../../egress/request.ts';
import type { OpenPresence } from '../../protocol/mqtt-message.ts';
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
  /** Components of the server itself, which are not in a node configuration. */
  readonly own: readonly ManagedComponent[];
  /** Values of `${TROUPE_NODE}` and `${TROUPE_HOME}` in a node configuration. */
  readonly places: Readonly<Record<'TROUPE_NODE' | 'TROUPE_HOME', string>>;
  readonly fetchLimits: FetchLimits;
  /** DATA_DIR without symbolic links. */
  readonly realDataDir: string;
  /** Start of file paths in documents from before a move of the data folder, with today's start. */
  readonly movedFiles: readonly MovedStart[];
  /** Protects uploads from deletion while a job that uses them is created. */
  readonly uploads: Pick<UploadStore, 'keepDuring'>;
  /** Random at each start. Distinguishes this server from others, and from itself before a restart. */
  readonly serverId: string;
  /** True if no other server uses the same store. */
  readonly alone: boolean;
  /** The servers that use the same store; absent if this server is alone. */
  readonly cluster: Pick<Cluster, 'order' | 'onOrder' | 'servers'> | undefined;
  /** Locks for work that one server does for all. */
  readonly locks: ClusterLocks;
  /** Number of this start. It is higher than that of every earlier start. */
  readonly epoch: number;
  /** Index of all findings for the search; absent if the search is off. */
  readonly searchIndex?: SearchIndex;
  /** Counts finished work. */
  readonly meter: WorkMeter & StreamMeter;
  /** Version of the product. */
  readonly version: string;
  /** Absent if no spans are reported. */
  readonly traces?: Traces | undefined;
  /** Sends callbacks and archive posts. */
  readonly send: Send;
  /** Shows on a broker that a stream is analyzed. */
  readonly present: OpenPresence;
  /** Asks an archive for an earlier job like this one. */
  askArchive(question: ArchiveQuestion): Promise<ArchiveFinding>;
  /** URL of the server for clients, without a trailing slash. */
  readonly url: string;
  serverUrl(): string;
  /** Returns a token of the service, or undefined if there is none. */
  bearer(): Promise<string | undefined>;
  /** Algorithms whose components can watch a stream in one process. */
  readonly together: ReadonlySet<string>;
  /** Model files of this host. */
  readonly findModel: FindModel;
  checkMedium(uri: string): Promise<Issue | undefined>;
  localPath(uri: string): Promise<string | undefined>;
}

/** The same, with the parts that all actors share. */
export interface Foundation extends GuardianDeps {
  /** Reports data that moves to quarantine to the administrators. */
  readonly store: Store;
  /** The owner in commits: this server with the number of its start. */
  readonly owner: Owner;
  readonly systemMessages: SystemMessageService;
  readonly numbers: JobNumbers;
  /** What operators have paused. */
  readonly pauseBook: PauseBook;
}
