/** The settings of the server in the words of each actor: what `guardian.ts` hands out. */
import type { FetchLimits } from '../../protocol/media-work.ts';
import type { Settings } from '../../config/settings.ts';
import type { Properties } from '../../domain/types.ts';
import type { JobServiceDeps } from '../job-service/job-request.ts';
import type { JobSettings } from '../batch-job/state/context.ts';
import type { DeliveryPolicy } from '../delivery/policy.ts';
import type { FrameSettings } from '../frames/frame-service.ts';
import type { LeaseSettings } from '../../store/ledger.ts';
import type { ManagedComponent } from '../node-manager/components.ts';
import { onDemand } from '../node-configuration/model.ts';
import type { ConfigurationRules } from '../node-configuration/model.ts';

/** Sub-jobs of one job that are queued or run at a time, for each component process. */
const WINDOW_PER_PROCESS = 16;
const LEAST_WINDOW = 64;

export const jobSettings = (settings: Settings, version: string, server: string): JobSettings => ({
  dataDir: settings.DATA_DIR,
  server,
  window: Math.max(LEAST_WINDOW, WINDOW_PER_PROCESS * settings.COMPONENT_PROCESSES),
  // Servers that share a store follow the jobs that have ended, each for itself.
  search: settings.SEARCH && settings.STORE === 'sqlite',
  attempts: settings.SUB_JOB_ATTEMPTS,
  maxDerived: settings.MAX_DERIVATIVE_MEDIA,
  privateBuckets: settings.CALLBACK_PRIVATE,
  allowedHosts: settings.CALLBACK_ALLOWED_HOSTS,
  copiesAtOnce: settings.ARCHIVE_COPIES_AT_ONCE,
  maxArchivedBytes: settings.MAX_ARCHIVED_DOCUMENT_BYTES,
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
  limits: {
    media: settings.MAX_MEDIA_PER_JOB,
    uriLength: settings.MAX_URI_LENGTH,
    nameLength: settings.MAX_NAME_LENGTH,
    externalIdLength: settings.MAX_EXTERNAL_ID_LENGTH,
    valueLength: settings.MAX_PROPERTY_LENGTH,
    properties: settings.MAX_PROPERTIES,
    propertiesLength: settings.MAX_PROPERTIES_LENGTH,
    actions: settings.MAX_PIPELINE_ACTIONS,
    planLength: settings.MAX_PLAN_LENGTH,
    subJobs: settings.MAX_SUB_JOBS,
  },
  minFreeBytes: settings.MIN_FREE_BYTES,
  dataDir: settings.DATA_DIR,
  dataUriLength: settings.STORED_DATA_URI_LENGTH,
  serverProperties,
  environmentProperties: settings.environmentProperties,
});

/** What streaming jobs go by. */
export const streamSettings = (
  settings: Settings,
  serverProperties: Properties,
  fetchLimits: FetchLimits,
) => ({
  dataDir: settings.DATA_DIR,
  mailbox: settings.MAILBOX_SIZE,
  idleMs: settings.IDLE_ACTOR_MS,
  maxStreams: settings.MAX_STREAMS,
  rules: {
    attempts: settings.STREAM_ATTEMPTS,
    firstPauseMs: settings.STREAM_RESTART_MS,
    longestPauseMs: settings.STREAM_RESTART_MAX_MS,
  },
  request: { ...jobServiceSettings(settings, serverProperties), maxSegmentSize: settings.MAX_SEGMENT_SIZE },
  gateway: {
    // A stream is to stop within a second of being cancelled.
    heartbeatMs: Math.min(settings.HEARTBEAT_MS, STREAM_HEARTBEAT_MS),
    stallAlertMs: settings.STREAM_STALL_ALERT_MS,
    reconnect: { firstMs: settings.STREAM_RECONNECT_MS, longestMs: settings.STREAM_RECONNECT_MAX_MS },
    reading: {
      connectMs: settings.STREAM_CONNECT_MS,
      firstPictureMs: settings.STREAM_FIRST_PICTURE_MS,
      maxPixels: settings.STREAM_MAX_PIXELS,
      threads: settings.STREAM_DECODER_THREADS,
    },
    allowPrivate: fetchLimits.allowPrivate,
    maxPictureBytes: settings.MAX_LIVE_PICTURE_BYTES,
  },
  resultLimits: { maxBytes: settings.MAX_RESULT_BYTES, maxLines: settings.MAX_RESULT_LINES },
  reports: {
    everyMs: settings.HEALTH_REPORT_MS,
    timeoutMs: settings.REPORT_TIMEOUT_MS,
    maxQueued: settings.MAX_QUEUED_REPORTS,
  },
});
const STREAM_HEARTBEAT_MS = 300;

/** What a component on another host may send for one sub-job. */
export const leaseFileSettings = (settings: Settings) => ({
  maxFiles: settings.MAX_LEASE_FILES,
  maxFileBytes: settings.MAX_LEASE_FILE_BYTES,
  maxBytes: settings.MAX_LEASE_FILES_BYTES,
  minFreeBytes: settings.MIN_FREE_BYTES,
  paceMs: settings.UPLOAD_PACE_MS,
});

/** Until somebody posts another one, this host runs every installed detector, on demand. */
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
      nodes: settings.MAX_NODES,
      services: settings.MAX_NODE_SERVICES,
      serviceCount: settings.MAX_SERVICE_COUNT,
      deployed: settings.MAX_SERVICES,
    },
  };
}
