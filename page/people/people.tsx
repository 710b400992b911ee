import { useState } from 'preact/hooks';
import { send } from '../kit/api.ts';
import { countText } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { Problem, Shown } from '../kit/parts.tsx';
import { go, hrefOf, type Route } from '../kit/route.ts';
import { TEXT } from '../kit/text.ts';
import { SAME_PERSON } from '../new/goals.ts';
import { Face } from './face.tsx';
import { nameOf, seenText, type PeoplePage, type Person } from './types.ts';

const LIMIT = 200;

/** Faces that look alike over all media: a grid to name and to merge. */
export function People({ route: { query } }: { readonly route: Route }) {
  const name = query.get('name') ?? undefined;
  const job = query.get('job') ?? undefined;
  const found = useGet<PeoplePage>('rest/people', { name, job, limit: LIMIT });
  const [chosen, choose] = useState<readonly string[]>([]);
  const toggle = (id: string) =>
    choose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  const onMerge = () => {
    choose([]);
    found.again();
  };
  return (
    <>
      <header class="bar">
        <h1>{TEXT.people.title}</h1>
      </header>
      <Shown of={found}>
        {(page) => (
          <>
            <Tools name={name} job={job} page={page} />
            <MergeBar chosen={page.people.filter(({ id }) => chosen.includes(id))} onMerge={onMerge} />
            {page.people.length === 0 && (
              <Nobody isOn={page.grouping} isNarrowed={(name ?? job) !== undefined} />
            )}
            <ul class="hits grid people">
              {page.people.map((person) => (
                <li key={person.id}>
                  <PersonTile person={person} isChosen={chosen.includes(person.id)} toggle={toggle} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Shown>
    </>
  );
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

interface PersonTileProps {
  readonly person: Person;
  readonly isChosen: boolean;
  readonly toggle: (id: string) => void;
}

function PersonTile({ person, isChosen, toggle }: PersonTileProps) {
  const { id, face } = person;
  return (
    <>
      <a class="tile" href={hrefOf(['people', id])}>
        <span class="shot face">
          <Face of={face} />
        </span>
        <span class={person.name === null ? 'name unnamed' : 'name'}>{nameOf(person)}</span>
        <small>{seenText(person)}</small>
      </a>
      <label class="choose">
        <input type="checkbox" checked={isChosen} onChange={() => toggle(id)} />
        <span class="unseen">{TEXT.people.select(nameOf(person))}</span>
      </label>
    </>
  );
}

/** Stands above the grid while people are chosen. The first one with a name takes in the others. */
function MergeBar({ chosen, onMerge }: { readonly chosen: readonly Person[]; readonly onMerge: () => void }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [first] = chosen;
  if (first === undefined) return problem === undefined ? null : <Problem>{problem}</Problem>;
  const into = chosen.find(({ name }) => name !== null) ?? first;
  const merge = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      for (const { id } of chosen)
        if (id !== into.id) await send('POST', `rest/people/${into.id}/merge`, { person: id });
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
    onMerge();
  };
  return (
    <section class="selection" aria-label={TEXT.people.selectedPeople}>
      <strong role="status">
        {TEXT.people.selected(countText(chosen.length, TEXT.people.person, TEXT.people.people))}
      </strong>
      <button type="button" class="primary" disabled={busy || chosen.length < 2} onClick={() => void merge()}>
        {into.name === null ? TEXT.people.merge : TEXT.people.mergeInto(into.name)}
      </button>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </section>
  );
}
