import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { urlOf } from './kit/api.ts';
import { later } from './kit/later.tsx';
import { Problem } from './kit/parts.tsx';
import { hrefOf, useRoute, type Route } from './kit/route.ts';
import { isAdmin, useSession, type Session } from './kit/session.ts';
import { Library } from './library/library.tsx';
import { AnalysisSheet } from './new/sheet.tsx';
import { Header, SystemTabs } from './shell/header.tsx';
import { TEXT } from './kit/text.ts';

const Notices = later(async () => (await import('./shell/notices.tsx')).Notices, 0);
const Account = later(async () => (await import('./account/account.tsx')).Account);
const AlgorithmView = later(async () => (await import('./components/list.tsx')).AlgorithmView);
const ComponentList = later(async () => (await import('./components/list.tsx')).ComponentList);
const NewAnalysis = later(async () => (await import('./new/new-analysis.tsx')).NewAnalysis);
const Nodes = later(async () => (await import('./nodes/nodes.tsx')).Nodes);
const Operation = later(async () => (await import('./operation/operation.tsx')).Operation);
const People = later(async () => (await import('./people/people.tsx')).People);
const PersonView = later(async () => (await import('./people/person.tsx')).PersonView);
const PipelineList = later(async () => (await import('./pipelines/list.tsx')).PipelineList);
const PipelineView = later(async () => (await import('./pipelines/list.tsx')).PipelineView);
const PipelineEditor = later(async () => (await import('./pipelines/editor/editor.tsx')).PipelineEditor);
const Search = later(async () => (await import('./search/search.tsx')).Search);
const Duplicates = later(async () => (await import('./search/duplicates.tsx')).Duplicates);
const Similar = later(async () => (await import('./search/similar/similar.tsx')).Similar);
const StreamList = later(async () => (await import('./streams/list.tsx')).StreamList);
const StreamView = later(async () => (await import('./streams/stream.tsx')).StreamView);
const Viewer = later(async () => (await import('./viewer/viewer.tsx')).Viewer);
const JobView = later(async () => (await import('./jobs/job.tsx')).JobView);
const JobList = later(async () => (await import('./jobs/list.tsx')).JobList);

interface View {
  readonly name: string;
  readonly title: string;
  readonly show: (route: Route) => JSX.Element;
}

/** The views, by the first part of the address. */
const VIEWS: readonly View[] = [
  { name: 'library', title: TEXT.common.library, show: (route) => <Library route={route} /> },
  {
    name: 'jobs',
    title: TEXT.common.jobs,
    show: (route) => {
      const [, id, part, medium] = route.path;
      if (id === undefined) return <JobList route={route} />;
      if (part === 'media')
        return <Viewer job={id} mediaId={medium ?? ''} route={route} key={`${id} ${medium}`} />;
      return <JobView id={id} route={route} key={id} />;
    },
  },
  {
    name: 'new',
    title: TEXT.common.newAnalysis,
    show: ({ query }) => (
      <>
        <h1>{TEXT.common.newAnalysis}</h1>
        <NewAnalysis
          pipeline={query.get('pipeline') ?? ''}
          goal={query.get('goal') ?? ''}
          key={query.toString()}
        />
      </>
    ),
  },
  {
    name: 'search',
    title: TEXT.common.search,
    show: (route) => {
      if (route.path[1] === 'duplicates') return <Duplicates />;
      const View = route.path[1] === 'similar' ? Similar : Search;
      return <View route={route} key={route.query.toString()} />;
    },
  },
  {
    name: 'people',
    title: TEXT.people.title,
    show: (route) => {
      const [, id] = route.path;
      return id === undefined ? (
        <People route={route} key={route.query.toString()} />
      ) : (
        <PersonView id={id} key={id} />
      );
    },
  },
  {
    name: 'streams',
    title: TEXT.common.live,
    show: (route) => {
      const [, id] = route.path;
      if (id === undefined) return <StreamList route={route} />;
      const at = /^\d{1,14}$/.exec(route.query.get('at') ?? '')?.[0];
      return <StreamView id={id} at={at === undefined ? undefined : Number(at)} key={`${id} ${at}`} />;
    },
  },
  {
    name: 'pipelines',
    title: TEXT.common.pipelines,
    show: ({ path: [, name], query }) => {
      if (name === undefined) return <PipelineList />;
      // Names are stored in upper case.
      if (name !== 'new') return <PipelineView name={name} key={name} />;
      const from = query.get('from') ?? '';
      return <PipelineEditor from={from} key={from} />;
    },
  },
  {
    name: 'components',
    title: TEXT.common.components,
    show: ({ path: [, name] }) =>
      name === undefined ? <ComponentList /> : <AlgorithmView name={name} key={name} />,
  },
  { name: 'account', title: TEXT.common.account, show: () => <Account /> },
  { name: 'nodes', title: TEXT.common.nodes, show: () => <Nodes /> },
  { name: 'operation', title: TEXT.common.system, show: () => <Operation /> },
];

