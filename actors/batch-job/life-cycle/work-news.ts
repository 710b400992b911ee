/** Forwards news of the work ledger to batch jobs. */
import type { News, WorkLedger } from '../../../store/ledger.ts';
import type { Family } from '../../runtime/system.ts';
import type { JobCommand, JobReply } from '../state/commands.ts';

/**
 * Sends news about work to jobs. Removes work that a job no longer needs. The ledger keeps the news until the job has handled it, and the
 * dispatcher repeats a lost message.
 */
export async function tellBatchJobs(
  jobs: Family<JobCommand, JobReply>,
  ledger: WorkLedger,
  news: readonly News[],
): Promise<void> {
  await Promise.all(
    messagesOf(news).map(async ({ id, command, about }) => {
      try {
        const reply = await jobs.ask(id, command);
        if (reply.kind === 'refused') for (const one of about) await ledger.dismiss(one);
      } catch {
        // The dispatcher sends the message again.
      }
    }),
  );
}

interface Message {
  readonly id: string;
  readonly command: JobCommand;
  readonly about: readonly News[];
}

/** Returns the messages to send. One message contains all dropped work of a job, because the job handles it in one step. */
function messagesOf(news: readonly News[]): readonly Message[] {
  const dropped = new Map<string, News[]>();
  const messages: Message[] = [];
  for (const one of news) {
    const { actor, key, attempt } = one.item;
    if (one.what === 'dropped') dropped.set(actor.id, [...(dropped.get(actor.id) ?? []), one]);
    else {
      const command = { type: 'workLost', key, attempt, reason: one.reason } as const;
      messages.push({ id: actor.id, command, about: [one] });
    }
  }
  for (const [id, about] of dropped)
    messages.push({ id, command: { type: 'workDropped', keys: about.map(({ item }) => item.key) }, about });
  return messages;
}
