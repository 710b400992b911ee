import { NotStorable } from './store.ts';

/** Most characters of one text: the limit of Redis (proto-max-bulk-len). */
const LONGEST_TEXT = 512 * 1024 * 1024;

/** Serializes a value. @throws NotStorable if it is not JSON or too long */
export function json(body: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(body);
  } catch (error) {
    throw new NotStorable(`The commit cannot be written: ${String(error)}`, { cause: error });
  }
  if (text === undefined || text.length > LONGEST_TEXT)
    throw new NotStorable(
      text === undefined
        ? 'The commit cannot be written: a value is no JSON.'
        : `The commit cannot be written: one value has ${text.length} characters, ${LONGEST_TEXT} are allowed.`,
    );
  return text;
}
