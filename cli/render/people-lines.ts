/** The people that a job has found. */
import { setTimeout as pause } from 'node:timers/promises';
import type { PeoplePage } from '../../client/answers.ts';
import { jsonOf } from '../../client/answer-text.ts';
import type { RestClient } from '../../client/rest-client.ts';
import { printable } from '../../domain/text/printable.ts';
import type { DocumentSummary, MediumSummary } from './summary.ts';

/** Maximum time to wait until faces are grouped. Grouping starts after the job has ended, and other jobs may come first. */
const WAIT_MS = 5_000;
const LOOK_MS = 250;
/** Maximum number of named people listed. */
const NAMED = 10;
/** Faces can be grouped if they have vectors in the property FEATURE. */
const [FACE, FEATURE] = ['FACE', 'FEATURE'];

/** Returns a line such as `3 people in 10 face tracks`. Returns no lines if no faces have vectors, or the service does not group faces. */
export async function peopleLines(
  client: Pick<RestClient, 'ask'>,
  jobId: string,
  { media }: DocumentSummary,
): Promise<readonly string[]> {
  const tracks = media.reduce((sum, { types }) => sum + (types.get(FACE) ?? 0), 0);
  if (!media.some(hasFaceVectors)) return [];
  const path = `/rest/people?${new URLSearchParams({ job: jobId, limit: '500' }).toString()}`;
  const until = Date.now() + WAIT_MS;
  for (;;) {
    const answer = await client.ask({ method: 'GET', path });
    if (answer.status !== 200) return [];
    const page = jsonOf(answer) as PeoplePage;
    if (!page.grouping) return [];
    if (page.complete) return page.total === 0 ? [] : ['', peopleLine(page, tracks)];
    if (Date.now() >= until)
      return [
        '',
        `The faces are not in groups yet: \`troupe people list --job ${jobId}\` shows people later.`,
      ];
    await pause(LOOK_MS);
  }
}

const hasFaceVectors = ({ tracks }: MediumSummary): boolean =>
  tracks.shown.some(({ type, properties }) => type === FACE && FEATURE in properties);

function peopleLine({ people, total }: PeoplePage, tracks: number): string {
  const names = people.flatMap(({ name }) => (name === null ? [] : [printable(name)]));
  const shown = names.slice(0, NAMED);
  const others = total - shown.length;
  const who = shown.length === 0 ? '' : `: ${shown.join(', ')}${others === 0 ? '' : ` and ${others} more`}`;
  const of = `${tracks} face ${tracks === 1 ? 'track' : 'tracks'}`;
  return `${total} ${total === 1 ? 'person' : 'people'} in ${of}${who}`;
}
