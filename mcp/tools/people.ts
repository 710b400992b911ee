import { z } from 'zod';
import type { Occurrence, PeoplePage, Person, PersonPage } from '../../client/answers.ts';
import { AnswerLines } from '../text/answer-lines.ts';
import { clockRange, countOf, hasTimes, linkTo, linkToStream } from '../text/places.ts';
import { DATA_NOTE, mediumName, quote } from '../text/quote.ts';
import { textAnswer, tool, type ToolCall } from '../tool.ts';

const MOST = 50;

const input = z.object({
  name: z.string().min(1).max(64).optional().describe('Only people with this in their name'),
  job: z.string().max(200).optional().describe('Only people in this job'),
  person: z
    .string()
    .regex(/^[0-9a-f]{16}$/, { error: 'must be an id of a person' })
    .optional()
    .describe('Id of a person: lists where this one is seen'),
  limit: z.int().min(1).max(MOST).default(20),
});

export const peopleTool = tool({
  name: 'people',
  title: 'List people, and where they are seen',
  description:
    'People are groups of faces that look alike over all media; users give them names. Without person, it lists them with one place each. With person, it lists all places of that one.',
  input,
  async run({ person, ...query }, call) {
    return textAnswer(await (person === undefined ? listText(query, call) : personText(person, query, call)));
  },
});

type Query = Omit<z.output<typeof input>, 'person'>;

async function listText(query: Query, call: ToolCall): Promise<string> {
  const { people, total, grouping } = await call.json<PeoplePage>('/rest/people', { ...query });
  const lines = new AnswerLines();
  if (people.length === 0) lines.add('No people were found.');
  else lines.add(`${total === 1 ? '1 person' : `${total} people`}, those seen most first. ${DATA_NOTE}`);
  const shown = lines.addAll(
    people.map(
      (one, n) =>
        `${n + 1}. ${nameOf(one)}, person ${one.id}: ${countsOf(one)}, e.g. ${placeOf(one.face, call)}`,
    ),
  );
  if (shown < total) lines.close('There are more: use name, job or a larger limit.');
  if (!grouping) lines.close('New faces are not grouped on this server.');
  return lines.toString();
}

async function personText(id: string, { limit }: Query, call: ToolCall): Promise<string> {
  const { person, tracks, next } = await call.json<PersonPage>(`/rest/people/${id}`, { limit });
  const lines = new AnswerLines();
  lines.add(`${nameOf(person)}, person ${person.id}: ${countsOf(person)}. ${DATA_NOTE}`);
  const shown = lines.addAll(tracks.map((track, n) => `${n + 1}. ${placeOf(track, call)}`));
  if (next !== null || shown < tracks.length) lines.close('There are more: use a larger limit.');
  return lines.toString();
}

const nameOf = ({ name }: Person): string => (name === null ? 'Without a name' : quote(name));

const countsOf = ({ tracks, media, jobs }: Person): string =>
  `${countOf(tracks, 'track')} in ${media} media of ${countOf(jobs, 'job')}`;

function placeOf(one: Occurrence, call: ToolCall): string {
  const { jobId, mediaId, mediaUri, mediaType, startOffsetTime, stopOffsetTime, frame, stream } = one;
  // An older service does not report streams.
  if (stream?.startDate !== undefined) {
    const when = `${stream.startDate} to ${stream.stopDate}`;
    return `${mediumName(mediaUri)}, ${when}: streaming job ${jobId}: ${linkToStream(call.pageUrl(), jobId)}`;
  }
  const isTimed = hasTimes(mediaType);
  const when = isTimed ? `, ${clockRange(startOffsetTime, stopOffsetTime)}` : '';
  const link = linkTo(call.pageUrl(), jobId, mediaId, isTimed ? startOffsetTime : undefined);
  return `${mediumName(mediaUri)}${when}: job ${jobId}, medium ${mediaId}, frame ${frame}: ${link}`;
}
