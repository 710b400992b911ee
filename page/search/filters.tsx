import { get } from '../kit/api.ts';
import { hueOf } from '../kit/colours.ts';
import { count, dateText, fileName } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { useLoaded } from '../kit/load.ts';
import { go, hrefOf } from '../kit/route.ts';
import { findingTitle, keyOf } from '../library/labels.ts';
import type { PersonPage } from '../people/types.ts';
import { without, type Asked } from './conditions.ts';
import type { Counts } from './counts.ts';
import { TEXT } from '../kit/text.ts';

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
/** Number of entries of a list shown at first. */
const LISTED = 10;

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** The active filters, each with a link that removes it. */
export function ChosenFilters({ chosen }: { readonly chosen: Asked }) {
  const { type, class: name, colour, sure, days, from, to, medium, camera, person } = chosen;
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
  ];
  const shown = chips.filter(([text]) => text !== undefined);
  if (shown.length === 0) return null;
  return (
    <nav class="chips offers" aria-label={TEXT.search.filtersInUse}>
      {shown.map(([text, names]) => (
        <a
          key={text}
          class="chip"
          href={hrefOf(['search'], without(chosen, ...names))}
          aria-label={TEXT.common.remove(text ?? '')}
        >
          {text} <Icon name="close" size={14} />
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

/** Filters by properties of the hits, with the number of hits of each. Nothing if no choice has a hit. */
export function SearchFacets({ counts, chosen }: { readonly counts: Counts; readonly chosen: Asked }) {
  if ([counts.findings, counts.colours, counts.media].every(({ length }) => length === 0)) return null;
  const sure = new Map(counts.confidences.map((one) => [String(one.minConfidence), one.tracks]));
  const facet = (filter: Asked) => ({ filter, chosen });
  return (
    <aside class="facets" aria-label={TEXT.common.filters}>
      <List title={TEXT.common.found}>
        {counts.findings.slice(0, LISTED).map((one) => (
          <Facet
            key={`${one.type} ${one.class}`}
            {...facet({ type: one.type, class: one.class ?? undefined })}
            title={findingTitle(one)}
            tracks={one.tracks}
            dot={hueOf(keyOf(one))}
          />
        ))}
      </List>
      <List title={TEXT.search.colour}>
        {counts.colours.map(({ colour, tracks }) => (
          <Facet
            key={colour}
            {...facet({ colour })}
            title={capital(colour)}
            tracks={tracks}
            dot={`colour-${colour}`}
          />
        ))}
      </List>
      <List title={TEXT.search.order}>
        {Object.entries(SORTS).map(([sort, title]) => (
          <Facet key={sort} {...facet({ sort })} title={title} />
        ))}
      </List>
      <List title={TEXT.search.when}>
        {Object.entries(DAYS).map(([days, title]) => (
          <Facet
            key={days}
            {...facet({ days, from: undefined, to: undefined })}
            title={title}
            tracks={counts.days.get(days)}
          />
        ))}
      </List>
      <TimeRange chosen={chosen} />
      <List title={TEXT.search.confidence}>
        {Object.entries(SURE).map(([least, title]) => (
          <Facet key={least} {...facet({ sure: least })} title={title} tracks={sure.get(least)} />
        ))}
      </List>
      <List title={TEXT.search.cameraOrFile}>
        {counts.media.slice(0, LISTED).map(({ mediaUri, tracks }) => (
          <Facet key={mediaUri} {...facet({ medium: mediaUri })} title={fileName(mediaUri)} tracks={tracks} />
        ))}
      </List>
    </aside>
  );
}

/** Filter by date and time. It replaces a filter by days. */
function TimeRange({ chosen }: { readonly chosen: Asked }) {
  const field = (name: 'from' | 'to', text: string) => (
    <label>
      <span>{text}</span>
      <input
        type="datetime-local"
        value={chosen[name] ?? ''}
        onChange={({ currentTarget: { value } }) =>
          go(hrefOf(['search'], { ...without(chosen, 'days'), [name]: value }))
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

function List({ title, children }: { readonly title: string; readonly children: readonly unknown[] }) {
  if (children.length === 0) return null;
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
}: {
  readonly title: string;
  readonly tracks?: number | undefined;
  readonly dot?: string;
  readonly filter: Asked;
  readonly chosen: Asked;
}) {
  const isOn = Object.entries(filter).every(([name, value]) => chosen[name] === value);
  const target = isOn ? without(chosen, ...Object.keys(filter)) : { ...chosen, ...filter };
  return (
    <li>
      <a href={hrefOf(['search'], target)} aria-current={isOn ? 'true' : undefined}>
        <span class={`dot ${dot ?? ''}`} />
        <span class="grow">{title}</span>
        {tracks !== undefined && <span class="number">{count(tracks)}</span>}
      </a>
    </li>
  );
}
