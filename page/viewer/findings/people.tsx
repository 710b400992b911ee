import { get } from '../../kit/api.ts';
import { useLoaded } from '../../kit/load.ts';
import { hrefOf } from '../../kit/route.ts';
import { TEXT } from '../../kit/text.ts';
import { Face } from '../../people/face.tsx';
import { nameOf, type PeoplePage, type Person } from '../../people/types.ts';
import type { Medium } from '../types.ts';

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
