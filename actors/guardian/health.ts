import type { Store } from '../../store/store.ts';
import type { JobService } from '../job-service/job-service.ts';
import type { EscalationMonitor } from './escalation-monitor.ts';

/** Returns why the server accepts no jobs, without secrets, or undefined if it accepts them. */
export async function closedFor(
  store: Store,
  jobService: JobService,
  escalations: EscalationMonitor,
): Promise<string | undefined> {
  const closed = await jobService.closedFor();
  if (closed === 'STOPPING') return 'The server is stopping.';
  if (closed === 'DRAINING') return 'An administrator drains the server.';
  const works = await store.check().then(
    () => true,
    () => false,
  );
  if (!works) return 'The database cannot be read or written.';
  return closed === 'DISK_FULL'
    ? 'The disk is nearly full, so the server does not accept new jobs.'
    : escalations.reason;
}
