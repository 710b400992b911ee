import type { z } from 'zod';
import type { searchPage } from '../../../http/schemas/search/search.ts';
import { get } from '../../kit/api.ts';
import { useLoaded } from '../../kit/load.ts';
import { hrefOf } from '../../kit/route.ts';
import { TEXT } from '../../kit/text.ts';
import { Face } from '../../people/face.tsx';
import { nameOf, type PeoplePage, type Person } from '../../people/types.ts';
import type { Medium } from '../../kit/findings/types.ts';

const MOST = 100;
const NOBODY: readonly Person[] = [];

/** Returns the people in a medium of an ended job. Returns none if faces are not grouped. */
export function usePeopleIn(job: string, { mediaId, partial }: Medium): readonly Person[] {
  const isLive = partial !== undefined;
  const page = useLoaded(
    (signal) =>
      isLive
        ? Promise.resolve(undefined)
        : get<PeoplePage>('rest/people', { job, mediaId, limit: MOST }, signal),
    [job, mediaId, isLive],
  );
  return page.value?.people ?? NOBODY;
}

/** The faces of people, each with a link to their other occurrences. */
export function PeopleLinks({ people }: { readonly people: readonly Person[] }) {
  if (people.length === 0) return null;
  return (
    <nav class="people-links" aria-label={TEXT.people.title}>
      {people.map((person) => (
        <a key={person.id} class="chip" href={hrefOf(['people', person.id])}>
          <span class="face">
            <Face of={person.face} />
          </span>
          {nameOf(person)}
        </a>
      ))}
    </nav>
  );
}

type Hits = z.output<typeof searchPage>;
/** The person of a track. */
export type TrackPerson = NonNullable<Hits['hits'][number]['person']>;

/** Maximum number of face tracks whose persons are requested, and maximum length of an address in a filter. */
const [MOST_FACES, MOST_LETTERS] = [500, 1_000];
const UNKNOWN: ReadonlyMap<string, TrackPerson> = new Map();

/** Returns the persons of the face tracks of a medium, by id of the track. Returns none if the job runs or faces are not grouped. */
export function usePersons(
  job: string,
  { mediaId, uri, partial }: Medium,
  isShown: boolean,
): ReadonlyMap<string, TrackPerson> {
  const isWanted = isShown && partial === undefined;
  const query = { job, medium: uri.slice(0, MOST_LETTERS), type: 'FACE', limit: MOST_FACES };
  const found = useLoaded(
    (signal) => (isWanted ? get<Hits>('rest/search', query, signal) : Promise.resolve(undefined)),
    [job, mediaId, isWanted],
  );
  if (found.value === undefined) return UNKNOWN;
  const own = found.value.hits.filter((hit) => hit.mediaId === mediaId);
  return new Map(own.flatMap(({ trackId, person }) => (person === null ? [] : [[trackId, person] as const])));
}
