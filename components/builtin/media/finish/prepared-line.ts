import type { PreparedMedium } from '../../../../protocol/media-work.ts';
import { readLines } from '../../../../results/lines.ts';

/** Reads the answer of PREPARE. Only it contains the table of frame times at a variable rate. */
export async function readPrepared(path: string): Promise<PreparedMedium | undefined> {
  for await (const { text } of readLines(path)) return JSON.parse(text) as PreparedMedium;
  return undefined;
}
