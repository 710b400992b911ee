import type { PreparedMedium } from '../../../../protocol/media-work.ts';
import { readLines } from '../../../../results/lines.ts';

/** The line that PREPARE answered, with the table of a variable rate, which is stored only there. */
export async function readPrepared(path: string): Promise<PreparedMedium | undefined> {
  for await (const { text } of readLines(path)) return JSON.parse(text) as PreparedMedium;
  return undefined;
}
