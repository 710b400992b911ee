import { z } from 'zod';
import type { Lanes, TrackPage, ViewedMedium, ViewedTrack } from '../../client/answers.ts';
import { mediumPath } from '../rest.ts';
import { AnswerLines } from '../text/answer-lines.ts';
import { clock, hasTimes, linkTo, mediumTime, millisecondsOf } from '../text/places.ts';
import { DATA_NOTE, mediumName, quote } from '../text/quote.ts';
import { textAnswer, tool, type ToolCall } from '../tool.ts';
import { jobArgument, mediumArgument } from './arguments.ts';
import { PARTIAL } from './findings.ts';
import { mediumOf } from './media-of-job.ts';

/** Properties with text. The first one that a finding has is its text. */
const TEXT_PROPERTIES = ['TRANSCRIPT', 'TEXT', 'CAPTION', 'TRANSLATED_AUDIO', 'TRANSLATION'];
/** Maximum number of lines requested per kind. */
const MOST_LINES = 1_000;
const LONGEST_LINE = 1_500;
const PAGE_PROPERTY = 'PAGE_NUM';

const input = z.object({
  job: jobArgument,
  medium: mediumArgument,
  kind: z
    .enum(['all', 'speech', 'text'])
    .default('all')
    .describe('speech: what was heard. text: what was read in pictures and documents, and captions'),
  from: mediumTime.optional(),
  to: mediumTime.optional(),
  offset: z.int().min(0).max(MOST_LINES).default(0).describe('Number of lines to skip'),
});

export const transcriptTool = tool({
  name: 'transcript',
  title: 'Read the words of a medium',
  description:
    'The words of one medium of a job in order, with times or pages: speech of videos and sounds, text in pictures, videos and documents.',
  input,
  async run({ job, medium: number, kind, from, to, offset }, call) {
    const medium = await mediumOf(job, number, call);
    const span = {
      fromMs: from === undefined ? undefined : millisecondsOf(from),
      toMs: to === undefined ? undefined : millisecondsOf(to),
    };
    const { tracks, isPartial, isCut } = await wordsOf(mediumPath(job, medium.mediaId), kind, span, call);
    const lines = new AnswerLines();
    lines.add(
      `${mediumName(medium.uri)}, medium ${medium.mediaId} of job ${job}: ${linkTo(call.pageUrl(), job, medium.mediaId)}`,
    );
    lines.add(tracks.length === 0 ? 'No words were found.' : DATA_NOTE);
    const shown = lines.addAll(tracks.slice(offset).map((track) => lineOf(track, medium)));
    const rest = tracks.slice(offset + shown);
    if (rest.length > 0)
      lines.close(
        `${isCut ? 'More' : `${rest.length} more lines`}: repeat this call with ${nextOf(rest[0]!, offset + shown, medium)}.`,
      );
    if (isPartial) lines.close(PARTIAL);
    return textAnswer(lines.toString());
  },
});

interface Words {
  readonly tracks: readonly ViewedTrack[];
  readonly isPartial: boolean;
  /** True if there are more lines. */
  readonly isCut: boolean;
}

type Span = Readonly<Record<'fromMs' | 'toMs', number | undefined>>;

/** Returns the tracks with text, sorted by time. */
async function wordsOf(
  path: string,
  kind: 'all' | 'speech' | 'text',
  span: Span,
  { json }: ToolCall,
): Promise<Words> {
  const lanes = await json<Lanes>(`${path}/lanes`);
  const meant = lanes.filter(({ type }) => kind === 'all' || (type === 'SPEECH') === (kind === 'speech'));
  const tracks: ViewedTrack[] = [];
  let isCut = false;
  for (const { lane } of meant) {
    const read = (limit: number) => json<TrackPage>(`${path}/tracks`, { ...span, lane, limit });
    // Most kinds of findings have no text. The first finding shows this.
    const first = await read(1);
    if (!first.tracks.some((track) => textOf(track) !== undefined)) continue;
    const page = first.total === 1 ? first : await read(MOST_LINES);
    tracks.push(...page.tracks.filter((track) => textOf(track) !== undefined));
    isCut ||= page.total > MOST_LINES;
  }
  const isPartial = lanes.some(({ partial }) => partial !== undefined);
  return { tracks: tracks.toSorted((a, b) => a.startMs - b.startMs), isPartial, isCut };
}

function textOf({ properties }: ViewedTrack): string | undefined {
  const name = TEXT_PROPERTIES.find((one) => (properties[one] ?? '').trim() !== '');
  return name === undefined ? undefined : properties[name];
}

function lineOf(track: ViewedTrack, { mediaType }: ViewedMedium): string {
  const page = track.properties[PAGE_PROPERTY];
  const where = hasTimes(mediaType)
    ? `${clock(track.startMs)} `
    : page === undefined
      ? ''
      : `page ${quote(page).slice(1, -1)} `;
  return `${where}${quote(textOf(track) ?? '', LONGEST_LINE)}`;
}

const nextOf = ({ startMs }: ViewedTrack, offset: number, { mediaType }: ViewedMedium): string =>
  hasTimes(mediaType) ? `from "${clock(startMs)}"` : `offset ${offset}`;
