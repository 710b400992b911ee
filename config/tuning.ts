import { GIB, MIB, SECOND } from './schema/values.ts';

/**
 * Times and limits that nobody has to set: `readSettings` adds them to the settings, and the environment cannot change them. A test that
 * needs others gives them to `startServer` among its settings. Times are milliseconds, sizes bytes, unless the name says otherwise.
 */
export const TUNING = {
  /** Time between two looks for jobs and uploads that have expired, and for files of jobs that have ended. */
  CLEANING_MS: 60 * SECOND,
  /** Time between two looks for live jobs of which nothing waits and nothing runs. */
  RECONCILE_MS: 30 * SECOND,
  /** A job without messages for so long leaves memory. */
  IDLE_ACTOR_MS: 60 * SECOND,
  /** Time until the end of a JSON body; a slower one is answered 408. */
  MAX_BODY_MS: 60 * SECOND,
  /** Characters of a data: URI that are stored with the job; a longer one lies in a file of DATA_DIR. */
  STORED_DATA_URI_LENGTH: 8_192,
  /** Components, algorithms, actions, tasks and pipelines together. */
  MAX_CATALOG_ELEMENTS: 10_000,
  MAX_SYSTEM_MESSAGES: 1_000,
  /** Entries of the audit trail that are kept; the oldest are removed. */
  MAX_AUDIT_ENTRIES: 50_000,
  /** Jobs that an operation handles between two commits of its own. */
  OPERATION_BATCH: 50,
  /** Time in which an upload must bring another 64 KiB, or its end. */
  UPLOAD_PACE_MS: 60 * SECOND,

  /** Frames of media that are decoded for clients, or wait for it, at a time. */
  MAX_FRAME_REQUESTS: 16,
  /** Frames that the component of one sub-job may have decoded at a time; all components together get half of MAX_FRAME_REQUESTS. */
  MAX_LEASE_FRAMES: 8,
  /** Time that a client waits for a frame; decoding continues, for when it asks again. */
  FRAME_WAIT_MS: 20 * SECOND,
  /** Other forms of detection documents that are made at a time. */
  MAX_EXPORTS: 4,

  /** Age at which the cookie of a session is replaced. */
  SESSION_ROTATE_MS: 60 * 60 * SECOND,
  /** Lines a minute about refused tokens and missing roles; the rest is counted in one line. */
  LOG_REFUSALS_A_MINUTE: 60,
  /** Clients that watch jobs at a time. */
  MAX_EVENT_STREAMS: 1_000,
  /** Time between two looks at a job that is watched. */
  EVENTS_POLL_MS: 250,
  /** Time between two heartbeats of an event stream. */
  EVENTS_HEARTBEAT_MS: 15 * SECOND,

  /** Time until the first picture of a stream; without one the job ends ERROR. */
  STREAM_FIRST_PICTURE_MS: 30 * SECOND,
  /** Threads that decode the pictures of one stream. */
  STREAM_DECODER_THREADS: 1,
  /** The longest time before a stream that broke off is opened again. */
  STREAM_RECONNECT_MAX_MS: 15 * SECOND,
  /** Pixels of a picture of a stream: up to four are held, of four and a half bytes a pixel. */
  STREAM_MAX_PIXELS: 34_000_000,
  /** Time before a component of a stream that died is asked for again; doubles with each one without a segment. */
  STREAM_RESTART_MS: SECOND,
  /** Whole time of a health or summary report. */
  REPORT_TIMEOUT_MS: 10 * SECOND,
  /** Reports that wait for one receiver; the oldest is dropped when there are more. */
  MAX_QUEUED_REPORTS: 100,

  /** Time a component has to stop a cancelled sub-job. */
  CANCEL_GRACE_MS: 5 * SECOND,
  /** Time between heartbeats that components are asked for. */
  HEARTBEAT_MS: SECOND,
  /** Files that a component on another host may send for one sub-job, */
  MAX_LEASE_FILES: 2_000,
  /** one of them, */
  MAX_LEASE_FILE_BYTES: 256 * MIB,
  /** and all of them. */
  MAX_LEASE_FILES_BYTES: 4 * GIB,
  /** Time before a component process that died is started again. */
  RESTART_DELAY_MS: 2 * SECOND,
  /** The last lines of the output of each service that are kept in memory. */
  SERVICE_LOG_LINES: 200,
  /** serviceCount of a service of a node configuration. */
  MAX_SERVICE_COUNT: 1_024,

  /** Time before the second attempt at a download or an upload; doubles with each. */
  TRANSFER_PAUSE_MS: SECOND,
  /** Time before a callback or archive post that failed is retried; doubles with each failure, */
  DELIVERY_FIRST_DELAY_MS: SECOND,
  /** up to this. */
  DELIVERY_MAX_DELAY_MS: 3_600 * SECOND,
  /** Failed attempts (some 30 s) after which callbackStatus and archiveStatus show ERROR; retries continue. */
  DELIVERY_QUICK_ATTEMPTS: 6,
  /** Time for asking archives whether they know the results of an equal job. */
  ARCHIVE_CHECK_MS: 10 * SECOND,
  /** Files of an earlier job that are copied at a time into the bucket of a job. */
  ARCHIVE_COPIES_AT_ONCE: 8,
};

export type Tuning = Readonly<typeof TUNING>;
