import { z } from 'zod';
import type { Lanes, TrackCounts, TrackPage, ViewedMedium, ViewedTrack } from '../../client/answers.ts';
import { mediumPath, Refusal } from '../rest.ts';
import { AnswerLines } from '../text/answer-lines.ts';
import { clockRange, hasTimes, linkTo, mediumTime, millisecondsOf } from '../text/places.ts';
import { DATA_NOTE, mediumName, quote, typeName } from '../text/quote.ts';
import { textAnswer, tool, type ToolCall } from '../tool.ts';
import { jobArgument, mediumArgument } from './arguments.ts';
import { mediumOf } from './media-of-job.ts';

const MOST_TRACKS = 50;
const MOST_SERIES = 15;
const LABEL = 120;
/** Maximum length of a shown value. Vectors are longer. */
const LONGEST_VALUE = 60;

const input = z.object({
  job: jobArgument,
  medium: mediumArgument,
  type: z.string().max(100).optional().describe('Only findings of this type, such as FACE'),
  text: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Only findings whose text, class or another property contains this'),
  from: mediumTime.optional(),
  to: mediumTime.optional(),
  minConfidence: z.number().min(0).max(1).optional(),
  limit: z.int().min(1).max(MOST_TRACKS).default(20),
  offset: z.int().min(0).max(10_000_000).default(0).describe('Number of findings to skip'),
});
type Arguments = z.output<typeof input>;

export const findingsTool = tool({
  name: 'findings',
  title: 'List what was found in a medium',
  description:
    'Counts what was found in one medium of a job by type and class, then lists the findings by time, with frames. For the words of a medium use transcript.',
  input,
  async run(args, call) {
    const medium = await mediumOf(args.job, args.medium, call);
    const path = mediumPath(args.job, medium.mediaId);
    const lines = new AnswerLines();
    const link = linkTo(call.pageUrl(), args.job, medium.mediaId);
    lines.add(`${mediumName(medium.uri)}, medium ${medium.mediaId} of job ${args.job}: ${link}`);
    lines.add(DATA_NOTE);
    if (args.offset === 0) lines.addAll(await countLines(path, call));
    const lanes = await call.json<Lanes>(`${path}/lanes`);
    const page = await tracksOf(path, args, lanes, call);
    lines.add(headOf(page, args.offset));
    const typeOf = (track: ViewedTrack) => lanes.find(({ lane }) => lane === track.lane)?.type ?? '';
    const shown = lines.addAll(page.tracks.map((track) => trackText(track, typeOf(track), medium)));
    const next = args.offset + shown;
    if (next < page.total) lines.close(`More: repeat this call with offset ${next}.`);
    if (page.partial !== undefined) lines.close(PARTIAL);
    return textAnswer(lines.toString());
  },
});

export const PARTIAL = 'The job still runs: this is what it has found so far.';

/** Returns the numbers of tracks by type and class, most frequent first. */
async function countLines(path: string, { json }: ToolCall): Promise<readonly string[]> {
  const { series, omitted } = await json<TrackCounts>(`${path}/counts`);
  const shown = series.slice(0, MOST_SERIES).map(({ type, class: name, total }) => {
    const what = name === null ? typeName(type) : `${typeName(type)} ${quote(name)}`;
    return `${what}: ${total}`;
  });
  const more = series.length - shown.length + omitted;
  return shown.length === 0
    ? []
    : [`Counts of the whole medium: ${shown.join(', ')}${more === 0 ? '' : `, and ${more} more classes`}`];
}

function headOf({ tracks, total }: TrackPage, offset: number): string {
  if (total === 0) return 'No findings match.';
  return `Findings ${offset + 1} to ${offset + tracks.length} of ${total}, by time:`;
}

async function tracksOf(path: string, args: Arguments, lanes: Lanes, call: ToolCall): Promise<TrackPage> {
  const { from, to, minConfidence, text, limit, offset, type } = args;
  if (type !== undefined && lanes.length === 0) return { tracks: [], total: 0 };
  return call.json<TrackPage>(`${path}/tracks`, {
    ...{ minConfidence, text, limit, offset },
    lane: type === undefined ? undefined : laneOf(type, lanes),
    fromMs: from === undefined ? undefined : millisecondsOf(from),
    toMs: to === undefined ? undefined : millisecondsOf(to),
  });
}

/**
 * Returns the lane with findings of this type. If there are several, returns the one with the most.
 * @throws Refusal that names the types
 */
function laneOf(type: string, lanes: Lanes): number {
  const wanted = type.trim().toUpperCase();
  const fit = lanes.filter((lane) => lane.type.toUpperCase() === wanted);
  const [first] = fit.toSorted((a, b) => b.tracks - a.tracks);
  if (first !== undefined) return first.lane;
  const known = [...new Set(lanes.map((lane) => typeName(lane.type)))].join(', ');
  throw new Refusal(`Nothing of type ${typeName(type)} was found in this medium. It has: ${known}.`);
}

function trackText(track: ViewedTrack, type: string, { mediaType }: ViewedMedium): string {
  const { startMs, stopMs, startFrame, exemplarFrame, confidence, n } = track;
  const label = track.label ?? propertiesText(track);
  const when = hasTimes(mediaType) ? `${clockRange(startMs, stopMs)}, ` : '';
  const frame = mediaType === 'VIDEO' ? `frame ${exemplarFrame ?? startFrame}, ` : '';
  const what = label === '' ? typeName(type) : `${typeName(type)} ${quote(label, LABEL)}`;
  const sure = confidence < 0 ? '' : `, confidence ${confidence.toFixed(2)}`;
  return `#${n} ${when}${frame}${what}${sure}`;
}

/** Describes a finding without a label by its properties. */
const propertiesText = ({ properties }: ViewedTrack): string =>
  Object.entries(properties)
    .filter(([, value]) => value.length <= LONGEST_VALUE)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
