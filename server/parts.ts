import { existsSync, mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';
import { Catalog } from '../actors/catalog/catalog.ts';
import { mediaComponent, transferComponent, streamComponent } from '../actors/node-manager/components.ts';
import { installedComponents, type ComponentFolder } from '../actors/node-manager/installed-components.ts';
import { DAY_MS, systemClock } from '../actors/basics/clock.ts';
import { UploadLocks } from '../actors/uploads/upload-locks.ts';
import { UploadStore } from '../actors/uploads/upload-store.ts';
import { readInfo } from '../config/info.ts';
import type { Logger } from '../config/logger.ts';
import { BUILT_IN, HOST_SCRIPT } from '../config/places.ts';
import type { Settings } from '../config/settings.ts';
import { createAccess } from '../http/access/index.ts';
import { WorkMetrics } from '../http/metrics/work-metrics.ts';
import { urlOf } from '../http/listener.ts';
import { fetchLimits } from '../media/fetch/media-rules.ts';
import { ResultChecker } from '../results/check/check.ts';
import { DocumentExporter } from '../results/exports/exporter.ts';
import { Timelines } from '../results/timeline/timelines.ts';
import { createOutgoing } from '../egress/outgoing-requests.ts';
import type { OpenTraces } from '../egress/traces.ts';
import { uploadsFolder } from '../results/layout.ts';
import { SERVER_PROPERTY_DEFAULTS } from '../domain/properties/workflow-properties.ts';
import { removeSearchFiles, SqliteSearch } from '../search/sqlite/sqlite-search.ts';
import { LOCAL_LOCKS, StoredLocks, type ClusterLocks } from '../store/cluster-locks.ts';
import type { SearchIndex } from '../store/search.ts';
import type { Store } from '../store/store.ts';
import type { OpenedStore } from './open-store.ts';
import { refuseFolderOfOthers } from './store-mark.ts';

/** Time within which a client of an export must read another piece of about 64 KiB. */
const EXPORT_PACE_MS = 60_000;
const TIMELINE_OPTIONS = { mostWaiting: 100, waitMs: 30_000, idleMs: 300_000 };
/**
 * `textCharacters`: searchable characters of a very long text of a track. A page of hits checks a limited number of tracks, then its cursor
 * continues.
 */
const SEARCH_OPTIONS = {
  textCharacters: 100_000,
  snippetCharacters: 200,
  maxScanned: 20_000,
  maxWaiting: 100,
  timeoutMs: 10_000,
};

export interface ServerOptions {
  readonly logger: Logger;
  readonly componentFolders?: readonly ComponentFolder[];
  /** Wraps the store. Tests use it to insert faults. */
  readonly wrapStore?: (store: Store) => Store;
  /** Interrupts the start. */
  readonly signal?: AbortSignal;
}

export interface Opened extends OpenedStore {
  readonly http: Server;
  readonly serverId: string;
  readonly realDataDir: string;
}

/** The parts of the server that exist before its actors. */
export type Parts = Awaited<ReturnType<typeof makeParts>>;

export async function makeParts(settings: Settings, options: ServerOptions, opened: Opened) {
  const { store, http, serverId, cluster, realDataDir } = opened;
  const { logger } = options;
  const epoch = await store.next('epoch');
  const owner = { server: serverId, epoch };
  // Before any use of its files.
  if (cluster !== undefined) await refuseFolderOfOthers(store, owner, settings);
  const locks: ClusterLocks =
    cluster === undefined ? LOCAL_LOCKS : new StoredLocks(store, owner, () => systemClock.now(), cluster);
  const url = settings.BASE_URL?.replace(/\/$/, '') ?? urlOf(http, settings.HOST);
  const media = mediaComponent(HOST_SCRIPT, settings.COMPONENT_PROCESSES);
  const transfers = transferComponent(HOST_SCRIPT);
  const installed = installedComponents({
    package: options.componentFolders ?? [BUILT_IN],
    outside: settings.COMPONENT_FOLDERS,
    ownServices: [media, transfers].map(({ model }) => model.serviceName),
    host: HOST_SCRIPT,
    faceEmbedding: settings.FACE_EMBEDDING,
  });
  const uploadLocks =
    cluster === undefined ? undefined : new UploadLocks({ store, clock: systemClock, owner });
  const uploads = await openUploads(settings, realDataDir, store, logger, uploadLocks);
  const access = await createAccess(settings.access, {
    baseUrl: url,
    dataDir: settings.DATA_DIR,
    logger,
    refusalsAMinute: settings.LOG_REFUSALS_A_MINUTE,
  });
  return {
    ...opened,
    settings,
    logger,
    url,
    own: [media, transfers, ...installed.streaming.map((one) => streamComponent(one, settings.MAX_STREAMS))],
    uploads,
    access,
    epoch,
    owner,
    locks,
    info: readInfo(),
    installed,
    catalog: new Catalog(SERVER_PROPERTY_DEFAULTS),
    fetchLimits: await mediaLimits(settings, uploads, logger),
    outgoing: createOutgoing(settings, access.serviceClient, readInfo().version),
    checker: new ResultChecker(),
    exporter: new DocumentExporter({ most: settings.MAX_EXPORTS, paceMs: EXPORT_PACE_MS }),
    timelines: new Timelines(TIMELINE_OPTIONS),
    work: new WorkMetrics(),
    traces: await tracesOf(settings, logger),
    ...(await openSearch(settings, cluster !== undefined, logger)),
  };
}

/** Returns undefined if no collector is configured. In that case nothing is loaded. */
async function tracesOf(
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, NODE_NAME: instance }: Settings,
  logger: Logger,
): Promise<OpenTraces | undefined> {
  if (endpoint === undefined) return undefined;
  const { openTraces } = await import('../egress/traces.ts');
  return openTraces({ endpoint, instance, logger, version: readInfo().version });
}

