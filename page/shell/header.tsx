import { useState } from 'preact/hooks';
import { urlOf } from '../kit/api.ts';
import { Icon, type IconName } from '../kit/icons.tsx';
import { Menu } from '../kit/menu.tsx';
import { go, hrefOf } from '../kit/route.ts';
import { isAdmin, logOut, type Session } from '../kit/session.ts';
import { openAnalysis } from '../new/open-analysis.ts';

interface Entry {
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  /** Views that belong to it. */
  readonly also?: readonly string[];
  readonly adminOnly?: true;
}

const ENTRIES: readonly Entry[] = [
  { name: 'library', title: 'Library', icon: 'library' },
  { name: 'streams', title: 'Live', icon: 'live' },
  { name: 'search', title: 'Search', icon: 'search' },
  { name: 'jobs', title: 'Jobs', icon: 'jobs', also: ['new'] },
  { name: 'pipelines', title: 'Pipelines', icon: 'pipelines' },
  {
    name: 'operation',
    title: 'System',
    icon: 'system',
    also: ['nodes', 'components'],
    adminOnly: true,
  },
];

/** The bar above all views. On a phone its links are in a menu. */
export function Header({ view, session }: { readonly view: string; readonly session: Session }) {
  return (
    <header class="top">
      <div class="phone">
        <Menu label="Menu" button={<Icon name="menu" size={22} />} className="views">
          <Links view={view} session={session} />
        </Menu>
      </div>
      <a class="brand" href={hrefOf([])}>
        <img src={new URL('../icon.svg', import.meta.url).href} alt="" width={22} height={22} />
        Troupe
      </a>
      <nav class="wide" aria-label="Views">
        <Links view={view} session={session} />
      </nav>
      <SearchField />
      <button type="button" class="primary new" onClick={() => openAnalysis()}>
        <Icon name="plus" /> <span>New analysis</span>
      </button>
      <UserMenu session={session} />
    </header>
  );
}

function Links({ view, session }: { readonly view: string; readonly session: Session }) {
  return (
    <>
      {ENTRIES.filter(({ adminOnly }) => adminOnly !== true || isAdmin(session)).map(
        ({ name, title, icon, also = [] }) => (
          <a
            key={name}
            href={hrefOf([name])}
            aria-current={name === view || also.includes(view) ? 'page' : undefined}
          >
            <Icon name={icon} />
            {title}
          </a>
        ),
      )}
    </>
  );
}

function SearchField() {
  const [text, setText] = useState('');
  return (
    <form
      class="find"
      role="search"
      aria-label="Search everything"
      onSubmit={(event) => {
        event.preventDefault();
        go(hrefOf(['search'], { text: text.trim() }));
      }}
    >
      <Icon name="search" size={16} />
      <input
        type="search"
        placeholder="Search everything"
        aria-label="Search everything"
        value={text}
        onInput={({ currentTarget: { value } }) => setText(value)}
      />
    </form>
  );
}

function UserMenu({ session: { name } }: { readonly session: Session }) {
  return (
    <Menu label={`Account of ${name}`} button={<span class="avatar">{name.slice(0, 1).toUpperCase()}</span>}>
      <p class="who">{name}</p>
      <a href={hrefOf(['account'])}>Account</a>
      <a href={urlOf('docs/')}>Documentation</a>
      <a href={urlOf('docs/api/')}>REST API</a>
      <button type="button" onClick={() => void logOut()}>
        Log out
      </button>
    </Menu>
  );
}

/** The views of the system, which share one entry of the bar. */
export function SystemTabs({ view }: { readonly view: string }) {
  const tabs = [
    ['operation', 'Overview'],
    ['nodes', 'Nodes'],
    ['components', 'Components'],
  ] as const;
  return (
    <nav class="tabs" aria-label="System">
      {tabs.map(([name, title]) => (
        <a key={name} href={hrefOf([name])} aria-current={name === view ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
