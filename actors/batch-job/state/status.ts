/** The statuses of a batch job (specification 3.1). */
export const BATCH_JOB_STATUSES = [
  'UNKNOWN',
  'INITIALIZED',
  'IN_PROGRESS',
  'IN_PROGRESS_ERRORS',
  'IN_PROGRESS_WARNINGS',
  'COMPLETE',
  'COMPLETE_WITH_WARNINGS',
  'CANCELLING',
  'CANCELLED',
  'CANCELLED_BY_SHUTDOWN',
  'ERROR',
] as const;
export type BatchJobStatus = (typeof BATCH_JOB_STATUSES)[number];
export type StatusEvent = 'start' | 'warning' | 'error' | 'complete' | 'cancel' | 'fatal' | 'shutdown';

/** Final statuses of a job. */
export const TERMINAL_STATUSES = [
  'COMPLETE',
  'COMPLETE_WITH_WARNINGS',
  'CANCELLED',
  'CANCELLED_BY_SHUTDOWN',
  'ERROR',
] as const satisfies readonly BatchJobStatus[];
const TERMINAL: ReadonlySet<BatchJobStatus> = new Set(TERMINAL_STATUSES);
export const isTerminal = (status: BatchJobStatus): boolean => TERMINAL.has(status);

/** The next status after an event. An event that is not listed for a status does not change it. */
export const STATUS_TABLE: Readonly<Record<BatchJobStatus, Partial<Record<StatusEvent, BatchJobStatus>>>> = {
  UNKNOWN: {},
  INITIALIZED: {
    start: 'IN_PROGRESS',
    warning: 'IN_PROGRESS_WARNINGS',
    error: 'IN_PROGRESS_ERRORS',
    cancel: 'CANCELLING',
    fatal: 'ERROR',
  },
  IN_PROGRESS: {
    warning: 'IN_PROGRESS_WARNINGS',
    error: 'IN_PROGRESS_ERRORS',
    complete: 'COMPLETE',
    cancel: 'CANCELLING',
    fatal: 'ERROR',
  },
  IN_PROGRESS_WARNINGS: {
    error: 'IN_PROGRESS_ERRORS',
    complete: 'COMPLETE_WITH_WARNINGS',
    cancel: 'CANCELLING',
    fatal: 'ERROR',
  },
  IN_PROGRESS_ERRORS: {
    complete: 'ERROR',
    cancel: 'CANCELLING',
    fatal: 'ERROR',
  },
  // A cancelled job ends by `complete`, and a job that the operator's shutdown stops ends by `shutdown`.
  CANCELLING: { complete: 'CANCELLED', shutdown: 'CANCELLED_BY_SHUTDOWN' },
  COMPLETE: {},
  COMPLETE_WITH_WARNINGS: {},
  CANCELLED: {},
  CANCELLED_BY_SHUTDOWN: {},
  ERROR: {},
};

export const after = (status: BatchJobStatus, event: StatusEvent): BatchJobStatus =>
  STATUS_TABLE[status][event] ?? status;
