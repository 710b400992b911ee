/**
 * Asks an index for similar tracks, in a process of its own, so that its memory is that of the questions. Arguments: the file of the index,
 * the file with the questions. Prints the answers, their times, and the memory that is not mapped from files.
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
// What as many other searches take is none of it.
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
// The first one maps the files.
process.stdout.write(JSON.stringify({ answers: answers.slice(1), grownBytes } satisfies FindAnswers));
await index.close();
