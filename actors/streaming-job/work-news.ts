/** Forwards news of the work ledger to streaming jobs. */
import type { News, WorkLedger } from '../../store/ledger.ts';
import type { Family } from '../runtime/system.ts';
import type { StreamingJobCommand } from './commands.ts';
import type { StreamingJobReply } from './context.ts';

/** Sends news about their components to jobs. Removes work that a job no longer needs. */
export async function tellStreams(
  jobs: Family<StreamingJobCommand, StreamingJobReply>,
  ledger: WorkLedger,
  news: readonly News[],
): Promise<void> {
  await Promise.all(
    news.map(async (one) => {
      const { actor, attempt } = one.item;
      const command: StreamingJobCommand =
        one.what === 'lost'
          ? { type: 'workLost', attempt, reason: one.reason }
          : { type: 'workDropped', attempt };
      try {
        const reply = await jobs.ask(actor.id, command);
        if (reply.kind === 'refused') await ledger.dismiss(one);
      } catch {
        // The ledger keeps the news and sends it again.
      }
    }),
  );
}
