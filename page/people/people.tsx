import { useState } from 'preact/hooks';
import { get, send, type Query } from '../kit/api.ts';
import { countText } from '../kit/format.ts';
import { useGet, type Loaded } from '../kit/load.ts';
import { Problem, Shown } from '../kit/parts.tsx';
import { go, hrefOf, type Route } from '../kit/route.ts';
import { BarButton, SelectionBar } from '../kit/selection/bar.tsx';
import { useBulk } from '../kit/selection/bulk.tsx';
import { CheckField } from '../kit/selection/check-field.tsx';
import { useSelection, type Selection } from '../kit/selection/use-selection.ts';
import { TEXT } from '../kit/text.ts';
import { SAME_PERSON } from '../new/goals.ts';
import { Face } from './face.tsx';
import { nameOf, seenText, type PeoplePage, type Person } from './types.ts';

const LIMIT = 100;

/** Faces that look alike in all media: a grid in which people can be named and merged. */
export function People({ route: { query } }: { readonly route: Route }) {
  const name = query.get('name') ?? undefined;
  const job = query.get('job') ?? undefined;
  const asked = { name, job, limit: LIMIT };
  const found = useGet<PeoplePage>('rest/people', asked);
  const places = (found.value?.people ?? []).map(({ id }) => ({ key: id, id }));
  const selection = useSelection(places);
  return (
    <>
      <header class="bar">
        <h1>{TEXT.people.title}</h1>
      </header>
      <Shown of={found}>
        {(page) => (
          <>
            <Tools name={name} job={job} page={page} />
            <PeopleBar of={selection} people={page.people} onEnd={found.again} />
            {page.people.length === 0 && (
              <Nobody isOn={page.grouping} isNarrowed={(name ?? job) !== undefined} />
            )}
            <div {...selection.list}>
              <ul class="hits grid people">
                {page.people.map((person) => (
                  <li key={person.id} class="item">
                    <PersonTile person={person} />
                    <CheckField of={selection} place={person.id} label={TEXT.kit.select(nameOf(person))} />
                  </li>
                ))}
              </ul>
            </div>
            {page.next !== null && <More asked={asked} next={page.next} found={found} key={page.next} />}
          </>
        )}
      </Shown>
    </>
  );
}

interface MoreProps {
  readonly asked: Query;
  readonly next: string;
  readonly found: Loaded<PeoplePage>;
}

/** Loads the next page of people. */
function More({ asked, next: cursor, found }: MoreProps) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const load = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const following = await get<PeoplePage>('rest/people', { ...asked, cursor });
      found.set((page) => page && { ...following, people: joined(page.people, following.people) });
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <>
      {problem !== undefined && <Problem>{problem}</Problem>}
      <p class="pages">
        <button type="button" disabled={isBusy} onClick={() => void load()}>
          {TEXT.people.loadMore}
        </button>
      </p>
    </>
  );
}

/** A person may be on two pages, because new faces change the order. */
function joined(people: readonly Person[], more: readonly Person[]): Person[] {
  const known = new Set(people.map(({ id }) => id));
  return [...people, ...more.filter(({ id }) => !known.has(id))];
}

interface ToolsProps {
  readonly name: string | undefined;
  readonly job: string | undefined;
  readonly page: PeoplePage;
}

function Tools({ name = '', job, page: { people, total } }: ToolsProps) {
  if (total === 0 && name === '' && job === undefined) return null;
  return (
    <div class="tools">
      <input
        type="search"
        aria-label={TEXT.people.nameOfPerson}
        placeholder={TEXT.people.filterByName}
        value={name}
        onChange={({ currentTarget: { value } }) => go(hrefOf(['people'], { job, name: value.trim() }))}
      />
      {job !== undefined && <a href={hrefOf(['people'], { name })}>{TEXT.people.allJobs}</a>}
      <span class="hint" role="status">
        {countText(total, TEXT.people.person, TEXT.people.people)}
        {total > people.length && TEXT.people.seenMost(people.length)}
      </span>
    </div>
  );
}

function Nobody({ isOn, isNarrowed }: { readonly isOn: boolean; readonly isNarrowed: boolean }) {
  if (isNarrowed)
    return (
      <div class="empty">
        <h2>{TEXT.people.nobodyFits}</h2>
        <p>
          <a href={hrefOf(['people'])}>{TEXT.people.showAll}</a>
        </p>
      </div>
    );
  return (
    <div class="empty">
      <h2>{TEXT.people.nobodyYet}</h2>
      <p>{isOn ? TEXT.people.howToStart : TEXT.people.isOff}</p>
      {isOn && (
        <a class="button" href={hrefOf(['new'], { goal: SAME_PERSON })}>
          {TEXT.common.newAnalysis}
        </a>
      )}
    </div>
  );
}

function PersonTile({ person }: { readonly person: Person }) {
  const { id, face } = person;
  return (
    <a class="tile" href={hrefOf(['people', id])}>
      <span class="shot face">
        <Face of={face} />
      </span>
      <span class={person.name === null ? 'name unnamed' : 'name'}>{nameOf(person)}</span>
      <small>{seenText(person)}</small>
    </a>
  );
}

interface BarProps {
  readonly of: Selection;
  readonly people: readonly Person[];
  readonly onEnd: () => void;
}

/** Actions on the selected people. When they are merged, the others become part of the first one with a name. */
function PeopleBar({ of: selection, people, onEnd }: BarProps) {
  const words = { nameOf, one: TEXT.people.person, many: TEXT.people.people };
  const { run, isBusy, outcome, dismiss } = useBulk<Person>(words, onEnd);
  const chosen = people.filter(({ id }) => selection.has(id));
  const into = chosen.find(({ name }) => name !== null) ?? chosen[0];
  const total = countText(chosen.length, TEXT.people.person, TEXT.people.people);
  const merge = ({ id }: Person) => send('POST', `rest/people/${into?.id}/merge`, { person: id });
  const forget = ({ id }: Person) => send('DELETE', `rest/people/${id}`);
  return (
    <SelectionBar
      of={selection}
      label={TEXT.people.selectedPeople}
      text={TEXT.kit.selected(total)}
      {...{ outcome, dismiss }}
    >
      <BarButton
        icon="merge"
        text={into?.name == null ? TEXT.people.merge : TEXT.people.mergeInto(into.name)}
        isDisabled={isBusy || chosen.length < 2}
        act={() =>
          run(
            { act: merge },
            chosen.filter((one) => one !== into),
          )
        }
      />
      <BarButton
        icon="delete"
        text={TEXT.people.forget}
        isDisabled={isBusy}
        act={() => run({ ask: TEXT.people.askForgetThem(total), act: forget }, chosen)}
      />
    </SelectionBar>
  );
}
