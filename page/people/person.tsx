import { useState } from 'preact/hooks';
import { get, send } from '../kit/api.ts';
import { countText, dateText, fileName, timeText } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { useGet, type Loaded } from '../kit/load.ts';
import { OneField, Problem, Risky, Shown } from '../kit/parts.tsx';
import { go, hrefOf } from '../kit/route.ts';
import { BarButton, SelectionBar } from '../kit/selection/bar.tsx';
import { CheckField } from '../kit/selection/check-field.tsx';
import { useSelection, type Selection } from '../kit/selection/use-selection.ts';
import { TEXT } from '../kit/text.ts';
import { Face } from './face.tsx';
import { nameOf, seenText, type Occurrence, type Person, type PersonPage } from './types.ts';

const LIMIT = 100;

/** A person with all occurrences. */
export function PersonView({ id }: { readonly id: string }) {
  const found = useGet<PersonPage>(`rest/people/${encodeURIComponent(id)}`, { limit: LIMIT });
  return (
    <Shown of={found} title={TEXT.people.thisPerson}>
      {(page) => (
        <>
          <Head person={page.person} found={found} />
          <Occurrences page={page} found={found} key={page.person.id} />
        </>
      )}
    </Shown>
  );
}

interface HeadProps {
  readonly person: Person;
  readonly found: Loaded<PersonPage>;
}

function Head({ person, found }: HeadProps) {
  const { id, name, face } = person;
  const rename = async (to: string | null) => {
    const renamed = await send<Person>('PATCH', `rest/people/${id}`, { name: to });
    found.set((page) => page && { ...page, person: renamed });
  };
  return (
    <header class="person">
      <span class="shot face">
        <Face of={face} />
      </span>
      <div>
        <a class="up" href={hrefOf(['people'])}>
          <Icon name="back" size={16} /> {TEXT.people.title}
        </a>
        <h1>{nameOf(person)}</h1>
        <p class="hint">{seenText(person)}</p>
        <OneField
          label={name === null ? TEXT.common.name : TEXT.people.newName}
          button={TEXT.people.save}
          act={rename}
        />
        <p class="deeds">
          <a class="button" href={hrefOf(['search'], { person: id })}>
            {TEXT.people.searchFindings}
          </a>
          {name !== null && (
            <button type="button" onClick={() => void rename(null).catch(() => found.again())}>
              {TEXT.people.removeName}
            </button>
          )}
          <Risky
            ask={TEXT.people.askForget(nameOf(person))}
            act={async () => {
              await send('DELETE', `rest/people/${id}`);
              go(hrefOf(['people']));
            }}
          >
            {TEXT.people.forget}
          </Risky>
        </p>
      </div>
    </header>
  );
}

const keyOf = ({ jobId, mediaId, trackId }: Occurrence) => `${jobId}/${mediaId}/${trackId}`;

function Occurrences({ page, found }: { readonly page: PersonPage; readonly found: Loaded<PersonPage> }) {
  const [problem, setProblem] = useState<string>();
  const { person, tracks, next } = page;
  const selection = useSelection(tracks.map(keyOf).map((key) => ({ key, id: key })));
  const some = tracks.filter((track) => selection.has(keyOf(track)));
  const act = (work: () => Promise<unknown>) => {
    setProblem(undefined);
    work().catch((error: unknown) => setProblem((error as Error).message));
  };
  const split = async () => {
    const body = { tracks: some.map(({ jobId, mediaId, trackId }) => ({ jobId, mediaId, trackId })) };
    const made = await send<Person>('POST', `rest/people/${person.id}/split`, body);
    go(hrefOf(['people', made.id]));
  };
  const more = async () => {
    const following = await get<PersonPage>(`rest/people/${person.id}`, { limit: LIMIT, cursor: next ?? '' });
    found.set(() => ({ ...following, tracks: [...tracks, ...following.tracks] }));
  };
  return (
    <>
      <SelectionBar
        of={selection}
        label={TEXT.people.selectedFaces}
        text={TEXT.kit.selected(countText(some.length, TEXT.people.face))}
      >
        <BarButton
          icon="user"
          text={TEXT.people.somebodyElse}
          isDisabled={some.length === person.tracks}
          act={() => act(split)}
        />
      </SelectionBar>
      {problem !== undefined && <Problem>{problem}</Problem>}
      <h2>{TEXT.people.seenIn}</h2>
      <div {...selection.list}>
        <ul class="hits grid people">
          {tracks.map((track) => (
            <li key={keyOf(track)} class="item">
              <OccurrenceTile track={track} selection={selection} />
            </li>
          ))}
        </ul>
      </div>
      {next !== null && (
        <p class="pages">
          <button type="button" onClick={() => act(more)}>
            {TEXT.people.loadMore}
          </button>
        </p>
      )}
    </>
  );
}

interface OccurrenceTileProps {
  readonly track: Occurrence;
  readonly selection: Selection;
}

function OccurrenceTile({ track, selection }: OccurrenceTileProps) {
  const { mediaUri, stream } = track;
  const name = stream === null ? fileName(mediaUri) : mediaUri;
  const when = whenOf(track);
  return (
    <>
      <a class="tile" href={placeOf(track)}>
        <span class="shot face">
          <Face of={track} />
        </span>
        <span class="name">{name}</span>
        <small>{when}</small>
      </a>
      <CheckField of={selection} place={keyOf(track)} label={TEXT.people.selectFace(name, when)} />
    </>
  );
}

/** Returns the address of the position in the medium, or of the camera. */
const placeOf = ({ jobId, mediaId, startOffsetTime, stream }: Occurrence): string =>
  stream === null
    ? hrefOf(['jobs', jobId, 'media', mediaId], { t: Math.round(startOffsetTime) })
    : hrefOf(['streams', jobId]);

function whenOf({ mediaType, startOffsetTime, stopOffsetTime, stream }: Occurrence): string {
  if (stream !== null) return dateText(stream.startDate);
  return mediaType === 'VIDEO'
    ? TEXT.people.fromTo(timeText(startOffsetTime), timeText(stopOffsetTime))
    : TEXT.people.image;
}
