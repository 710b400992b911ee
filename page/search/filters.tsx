import { get } from '../kit/api.ts';
import { hueOf } from '../kit/colours.ts';
import { count, dateText, fileName } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { useLoaded } from '../kit/load.ts';
import { go } from '../kit/route.ts';
import { findingTitle, keyOf } from '../library/labels.ts';
import type { PersonPage } from '../people/types.ts';
import { without, type Asked } from './conditions.ts';
import type { Counts } from './counts.ts';
import { TEXT } from '../kit/text.ts';
import { TypedFilters } from './typed-filters.tsx';

const DAYS: Readonly<Record<string, string>> = {
  '1': TEXT.common.today,
  '7': TEXT.search.last7Days,
  '30': TEXT.search.last30Days,
};
const SURE: Readonly<Record<string, string>> = {
  '0.5': TEXT.search.percentSure(50),
  '0.75': TEXT.search.percentSure(75),
  '0.9': TEXT.search.percentSure(90),
};
/** Orders of the hits. The default is newest first. */
const SORTS: Readonly<Record<string, string>> = {
  best: TEXT.search.bestMatchFirst,
  oldest: TEXT.search.oldestFirst,
};
/** Minimum similarities that are offered. */
const ALIKE = ['0.5', '0.7', '0.9'];
/** Number of entries of a list shown at first. */
const LISTED = 10;

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

interface Narrowed {
  readonly chosen: Asked;
  /** Returns the address of the view with other filters. */
  readonly hrefFor: (chosen: Asked) => string;
  /** True if the hits are similar to something. Then a text is a filter like others. */
  readonly isSimilar?: true;
}

/** The active filters, each with a link that removes it. */
export function ChosenFilters({ chosen, hrefFor, isSimilar }: Narrowed) {
  const { text, type, class: name, colour, sure, days, from, to, medium, camera } = chosen;
  const { person, inJob, alike } = chosen;
  const named = usePersonName(person);
  const chips: readonly (readonly [string | undefined, readonly string[]])[] = [
    [type === undefined ? undefined : findingTitle({ type, class: name ?? null }), ['type', 'class']],
    [colour && capital(colour), ['colour']],
    [sure && (SURE[sure] ?? TEXT.search.confidenceOf(sure)), ['sure']],
    [days && (DAYS[days] ?? TEXT.search.lastDays(days)), ['days']],
    [isTime(from) ? TEXT.search.fromTime(dateText(from)) : undefined, ['from']],
    [isTime(to) ? TEXT.search.toTime(dateText(to)) : undefined, ['to']],
    [medium && fileName(medium), ['medium']],
    [camera && TEXT.search.camera(camera), ['camera']],
    [named, ['person']],
    [inJob && TEXT.search.job(inJob), ['inJob']],
    [alike && TEXT.search.similarityFrom(alike), ['alike']],
    [isSimilar && text, ['text']],
  ];
  const shown = chips.filter(([title]) => title !== undefined);
  if (shown.length === 0) return null;
  return (
    <nav class="chips offers" aria-label={TEXT.search.filtersInUse}>
      {shown.map(([title, names]) => (
        <a
          key={names.join()}
          class="chip"
          href={hrefFor(without(chosen, ...names))}
          aria-label={TEXT.common.remove(title ?? '')}
        >
          {title} <Icon name="close" size={14} />
        </a>
      ))}
    </nav>
  );
}

const isTime = (time: string | undefined): time is string =>
  time !== undefined && !Number.isNaN(Date.parse(time));

/** Returns the name for the id of a person. A name is returned unchanged. */
function usePersonName(person: string | undefined): string | undefined {
  const isId = person !== undefined && /^[0-9a-f]{16}$/.test(person);
  const found = useLoaded(
    () => (isId ? get<PersonPage>(`rest/people/${person}`, { limit: 1 }) : Promise.resolve(undefined)),
    [person],
  );
  if (!isId) return person;
  return found.value === undefined
    ? TEXT.people.onePerson
    : (found.value.person.name ?? TEXT.people.onePerson);
}

