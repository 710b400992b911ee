import { useEffect, useState } from 'preact/hooks';
import { get, urlOf } from '../kit/api.ts';
import { Icon, type IconName } from '../kit/icons.tsx';
import { Menu } from '../kit/menu.tsx';
import { go, hrefOf } from '../kit/route.ts';
import { isAdmin, logOut, type Session } from '../kit/session.ts';
import type { PeoplePage } from '../people/types.ts';
import { openAnalysis } from '../new/open-analysis.ts';
import { TEXT } from '../kit/text.ts';

interface Entry {
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  /** Other views that belong to this entry. */
  readonly also?: readonly string[];
  readonly adminOnly?: true;
  /** Shown only if faces are or were grouped. */
  readonly needs?: 'PEOPLE';
}

const ENTRIES: readonly Entry[] = [
  { name: 'library', title: TEXT.common.library, icon: 'library' },
  { name: 'streams', title: TEXT.common.live, icon: 'live' },
  { name: 'search', title: TEXT.common.search, icon: 'search' },
  { name: 'people', title: TEXT.people.title, icon: 'face', needs: 'PEOPLE' },
  { name: 'jobs', title: TEXT.common.jobs, icon: 'jobs', also: ['new'] },
  { name: 'pipelines', title: TEXT.common.pipelines, icon: 'pipelines' },
  {
    name: 'operation',
    title: TEXT.common.system,
    icon: 'system',
    also: ['nodes', 'components'],
    adminOnly: true,
  },
];

/** The bar above all views. On a phone, its links are in a menu. */
export function Header({ view, session }: { readonly view: string; readonly session: Session }) {
  return (
    <header class="top">
      <div class="phone">
        <Menu label={TEXT.shell.menu} button={<Icon name="menu" size={22} />} className="views">
          <Links view={view} session={session} />
        </Menu>
      </div>
      <a class="brand" href={hrefOf([])}>
        <img src={new URL('../icon.svg', import.meta.url).href} alt="" width={22} height={22} />
        {TEXT.common.troupe}
      </a>
      <nav class="wide" aria-label={TEXT.shell.views}>
        <Links view={view} session={session} />
      </nav>
      <SearchField />
      <button type="button" class="primary new" onClick={() => openAnalysis()}>
        <Icon name="plus" /> <span>{TEXT.common.newAnalysis}</span>
      </button>
      <UserMenu session={session} />
    </header>
  );
}

function Links({ view, session }: { readonly view: string; readonly session: Session }) {
  const hasPeople = usePeople();
  const shown = ENTRIES.filter(
    ({ adminOnly, needs }) =>
      (adminOnly !== true || isAdmin(session)) && (needs === undefined || hasPeople || view === 'people'),
  );
  return (
    <>
      {shown.map(({ name, title, icon, also = [] }) => (
        <a
          key={name}
          href={hrefOf([name])}
          aria-current={name === view || also.includes(view) ? 'page' : undefined}
        >
          <Icon name={icon} />
          {title}
        </a>
      ))}
    </>
  );
}

/** Requested only once, because the page contains the bar twice. */
let people: Promise<boolean> | undefined;
const findPeople = () =>
  get<PeoplePage>('rest/people', { limit: 1 }).then(({ total, grouping }) => grouping || total > 0);

function usePeople(): boolean {
  const [has, setHas] = useState(false);
  useEffect(() => {
    people ??= findPeople().catch(() => false);
    void people.then(setHas);
  }, []);
  return has;
}

function SearchField() {
  const [text, setText] = useState('');
  return (
    <form
      class="find"
      role="search"
      aria-label={TEXT.shell.searchEverything}
      onSubmit={(event) => {
        event.preventDefault();
        go(hrefOf(['search'], { text: text.trim() }));
      }}
    >
      <Icon name="search" size={16} />
      <input
        type="search"
        placeholder={TEXT.shell.searchEverything}
        aria-label={TEXT.shell.searchEverything}
        value={text}
        onInput={({ currentTarget: { value } }) => setText(value)}
      />
    </form>
  );
}

function UserMenu({ session: { name } }: { readonly session: Session }) {
  return (
    <Menu
      label={TEXT.shell.accountOf(name)}
      button={<span class="avatar">{name.slice(0, 1).toUpperCase()}</span>}
    >
      <p class="who">{name}</p>
      <a href={hrefOf(['account'])}>{TEXT.common.account}</a>
      <a href={urlOf('docs/')}>{TEXT.shell.documentation}</a>
      <a href={urlOf('docs/api/')}>{TEXT.shell.restApi}</a>
      <button type="button" onClick={() => void logOut()}>
        {TEXT.common.logOut}
      </button>
    </Menu>
  );
}

/** The system views, which share one entry of the bar. */
export function SystemTabs({ view }: { readonly view: string }) {
  const tabs = [
    ['operation', TEXT.common.overview],
    ['nodes', TEXT.common.nodes],
    ['components', TEXT.common.components],
  ] as const;
  return (
    <nav class="tabs" aria-label={TEXT.common.system}>
      {tabs.map(([name, title]) => (
        <a key={name} href={hrefOf([name])} aria-current={name === view ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
