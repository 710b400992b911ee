/**
 * Searches an index for similar tracks in its own process, so that the memory is that of the searches.
 * Arguments: index file, file with queries. Prints the results, their times, and the memory not mapped from
 * files.
 */
import { readFileSync } from 'node:fs';
import { askedOf } from '../../search/documents.ts';
import { openAt } from '../../search/open.ts';
import { MODEL } from '../../search/vectors.ts';
import type { SimilarQuery } from '../../../store/search.ts';
import { anonymousBytes } from '../memory.ts';

export interface FindQuestion {
  readonly kind: string;
  readonly vector: readonly number[];
  readonly filter: Partial<SimilarQuery>;
}
export interface FindAnswer {
  readonly ms: number;
  readonly ids: readonly number[];
  readonly searched: number;
}
export interface FindAnswers {
  readonly answers: readonly FindAnswer[];
  readonly grownBytes: number;
}

const [file = '', questions = ''] = process.argv.slice(2);
const asked = JSON.parse(readFileSync(questions, 'utf8')) as readonly FindQuestion[];
const index = openAt(file);
// The memory of the same number of other searches does not count.
for (let n = 0; n < asked.length; n++) await index.find(askedOf({ limit: 10, class: 'half' }));
const before = anonymousBytes('self');
const answers: FindAnswer[] = [];
for (const { vector, filter } of [asked[0]!, ...asked]) {
  const { cursor: _, ...query } = askedOf({ limit: 10 });
  const start = performance.now();
  const found = await index.similar({ ...query, ...filter, like: { vector, model: MODEL } });
  if (!('hits' in found)) throw new Error(JSON.stringify(found));
  const ids = found.hits.map(({ trackId }) => Number(trackId));
  answers.push({ ms: performance.now() - start, ids, searched: found.searched });
}
const grownBytes = anonymousBytes('self') - before;
// The first search maps the files, so it is left out.
process.stdout.write(JSON.stringify({ answers: answers.slice(1), grownBytes } satisfies FindAnswers));
await index.close();
