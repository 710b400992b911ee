import { Icon, type IconName } from '../kit/icons.tsx';
import { go, hrefOf } from '../kit/route.ts';
import { ARRANGED, GROUPS, SORTS, VIEWS, type Arrangement, type View } from './arrangement.ts';
import { TEXT } from '../kit/text.ts';

const ICONS: Readonly<Record<View, IconName>> = { grid: 'grid', list: 'list' };

/** Returns the address without filters. The arrangement stays. */
export const withoutFilters = (query: URLSearchParams): string =>
  hrefOf(['library'], Object.fromEntries([...query].filter(([name]) => isArranged(name))));

const isArranged = (name: string): boolean => ARRANGED.some((one) => one === name);

/** Tools above the media: the filter by name, and the arrangement. */
export function Tools({
  query,
  arrangement: { view, sort, group },
}: {
  readonly query: URLSearchParams;
  readonly arrangement: Arrangement;
}) {
  const given = Object.fromEntries(query);
  const isFiltered = [...query.keys()].some((name) => name !== 'name' && !isArranged(name));
  const addressWith = (changes: Readonly<Record<string, string>>) =>
    hrefOf(['library'], { ...given, ...changes });
  return (
    <div class="tools">
      <input
        type="search"
        aria-label={TEXT.library.nameOfTheMedium}
        placeholder={TEXT.library.filterByName}
        value={query.get('name') ?? ''}
        onChange={({ currentTarget: { value } }) => go(addressWith({ name: value.trim() }))}
      />
      {isFiltered && <a href={withoutFilters(query)}>{TEXT.library.clearFilters}</a>}
      <span class="arrangement">
        <span class="switch" role="group" aria-label={TEXT.library.view}>
          {VIEWS.map((one) => (
            <a
              key={one}
              href={addressWith({ view: one })}
              aria-current={one === view ? 'true' : undefined}
              aria-label={TEXT.library.views[one]}
              title={TEXT.library.views[one]}
            >
              <Icon name={ICONS[one]} />
            </a>
          ))}
        </span>
        <select
          aria-label={TEXT.library.groups}
          value={group}
          onChange={({ currentTarget: { value } }) => go(addressWith({ group: value }))}
        >
          {GROUPS.map((one) => (
            <option key={one} value={one}>
              {TEXT.library.groupedBy[one]}
            </option>
          ))}
        </select>
        <select
          aria-label={TEXT.library.sort}
          value={sort}
          onChange={({ currentTarget: { value } }) => go(addressWith({ sort: value }))}
        >
          {SORTS.map((one) => (
            <option key={one} value={one}>
              {TEXT.library.sortedBy[one]}
            </option>
          ))}
        </select>
      </span>
    </div>
  );
}