const SYSTEM = new Set(['operation', 'nodes', 'components']);

/** True for the system views. One algorithm is for all users, because pipelines link to it. */
const isForAdmins = ({ path: [name = '', detail] }: Route) =>
  SYSTEM.has(name) && (name !== 'components' || detail === undefined);

export function App() {
  const route = useRoute();
  const { session, hasEnded, problem, again } = useSession();
  if (problem !== undefined) return <Problem again={again}>{problem.message}</Problem>;
  if (session === undefined) return <p class="hint">{TEXT.app.loading}</p>;
  if (session === null) return <LoginView />;
  return (
    <>
      {hasEnded && <LoggedOut />}
      <Frame route={route} session={session} />
    </>
  );
}

/** The login opens in another tab, so that nothing that was typed here is lost. */
function LoggedOut() {
  const { pathname, hash } = location;
  return (
    <p class="logged-out" role="alert">
      {TEXT.app.youAreLoggedOutBut}{' '}
      <a href={urlOf('login', { to: `${pathname}${hash}` })} target="_blank">
        {TEXT.app.logInAgain}
      </a>
    </p>
  );
}

/** After the login, the reader returns to the same place. */
function LoginView() {
  const { pathname, hash } = location;
  return (
    <main class="login">
      <img src={new URL('icon.svg', import.meta.url).href} alt="" />
      <h1>{TEXT.common.troupe}</h1>
      <p>{TEXT.app.seeWhatIsInYour}</p>
      <a class="button primary" href={urlOf('login', { to: `${pathname}${hash}` })}>
        {TEXT.app.logIn}
      </a>
    </main>
  );
}

function Frame({ route, session }: { readonly route: Route; readonly session: Session }) {
  const [name = 'library'] = route.path;
  const view = VIEWS.find((one) => one.name === name);
  const main = useRef<HTMLElement>(null);
  // Moves the focus to the new view for users of screen readers.
  useEffect(() => {
    document.title = TEXT.app.windowTitle(view?.title ?? TEXT.common.troupe);
    main.current?.focus({ preventScroll: true });
  }, [route.path.join('/')]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {TEXT.app.skipToTheContent}
      </a>
      <Header view={name} session={session} />
      <Notices />
      <main id="main" tabIndex={-1} ref={main}>
        {SYSTEM.has(name) && isAdmin(session) && <SystemTabs view={name} />}
        {view === undefined ? (
          <Problem>{TEXT.app.thisAddressDoesNotExist}</Problem>
        ) : isForAdmins(route) && !isAdmin(session) ? (
          <AdminsOnly title={view.title} />
        ) : (
          view.show(route)
        )}
      </main>
      <AnalysisSheet />
    </>
  );
}

function AdminsOnly({ title }: { readonly title: string }) {
  return (
    <div class="empty">
      <h1>{title}</h1>
      <p>{TEXT.app.thisViewNeedsTheRole}</p>
      <p>
        <a class="button" href={hrefOf([])}>
          {TEXT.kit.toTheLibrary}
        </a>
      </p>
    </div>
  );
}