/** Opens the search. Without a search the index is not updated, so it is built again when the search is enabled. */
async function openSearch(
  settings: Settings,
  shared: boolean,
  logger: Logger,
): Promise<{ readonly searchIndex?: SearchIndex }> {
  const { SEARCH_FOLDER: folder, NODE_NAME: node } = settings;
  // Servers that share a folder have one index each.
  const file = path.join(folder, shared ? `search.${node}.db` : 'search.db');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!settings.SEARCH) await removeSearchFiles(file);
  if (!settings.SEARCH) return {};
  const searchIndex = new SqliteSearch({
    file,
    textProperties: settings.SEARCH_TEXT_PROPERTIES,
    classProperties: settings.SEARCH_CLASS_PROPERTIES,
    ...SEARCH_OPTIONS,
    onVectors: ({ indexed, total }) =>
      logger.info({ indexed, total }, 'the search has built a part of its index of vectors'),
    onVectorsFailed: (err) => logger.error({ err }, 'the search cannot build its index of vectors'),
  });
  return { searchIndex };
}

async function mediaLimits(settings: Settings, { folder: uploads }: UploadStore, logger: Logger) {
  for (const folder of settings.MEDIA_ROOTS.filter((root) => !existsSync(root)))
    logger.warn(
      { folder },
      'a folder of MEDIA_ROOTS does not exist: nothing is read below it until a restart',
    );
  return fetchLimits(settings, uploads);
}

async function openUploads(
  settings: Settings,
  realDataDir: string,
  store: Store,
  logger: Logger,
  uploadLocks: UploadLocks | undefined,
): Promise<UploadStore> {
  return UploadStore.open({
    store,
    clock: systemClock,
    logger,
    folder: uploadsFolder(realDataDir),
    ...(uploadLocks === undefined ? {} : { uploadLocks }),
    settings: {
      maxBytes: settings.MAX_UPLOAD_BYTES,
      maxTotalBytes: settings.MAX_UPLOADS_BYTES,
      maxCount: settings.MAX_UPLOADS,
      minFreeBytes: settings.MIN_FREE_BYTES,
      keepMs: settings.UPLOAD_KEEP_DAYS * DAY_MS,
      paceMs: settings.UPLOAD_PACE_MS,
    },
  });
}