/** Filters by properties of the hits. Of a search, they have counts, and are nothing if no choice has a hit. */
export function SearchFacets({ counts, ...of }: Narrowed & { readonly counts: Counts | undefined }) {
  const { chosen, hrefFor, isSimilar } = of;
  const lists = [counts?.findings, counts?.colours, counts?.media];
  if (!isSimilar && lists.every((list) => (list ?? []).length === 0)) return null;
  const facet = (filter: Asked) => ({ filter, chosen, hrefFor });
  const counted = (tracks: number | undefined) => (isSimilar ? {} : { tracks });
  const sure = new Map(counts?.confidences.map((one) => [String(one.minConfidence), one.tracks]));
  return (
    <aside class="facets" aria-label={TEXT.common.filters}>
      <List title={TEXT.common.found}>
        {counts?.findings.slice(0, LISTED).map((one) => (
          <Facet
            key={`${one.type} ${one.class}`}
            {...facet({ type: one.type, class: one.class ?? undefined })}
            title={findingTitle(one)}
            {...counted(one.tracks)}
            dot={hueOf(keyOf(one))}
          />
        ))}
      </List>
      <List title={TEXT.search.colour}>
        {counts?.colours.map(({ colour, tracks }) => (
          <Facet
            key={colour}
            {...facet({ colour })}
            {...counted(tracks)}
            title={capital(colour)}
            dot={`colour-${colour}`}
          />
        ))}
      </List>
      {isSimilar ? (
        <List title={TEXT.search.howSimilar}>
          {ALIKE.map((alike) => (
            <Facet key={alike} {...facet({ alike })} title={TEXT.search.similarityFrom(alike)} />
          ))}
        </List>
      ) : (
        <List title={TEXT.search.order}>
          {Object.entries(SORTS).map(([sort, title]) => (
            <Facet key={sort} {...facet({ sort })} title={title} />
          ))}
        </List>
      )}
      <List title={TEXT.search.when}>
        {Object.entries(DAYS).map(([days, title]) => (
          <Facet
            key={days}
            {...facet({ days, from: undefined, to: undefined })}
            title={title}
            {...counted(counts?.days.get(days))}
          />
        ))}
      </List>
      <TimeRange {...of} />
      <List title={TEXT.search.confidence}>
        {Object.entries(SURE).map(([least, title]) => (
          <Facet key={least} {...facet({ sure: least })} title={title} {...counted(sure.get(least))} />
        ))}
      </List>
      <List title={TEXT.search.cameraOrFile}>
        {counts?.media.slice(0, LISTED).map(({ mediaUri, tracks }) => (
          <Facet
            key={mediaUri}
            {...facet({ medium: mediaUri })}
            {...counted(tracks)}
            title={fileName(mediaUri)}
          />
        ))}
      </List>
      <TypedFilters
        {...{ chosen, hrefFor }}
        names={isSimilar ? ['text', 'medium', 'camera', 'person', 'inJob'] : ['camera', 'person', 'inJob']}
      />
    </aside>
  );
}

/** Filter by date and time. It replaces a filter by days. */
function TimeRange({ chosen, hrefFor }: Narrowed) {
  const field = (name: 'from' | 'to', text: string) => (
    <label>
      <span>{text}</span>
      <input
        type="datetime-local"
        value={chosen[name] ?? ''}
        onChange={({ currentTarget: { value } }) =>
          go(hrefFor({ ...without(chosen, 'days'), [name]: value }))
        }
      />
    </label>
  );
  return (
    <details class="time-range" open={chosen['from'] !== undefined || chosen['to'] !== undefined}>
      <summary>{TEXT.search.otherTime}</summary>
      {field('from', TEXT.search.timeFrom)}
      {field('to', TEXT.search.timeTo)}
    </details>
  );
}

interface ListProps {
  readonly title: string;
  readonly children: readonly unknown[] | undefined;
}

function List({ title, children }: ListProps) {
  if (children === undefined || children.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul>{children as never}</ul>
    </>
  );
}

/** A filter. A second click removes it. */
function Facet({
  title,
  tracks,
  dot,
  filter,
  chosen,
  hrefFor,
}: Narrowed & {
  readonly title: string;
  readonly tracks?: number | undefined;
  readonly dot?: string;
  readonly filter: Asked;
}) {
  const isOn = Object.entries(filter).every(([name, value]) => chosen[name] === value);
  const target = isOn ? without(chosen, ...Object.keys(filter)) : { ...chosen, ...filter };
  return (
    <li>
      <a href={hrefFor(target)} aria-current={isOn ? 'true' : undefined}>
        <span class={`dot ${dot ?? ''}`} />
        <span class="grow">{title}</span>
        {tracks !== undefined && <span class="number">{count(tracks)}</span>}
      </a>
    </li>
  );
}
