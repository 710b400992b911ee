import { GIB, MIB, SECOND } from './schema/values.ts';

/**
 * Times and limits that operators need not set. `readSettings` adds them to the settings, and the environment cannot change them. A test
 * passes other values to `startServer` among its settings. Times are milliseconds and sizes bytes, unless the name says otherwise.
 */
export const TUNING = {
  /** Time between two searches for expired jobs and uploads, and for files of ended jobs. */
  CLEANING_MS: 60 * SECOND,
  /** Time between two searches for live jobs without queued or running work. */
  RECONCILE_MS: 30 * SECOND,
  /** Time without messages after which a job is unloaded from memory. */
  IDLE_ACTOR_MS: 60 * SECOND,
  /** Timeout of receiving a JSON body. A slower request is answered with 408. */
  MAX_BODY_MS: 60 * SECOND,
  /** Maximum number of characters of a data: URI that is stored with the job. A longer one is in a file of DATA_DIR. */
  STORED_DATA_URI_LENGTH: 8_192,
  /** Maximum number of components, algorithms, actions, tasks and pipelines together. */
  MAX_CATALOG_ELEMENTS: 10_000,
  MAX_SYSTEM_MESSAGES: 1_000,
  /** Maximum number of entries of the audit trail. The oldest are deleted. */
  MAX_AUDIT_ENTRIES: 50_000,
  /** Number of jobs that an operation processes between two of its commits. */
  OPERATION_BATCH: 50,
  /** Time within which an upload must receive another 64 KiB, or its end. */
  UPLOAD_PACE_MS: 60 * SECOND,

  /** Maximum number of media frames that are being decoded for clients, or wait. */
  MAX_FRAME_REQUESTS: 16,
  /** Maximum number of frames at a time for the component of one sub-job. All components together get half of MAX_FRAME_REQUESTS. */
  MAX_LEASE_FRAMES: 8,
  /** Time that a client waits for a frame. Decoding continues for its next request. */
  FRAME_WAIT_MS: 20 * SECOND,
  /** Maximum number of exports of detection documents at a time. */
  MAX_EXPORTS: 4,

  /** Age at which the cookie of a session is replaced. */
  SESSION_ROTATE_MS: 60 * 60 * SECOND,
  /** Log lines per minute about refused tokens and missing roles. The rest is counted in one line. */
  LOG_REFUSALS_A_MINUTE: 60,
  /** Maximum number of clients that watch jobs. */
  MAX_EVENT_STREAMS: 1_000,
  /** Time between two looks at a watched job. */
  EVENTS_POLL_MS: 250,
  /** Time between two heartbeats of an event stream. */
  EVENTS_HEARTBEAT_MS: 15 * SECOND,

  /** Timeout of the first picture of a stream. Without one, the job ends with ERROR. */
  STREAM_FIRST_PICTURE_MS: 30 * SECOND,
  /** Number of threads that decode the pictures of one stream. */
  STREAM_DECODER_THREADS: 1,
  /** Maximum pause before a broken stream is opened again. */
  STREAM_RECONNECT_MAX_MS: 15 * SECOND,
  /** Maximum number of pixels of a stream's picture. Up to four pictures are in memory, with 4.5 bytes per pixel. */
  STREAM_MAX_PIXELS: 34_000_000,
  /** Pause before a dead component of a stream is requested again. It doubles with each one that reported no segment. */
  STREAM_RESTART_MS: SECOND,
  /** Timeout of sending a health or summary report. */
  REPORT_TIMEOUT_MS: 10 * SECOND,
  /** Maximum number of reports that wait for one receiver. Beyond it, the oldest is dropped. */
  MAX_QUEUED_REPORTS: 100,

  /** Time that a component has to stop a cancelled sub-job. */
  CANCEL_GRACE_MS: 5 * SECOND,
  /** Time between the heartbeats of a component. */
  HEARTBEAT_MS: SECOND,
  /** Maximum number of files that a component on another host may send for one sub-job. */
  MAX_LEASE_FILES: 2_000,
  /** Maximum size of one of these files. */
  MAX_LEASE_FILE_BYTES: 256 * MIB,
  /** Maximum size of all these files. */
  MAX_LEASE_FILES_BYTES: 4 * GIB,
  /** Pause before a dead component process is restarted. */
  RESTART_DELAY_MS: 2 * SECOND,
  /** Number of the last output lines of each service that are kept in memory. */
  SERVICE_LOG_LINES: 200,
  /** Maximum serviceCount of a service in a node configuration. */
  MAX_SERVICE_COUNT: 1_024,

  /** Pause before the second attempt at a download or an upload. It doubles with each attempt. */
  TRANSFER_PAUSE_MS: SECOND,
  /** Pause before a failed callback or archive post is retried. It doubles with each failure, */
  DELIVERY_FIRST_DELAY_MS: SECOND,
  /** up to this limit. */
  DELIVERY_MAX_DELAY_MS: 3_600 * SECOND,
  /** Number of failed attempts (in about 30 s) after which callbackStatus and archiveStatus show ERROR. Retries continue. */
  DELIVERY_QUICK_ATTEMPTS: 6,
  /** Timeout of querying archives for the results of an equal job. */
  ARCHIVE_CHECK_MS: 10 * SECOND,
  /** Number of files of an earlier job that are copied at the same time into the bucket of a job. */
  ARCHIVE_COPIES_AT_ONCE: 8,
};

export type Tuning = Readonly<typeof TUNING>;
