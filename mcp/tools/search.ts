import { z } from 'zod';
import type { SearchHit, SearchPage } from '../../client/answers.ts';
import { AnswerLines } from '../text/answer-lines.ts';
import { clockRange, countOf, hasTimes, linkTo } from '../text/places.ts';
import { DATA_NOTE, mediumName, quote, typeName } from '../text/quote.ts';
import { textAnswer, tool, type ToolCall } from '../tool.ts';

/** A page may be empty although more follow; so many are asked for until there is a hit. */
const MOST_PAGES = 5;
const MOST_HITS = 25;

/** A day, or a time of it; UTC where no zone is given. */
const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;
const time = z.string().refine((text) => DATE.test(text) && Number.isFinite(momentOf(text)), {
  error: 'must be like 2026-03-01 or 2026-03-01T09:30Z',
});

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
  from: time
    .optional()
    .describe('Only jobs that ended at this time or later: 2026-03-01, or 2026-03-01T09:30Z'),
  to: time.optional().describe('Only jobs that ended before this time'),
  minConfidence: z.number().min(0).max(1).optional(),
  sort: z
    .enum(['newest', 'oldest', 'best'])
    .default('newest')
    .describe('best: those first with most of the words'),
  limit: z.int().min(1).max(MOST_HITS).default(10),
  cursor: z.string().max(100).optional().describe('Of the answer before, for more'),
});

export const searchTool = tool({
  name: 'search',
  title: 'Search what was found in media',
  description:
    'Finds text that was read (OCR) or heard (speech), things, faces and colours in all analyzed videos, images, sounds and documents. ' +
    'Each hit names the medium, the time, page or frame, and a link.',
  input,
  async run(args, call) {
    const page = await firstHits(args, call);
    const lines = new AnswerLines();
    const { hits, next, complete } = page;
    if (hits.length === 0) lines.add(next === null ? 'Nothing was found.' : 'Nothing was found yet.');
    else lines.add(`${countOf(hits.length, 'hit')}, ${args.sort} first. ${DATA_NOTE}`);
    const shown = lines.addAll(hits.map((hit, n) => `${n + 1}. ${hitText(hit, call.pageUrl())}`));
    if (shown < hits.length) lines.close(`${hits.length - shown} hits are not shown: use a smaller limit.`);
    if (next !== null) lines.close(`There may be more: repeat this call with cursor "${next}".`);
    if (!complete) lines.close('The index is being built, so some media are missing.');
    return textAnswer(lines.toString());
  },
});

async function firstHits(args: z.output<typeof input>, { json }: ToolCall): Promise<SearchPage> {
  const { query: anything, cursor, from, to, ...others } = args;
  let page: SearchPage = { hits: [], next: cursor ?? null, complete: true };
  for (let n = 0; n < MOST_PAGES && page.hits.length === 0 && (n === 0 || page.next !== null); n++)
    page = await json<SearchPage>('/rest/search', {
      ...{ ...others, anything, from: isoOf(from), to: isoOf(to) },
      distinct: true,
      cursor: page.next ?? undefined,
    });
  return page;
}

function momentOf(text: string): number {
  const hasZone = DATE.exec(text)?.[1] !== undefined || !text.includes('T');
  return Date.parse(hasZone ? text : `${text}Z`);
}

const isoOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : new Date(momentOf(text)).toISOString();

function hitText(hit: SearchHit, pageUrl: string): string {
  const { jobId, mediaId, mediaUri, mediaType, type, snippet, frame, confidence, colour } = hit;
  const what = [
    typeName(type),
    ...(hit.class === null ? [] : [quote(hit.class)]),
    ...(snippet.text === '' ? [] : [quote(snippet.text)]),
    ...(colour === null ? [] : [colour]),
  ].join(' ');
  const sure = confidence < 0 ? '' : `, confidence ${confidence.toFixed(2)}`;
  const at = [`job ${jobId}`, `medium ${mediaId}`, ...(frame === null ? [] : [`frame ${frame}`])].join(', ');
  const ms = hasTimes(mediaType) ? hit.startOffsetTime : undefined;
  return `${mediumName(mediaUri)}${whereOf(hit)}: ${what}${sure}\n   ${at}: ${linkTo(pageUrl, jobId, mediaId, ms)}`;
}

function whereOf({ mediaType, page, startOffsetTime, stopOffsetTime }: SearchHit): string {
  if (hasTimes(mediaType)) return `, ${clockRange(startOffsetTime, stopOffsetTime)}`;
  return page === null ? '' : `, ${page.kind.toLowerCase()} ${quote(page.number).slice(1, -1)}`;
}
