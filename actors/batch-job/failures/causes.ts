/** Why sub-jobs of a job have failed, as groups of failures with the same component, code and kind of message. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { messagePattern } from '../../../domain/text/message-pattern.ts';
import { shortenText } from '../../../domain/text/printable.ts';

/** Maximum number of groups of one job. Failures beyond them are not counted. */
const MAX_CAUSES = 8;
const MAX_MESSAGE = 500;
/** Component name of errors that no algorithm has reported. */
export const SERVER = 'WORKFLOW_MANAGER';

export const failureCause = z.object({
  /** Id of the group. */
  group: z.string(),
  /** Name of the algorithm, or WORKFLOW_MANAGER. */
  component: z.string(),
  code: z.string(),
  pattern: z.string(),
  /** The first message of the job in this group. */
  message: z.string(),
  /** Number of sub-jobs of the run with this failure. */
  count: z.int().positive(),
  /** Milliseconds since the epoch. */
  first: z.number(),
  last: z.number(),
});
export type FailureCause = Readonly<z.infer<typeof failureCause>>;
export type FailureKey = Pick<FailureCause, 'component' | 'code' | 'pattern'>;

interface Failed {
  readonly component: string;
  readonly code: string;
  readonly message: string;
}

/** Returns the id of a group: 16 hex digits. */
export const groupId = (key: FailureKey): string =>
  createHash('sha256').update(keyText(key)).digest('hex').slice(0, 16);

/** Returns the name of a group in counters. */
export const keyText = ({ component, code, pattern }: FailureKey): string =>
  JSON.stringify([component, code, pattern]);

const storedKey = z.tuple([z.string(), z.string(), z.string()]);

/** Returns the group with this name. Returns undefined if the name is malformed. */
export function keyOf(text: string): FailureKey | undefined {
  try {
    const [component, code, pattern] = storedKey.parse(JSON.parse(text));
    return { component, code, pattern };
  } catch {
    return undefined;
  }
}

/** Returns the causes with one more failure. */
export function withCause(
  causes: readonly FailureCause[] = [],
  { component, code, message }: Failed,
  at: number,
): readonly FailureCause[] {
  const key = { component, code, pattern: messagePattern(message) };
  const cause = {
    ...{ group: groupId(key), ...key },
    ...{ message: shortenText(message, MAX_MESSAGE), count: 1, first: at, last: at },
  };
  const isFull = causes.length >= MAX_CAUSES && !causes.some(({ group }) => group === cause.group);
  return isFull ? causes : mergeCauses([...causes, cause]);
}

/** Adds up the causes of each group. */
export function mergeCauses(causes: readonly FailureCause[]): readonly FailureCause[] {
  const merged = new Map<string, FailureCause>();
  for (const cause of causes) {
    const known = merged.get(cause.group);
    if (known === undefined) merged.set(cause.group, cause);
    else
      merged.set(cause.group, {
        ...known,
        count: known.count + cause.count,
        first: Math.min(known.first, cause.first),
        last: Math.max(known.last, cause.last),
      });
  }
  return [...merged.values()];
}
