import { z } from 'zod';
import type { SearchPage, SimilarPage } from '../../client/answers.ts';
import { jsonOf, Refusal } from '../rest.ts';
import { AnswerLines } from '../text/answer-lines.ts';
import { hitText } from '../text/hit-text.ts';
import { countOf } from '../text/places.ts';
import { DATA_NOTE, quote } from '../text/quote.ts';
import { textAnswer, tool, type ToolCall } from '../tool.ts';
import { dateArgument, isoOf, jobArgument, MOST_NUMBER } from './arguments.ts';

/** Maximum number of pages requested until there is a hit. A page may be empty although more follow. */
const MOST_PAGES = 5;
const MOST_HITS = 25;

const input = z.object({
  query: z
    .string()
    .max(500)
    .optional()
    .describe(
      'Words, "several words in a row", beginnings*, one OR another. Each of them was read or heard in a medium, or names a class (car), a type (FACE) or a colour (red). Without it, all findings are listed',
    ),
  type: z
    .string()
    .max(100)
    .optional()
    .describe('Only findings of this type: TEXT (read), SPEECH (heard), CLASS (things), FACE, MOTION, ...'),
  class: z.string().max(200).optional().describe('Only things of this class, such as car'),
  medium: z.string().max(500).optional().describe('Only media with this in their name or address'),
  job: z.string().max(200).optional().describe('Only this job'),
  from: dateArgument
    .optional()
    .describe(
      'Only jobs that ended, and what cameras saw, at this time or later: 2026-03-01, or 2026-03-01T09:30Z',
    ),
  to: dateArgument.optional().describe('Only jobs that ended, and what cameras saw, before this time'),
  minConfidence: z.number().min(0).max(1).optional(),
  sort: z
    .enum(['newest', 'oldest', 'best'])
    .default('newest')
    .describe('best: hits with most of the words first'),
  limit: z.int().min(1).max(MOST_HITS).default(10),
  like: z
    .strictObject({
      job: jobArgument,
      medium: z.int().min(0).max(MOST_NUMBER),
      track: z.string().min(1).max(1_000),
    })
    .optional()
    .describe(
      'Only what looks like this track, the most similar first. Hits that have a vector name their track',
    ),
  likeText: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(
      'Only pictures that show this, such as "a red car in the snow". Needs a model with a text half',
    ),
  cursor: z.string().max(100).optional().describe('Cursor of the previous answer, for more'),
});

export const searchTool = tool({
  name: 'search',
  title: 'Search what was found in media',
  description:
    'Finds text that was read (OCR) or heard (speech), things, faces and colours in all analyzed videos, images, sounds and documents. ' +
    'Each hit names the medium, the time, page or frame, and a link.',
  input,
  run: async (args, call) =>
    textAnswer(
      await (args.like === undefined && args.likeText === undefined ? hitsText : similarText)(args, call),
    ),
});

type Arguments = z.output<typeof input>;

async function hitsText(args: Arguments, call: ToolCall): Promise<string> {
  const { hits, next, complete } = await firstHits(args, call);
  const lines = new AnswerLines();
  if (hits.length === 0) lines.add(next === null ? 'Nothing was found.' : 'Nothing was found yet.');
  else lines.add(`${countOf(hits.length, 'hit')}, ${args.sort} first. ${DATA_NOTE}`);
  addHits(hits, lines, call);
  if (next !== null) lines.close(`There may be more: repeat this call with cursor "${next}".`);
  if (!complete) lines.close(INCOMPLETE);
  return lines.toString();
}

const INCOMPLETE = 'The index is being built, so some media are missing.';

/** Returns hits that are similar to a track or match a text. */
async function similarText({ like, likeText, ...args }: Arguments, call: ToolCall): Promise<string> {
  const { query: anything, cursor, from, to, sort: _, limit, ...others } = args;
  if (cursor !== undefined) throw new Refusal('There is no cursor for similar hits. Use a larger limit.');
  const filter = { ...others, anything, from: isoOf(from), to: isoOf(to), distinct: true };
  if (like !== undefined && likeText !== undefined) throw new Refusal('Use like or likeText, not both.');
  const target =
    like === undefined ? { text: likeText } : { jobId: like.job, mediaId: like.medium, trackId: like.track };
  const body = { ...target, filter, limit };
  const answer = await call.ask({ method: 'POST', path: '/rest/search/similar', body });
  const { hits, model, searched, complete } = jsonOf(answer) as SimilarPage;
  const lines = new AnswerLines();
  if (hits.length === 0) lines.add('Nothing was found.');
  else
    lines.add(`${countOf(hits.length, 'hit')}, most similar first, by model ${quote(model)}. ${DATA_NOTE}`);
  addHits(hits, lines, call);
  if (!complete || searched < 1) lines.close(INCOMPLETE);
  return lines.toString();
}

function addHits(hits: SearchPage['hits'], lines: AnswerLines, call: ToolCall): void {
  const shown = lines.addAll(hits.map((hit, n) => `${n + 1}. ${hitText(hit, call.pageUrl())}`));
  if (shown < hits.length) lines.close(`${hits.length - shown} hits are not shown: use a smaller limit.`);
}

async function firstHits(args: Arguments, { json }: ToolCall): Promise<SearchPage> {
  const { query: anything, cursor, from, to, like: _, likeText: __, ...others } = args;
  let page: SearchPage = { hits: [], next: cursor ?? null, complete: true };
  for (let n = 0; n < MOST_PAGES && page.hits.length === 0 && (n === 0 || page.next !== null); n++)
    page = await json<SearchPage>('/rest/search', {
      ...{ ...others, anything, from: isoOf(from), to: isoOf(to) },
      distinct: true,
      cursor: page.next ?? undefined,
    });
  return page;
}
