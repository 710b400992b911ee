/** Translates the settings of the server into those of each actor, for `guardian.ts`. */
import { MAX_ARCHIVED_DOCUMENT_BYTES, type FetchLimits } from '../../protocol/media-work.ts';
import type { Settings } from '../../config/settings.ts';
import { REQUEST_LIMITS } from '../../domain/plan/request-limits.ts';
import type { Properties } from '../../domain/types.ts';
import type { JobServiceDeps } from '../job-service/job-request.ts';
import type { JobSettings } from '../batch-job/state/context.ts';
import type { CatalogLimits } from '../catalog/transitions.ts';
import type { DeliveryPolicy } from '../delivery/policy.ts';
import type { FrameSettings } from '../frames/frame-service.ts';
import type { LeaseSettings } from '../../store/ledger.ts';
import type { ManagedComponent } from '../node-manager/components.ts';
import { onDemand } from '../node-configuration/model.ts';
import type { ConfigurationRules } from '../node-configuration/model.ts';

/** Sub-jobs of one job that are queued or run at a time, for each component process. */
const WINDOW_PER_PROCESS = 16;
const LEAST_WINDOW = 64;

export const jobSettings = (
  settings: Settings,
  { version, server, url }: { readonly version: string; readonly server: string; readonly url: string },
): JobSettings => ({
  dataDir: settings.DATA_DIR,
  ...(settings.RESULT_LINKS === 'http' ? { linkBase: url } : {}),
  server,
  window: Math.max(LEAST_WINDOW, WINDOW_PER_PROCESS * settings.COMPONENT_PROCESSES),
  // Servers with a shared store each follow the ended jobs themselves.
  search: settings.SEARCH && settings.STORE === 'sqlite',
  attempts: settings.SUB_JOB_ATTEMPTS,
  transferPauseMs: settings.TRANSFER_PAUSE_MS,
  maxDerived: settings.MAX_DERIVATIVE_MEDIA,
  privateBuckets: settings.CALLBACK_PRIVATE,
  allowedHosts: settings.CALLBACK_ALLOWED_HOSTS,
  copiesAtOnce: settings.ARCHIVE_COPIES_AT_ONCE,
  maxArchivedBytes: MAX_ARCHIVED_DOCUMENT_BYTES,
  system: { version, host: settings.JOB_ID_HOST },
});

export const leaseSettings = (settings: Settings): LeaseSettings => ({
  leaseMs: settings.LEASE_MS,
  silenceMs: settings.SILENCE_MS,
  wholeMs: settings.SUB_JOB_MS,
  cancelGraceMs: settings.CANCEL_GRACE_MS,
});

/** Failures in a row after which a receiver is only probed, at most a minute apart. */
const BREAKER = { breakerFailures: 5, breakerMaxDelayMs: 60_000 };

export const deliveryPolicy = (settings: Settings): Omit<DeliveryPolicy, 'window'> => ({
  ...BREAKER,
  concurrency: settings.DELIVERY_CONCURRENCY,
  firstDelayMs: settings.DELIVERY_FIRST_DELAY_MS,
  maxDelayMs: settings.DELIVERY_MAX_DELAY_MS,
  quickAttempts: settings.DELIVERY_QUICK_ATTEMPTS,
  giveUpMs: settings.DELIVERY_GIVE_UP_MS,
});

export const frameSettings = (settings: Settings): FrameSettings => ({
  atOnce: settings.MAX_FRAME_REQUESTS,
  waitMs: settings.FRAME_WAIT_MS,
  cacheBytes: settings.FRAME_CACHE_BYTES,
});

export const jobServiceSettings = (
  settings: Settings,
  serverProperties: Properties,
): JobServiceDeps['settings'] => ({
  jobIdHost: settings.JOB_ID_HOST,
  siteId: settings.SITE_ID,
  defaultPriority: settings.DEFAULT_PRIORITY,
  limits: { ...REQUEST_LIMITS, media: settings.MAX_MEDIA_PER_JOB },
  minFreeBytes: settings.MIN_FREE_BYTES,
  dataDir: settings.DATA_DIR,
  dataUriLength: settings.STORED_DATA_URI_LENGTH,
  serverProperties,
  environmentProperties: settings.environmentProperties,
});

const MAX_CATALOG_CHARACTERS = 64 * 1024 * 1024;

export const catalogLimits = (settings: Settings): CatalogLimits => ({
  elements: settings.MAX_CATALOG_ELEMENTS,
  characters: MAX_CATALOG_CHARACTERS,
});

/** Most waiting messages of one job. Further requests get a 503. */
export const MAILBOX_SIZE = 1_000;
/** Most tracks in the answer of a detector to one sub-job. */
const MAX_RESULT_LINES = 10_000_000;
/** Most components of a stream in a row that end without a segment, and the longest time between them. */
const STREAM_ATTEMPTS = 5;
const STREAM_RESTART_MAX_MS = 30_000;
/** Time before a broken stream is opened again. It doubles with each failure. */
const STREAM_RECONNECT_MS = 500;
const MAX_LIVE_PICTURE_BYTES = 8 * 1024 * 1024;
const STREAM_HEARTBEAT_MS = 300;

