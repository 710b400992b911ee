/** Applies a job's roll-up file, which replaces property values by the name of their group. */
import { readFile, stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { checkFileUri } from '../../../../media/fetch/file-uris.ts';
import { MediumError } from '../../../../media/medium-error.ts';
import { applyRollUp, parseRollUp } from '../../../../domain/tracks/roll-up.ts';
import type { Track } from '../../../../domain/types.ts';
import type { FinishWork } from '../../../../protocol/track-work.ts';

const MAX_ROLL_UP_BYTES = 16 * 1024 * 1024;

/** Returns the function that applies the file to a track. Without a file, tracks are unchanged. Throws OTHER if the file is unusable. */
export async function readRollUp(given: FinishWork['rollUp']): Promise<<T extends Track>(track: T) => T> {
  if (given === undefined) return (track) => track;
  const rule = parseRollUp(await textOf(given));
  if ('refused' in rule) throw new MediumError('OTHER', `ROLL_UP_FILE: ${rule.refused}`);
  return (track) => ({ ...track, ...applyRollUp(rule, track) });
}

async function textOf({ file, roots, excluded = [] }: NonNullable<FinishWork['rollUp']>): Promise<string> {
  const uri = /^file:/i.test(file) ? file : pathToFileURL(file).href;
  let path: string;
  try {
    path = await checkFileUri(uri, roots, excluded);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MediumError(
      'OTHER',
      `The file that ROLL_UP_FILE names cannot be used: ${reason}. It must lie on the server, below one of its media roots.`,
      { cause: error },
    );
  }
  const { size } = await stat(path);
  if (size > MAX_ROLL_UP_BYTES)
    throw new MediumError(
      'OTHER',
      `The file that ROLL_UP_FILE names has more than ${MAX_ROLL_UP_BYTES} bytes.`,
    );
  return readFile(path, 'utf8');
}
