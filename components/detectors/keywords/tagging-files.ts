/** Finds the rules of a sub-job: in its property, or in a file of the component. Clients cannot name other paths. */
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Properties } from '../../../domain/types.ts';
import { packageFile } from '../../shared/package-file.ts';
import { TagRulesError, parseTagRules } from './rules.ts';
import { taggerOf, type Tagger } from './tagger.ts';
import { invalidProperty } from '../../shared/tracking/settings.ts';

/** Compiled rules by their source. All tracks of a job use the same ones. */
export type TaggerCache = Map<string, Tagger>;
const MAX_CACHED = 20;

/** Returns the tagger. Throws INVALID_PROPERTY for invalid rules or a missing file. */
export async function taggerFor(properties: Properties, cache: TaggerCache): Promise<Tagger> {
  const own = properties['TAGGING_RULES'] ?? '';
  const name = properties['TAGGING_FILE']?.trim() ?? '';
  const key = own.trim() === '' ? `file ${name}` : `rules ${own}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const tagger = own.trim() === '' ? compileTagger(await textOf(name), `The tagging file "${name}"`) : compileTagger(own, 'The TAGGING_RULES property'); // oxfmt-ignore
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, tagger);
  return tagger;
}

function compileTagger(text: string, what: string): Tagger {
  try {
    return taggerOf(parseTagRules(text));
  } catch (error) {
    if (!(error instanceof TagRulesError)) throw error;
    throw invalidProperty(`${what} cannot be used. ${error.message}`);
  }
}

/** Reads a file by its name in the folder's listing, so that no other files can be read. */
async function textOf(name: string): Promise<string> {
  const folder = dirname(packageFile('components/detectors/keywords/tags/general.json'));
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((one) => one.name);
  if (!files.includes(name))
    throw invalidProperty(
      `The TAGGING_FILE property is "${name}"; it must name one of the component's files: ${files.toSorted().join(', ')}. Give rules of your own in TAGGING_RULES.`,
    );
  return readFile(join(folder, name), 'utf8');
}
