/** Who a job has found. */
import { setTimeout as pause } from 'node:timers/promises';
import type { PeoplePage } from '../../client/answers.ts';
import { jsonOf } from '../../client/answer-text.ts';
import type { RestClient } from '../../client/rest-client.ts';
import { printable } from '../../domain/text/printable.ts';
import type { DocumentSummary, MediumSummary } from './summary.ts';

/** Faces come into groups a moment after the job has ended; others may be before them. */
const WAIT_MS = 5_000;
const LOOK_MS = 250;
/** People with a name that are listed. */
const NAMED = 10;
/** With their vectors, faces can be grouped. */
const [FACE, FEATURE] = ['FACE', 'FEATURE'];

/** `3 people in 10 face tracks`; nothing where no faces have vectors, or the service groups none. */
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