/** Limits of the answer of a component. */
export const resultLimits = (settings: Settings) => ({
  maxBytes: settings.MAX_RESULT_BYTES,
  maxLines: MAX_RESULT_LINES,
});

/** Settings of streaming jobs. */
export const streamSettings = (
  settings: Settings,
  serverProperties: Properties,
  fetchLimits: FetchLimits,
  together: ReadonlySet<string>,
) => ({
  dataDir: settings.DATA_DIR,
  mailbox: MAILBOX_SIZE,
  idleMs: settings.IDLE_ACTOR_MS,
  maxStreams: settings.MAX_STREAMS,
  rules: {
    attempts: STREAM_ATTEMPTS,
    firstPauseMs: settings.STREAM_RESTART_MS,
    longestPauseMs: STREAM_RESTART_MAX_MS,
    baseUrl: settings.BASE_URL?.replace(/(?<!\/)\/+$/, ''),
  },
  request: { ...jobServiceSettings(settings, serverProperties), together },
  gateway: {
    // A stream must stop within a second of its cancellation.
    heartbeatMs: Math.min(settings.HEARTBEAT_MS, STREAM_HEARTBEAT_MS),
    stallAlertMs: settings.STREAM_STALL_ALERT_MS,
    reconnect: { firstMs: STREAM_RECONNECT_MS, longestMs: settings.STREAM_RECONNECT_MAX_MS },
    reading: {
      connectMs: settings.STREAM_CONNECT_MS,
      firstPictureMs: settings.STREAM_FIRST_PICTURE_MS,
      maxPixels: settings.STREAM_MAX_PIXELS,
      threads: settings.STREAM_DECODER_THREADS,
    },
    allowPrivate: fetchLimits.allowPrivate,
    maxPictureBytes: MAX_LIVE_PICTURE_BYTES,
  },
  resultLimits: resultLimits(settings),
  // Recordings are deleted before new jobs are refused.
  minFreeBytes: 2 * settings.MIN_FREE_BYTES,
  reports: {
    everyMs: settings.HEALTH_REPORT_MS,
    timeoutMs: settings.REPORT_TIMEOUT_MS,
    maxQueued: settings.MAX_QUEUED_REPORTS,
  },
});

/** Limits of the files that a component on another host may send for one sub-job. */
export const leaseFileSettings = (settings: Settings) => ({
  maxFiles: settings.MAX_LEASE_FILES,
  maxFileBytes: settings.MAX_LEASE_FILE_BYTES,
  maxBytes: settings.MAX_LEASE_FILES_BYTES,
  minFreeBytes: settings.MIN_FREE_BYTES,
  paceMs: settings.UPLOAD_PACE_MS,
});

/** Most hosts in a node configuration, and most connected nodes on other hosts. */
export const MAX_NODES = 1_000;
/** Most services of one host, and of all hosts, where each counts as many times as its serviceCount. */
const MAX_NODE_SERVICES = 500;
const MAX_SERVICES = 20_000;

/** The class that exists until an ADMIN posts others. */
const FIRST_CLASS = 'cpu';

/**
 * The rules of a node configuration for node classes, with a class in place of each host.
 * @param members returns the connected nodes by their class
 */
export function classRules(
  { initial, limits, thisHost }: ConfigurationRules,
  members: () => ReadonlyMap<string, readonly string[]>,
): ConfigurationRules {
  return {
    initial: initial.map(({ services }) => ({ host: FIRST_CLASS, services })),
    thisHost,
    installed: [],
    ownServices: [],
    limits,
    objectionTo(posted) {
      const empty = posted.find(({ services }) => services.every(({ serviceCount }) => serviceCount === 0));
      if (empty !== undefined)
        return `The node class ${empty.host} has no services: give it at least one with a serviceCount above 0, or leave the class out.`;
      const names = posted.map(({ host }) => host);
      const twice = names.find((name, n) => names.indexOf(name) !== n);
      if (twice !== undefined) return `The node class ${twice} is given more than once: give it once.`;
      const [gone, nodes] = [...members()].find(([name]) => !names.includes(name)) ?? [];
      if (nodes === undefined) return undefined;
      return `The node class ${gone} still has nodes: ${nodes.join(', ')}. Drain them first, or keep the class.`;
    },
  };
}

/** The rules of the node configuration. Until an ADMIN posts another one, this host runs every installed detector, on demand. */
export function configurationRules(
  settings: Settings,
  components: readonly ManagedComponent[],
  own: readonly ManagedComponent[],
): ConfigurationRules {
  const serviceCount = settings.COMPONENT_PROCESSES;
  const services = components.map(({ model }) => onDemand({ ...model, serviceCount }));
  return {
    initial: [{ host: settings.NODE_NAME, services }],
    thisHost: settings.NODE_NAME,
    installed: components.map(({ model }) => model.serviceName),
    ownServices: own.map(({ model }) => model.serviceName),
    limits: {
      nodes: MAX_NODES,
      services: MAX_NODE_SERVICES,
      serviceCount: settings.MAX_SERVICE_COUNT,
      deployed: MAX_SERVICES,
    },
  };
}
