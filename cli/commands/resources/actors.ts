/** `troupe actors`: the actors in memory on the server, and their states. */
import type { Actor, ActorPage } from '../../../client/answers.ts';
import type { Command } from 'commander';
import { groupBy } from '../../../domain/grouping.ts';
import { Table, type Column } from '../../terminal/columns.ts';
import { Failure } from '../../terminal/failure.ts';
import { Interrupts } from '../../terminal/interrupts.ts';
import { pause } from '../../../client/pause.ts';
import type { RestClient } from '../../../client/rest-client.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import {
  askCommand,
  clientOf,
  durationText,
  momentText,
  readAs,
  whole,
  withQuery,
  type RestOptions,
} from './command.ts';

interface ActorOptions extends RestOptions {
  readonly kind?: string;
  readonly failed?: boolean;
  readonly limit: number;
  readonly all?: boolean;
  /** Seconds between two updates. True: the default. */
  readonly watch?: number | true;
}

/** Maximum page size of the service. */
const PAGE = 500;
const WATCH_SECONDS = 2;
/** Lines of the screen besides actors: time, titles, note about further actors, and cursor. */
const OTHER_LINES = 4;
/** Escape sequence that moves the cursor to the upper left and clears the screen. */
const CLEAR = '\u001b[H\u001b[2J';

export function actorsCommand(program: Command, terminal: Terminal): void {
  const about = 'show the actors in memory, and their failures';
  askCommand(program, 'actors', about)
    .option('--kind <KIND>', 'only actors of this kind, such as batch-job')
    .option('--failed', 'only actors that have failed')
    .option('--limit <NUMBER>', 'actors at most', whole(1, 1_000_000), 200)
    .option('--all', 'all actors, however many')
    .option(
      '--watch [SECONDS]',
      `again and again, every ${WATCH_SECONDS} seconds, until Ctrl-C`,
      whole(1, 3_600),
    )
    .action((options: ActorOptions) =>
      options.watch === undefined ? once(options, terminal) : watch(options, terminal),
    );
}

async function once(options: ActorOptions, terminal: Terminal): Promise<void> {
  const client = await clientOf(options, terminal);
  print(client, await look(client, options), options, terminal);
}

async function watch(options: ActorOptions, terminal: Terminal): Promise<void> {
  const client = await clientOf(options, terminal);
  const seconds = options.watch === true ? WATCH_SECONDS : (options.watch ?? WATCH_SECONDS);
  const { isTTY, rows } = terminal.stdout;
  const isScreen = isTTY && options.json !== true;
  const limit = isScreen ? Math.min(options.limit, Math.max(1, rows - OTHER_LINES)) : options.limit;
  const interrupts = new Interrupts();
  try {
    while (!interrupts.signal.aborted) {
      const found = await look(client, isScreen ? { ...options, limit, all: false } : options);
      if (options.json !== true)
        terminal.print(`${isScreen ? CLEAR : ''}${momentText(new Date().toISOString())}`);
      print(client, found, options, terminal);
      await pause(seconds * 1_000, interrupts.signal);
    }
  } finally {
    interrupts.close();
  }
}

/** Fetches all requested pages and joins them. */
async function look(client: RestClient, { kind, failed, limit, all }: ActorOptions): Promise<ActorPage> {
  const actors: Actor[] = [];
  let left = all === true ? Infinity : limit;
  let page: ActorPage | undefined;
  do {
    const query = { limit: Math.min(left, PAGE), kind, failed, after: page?.next ?? undefined };
    page = await pageOf(client, withQuery('/rest/actors', query));
    actors.push(...page.actors);
    left -= page.actors.length;
  } while (left > 0 && page.next !== null);
  return { ...page, actors };
}

async function pageOf(client: RestClient, path: string): Promise<ActorPage> {
  const answer = await client.ask({ method: 'GET', path });
  if (answer.status === 404)
    throw new Failure(`The service at ${client.url} shows no actors: it is of an earlier version.`);
  const page = client.good(answer) as Partial<ActorPage>;
  if (Array.isArray(page.actors)) return page as ActorPage;
  throw new Failure(`The service at ${client.url} did not return a list of actors. Check its version.`);
}

function print(client: RestClient, page: ActorPage, { json }: ActorOptions, terminal: Terminal): void {
  if (json === true) return terminal.print(JSON.stringify(page));
  const lines = readAs(client.url, () => actorLines(page.actors, terminal.width));
  for (const line of lines) terminal.print(line);
  if (page.actors.length === 0) terminal.note('No actor in memory matches.');
  else if (page.next !== null)
    terminal.note('There are more: --limit or --all shows them, --kind and --failed fewer.');
}

interface Row {
  readonly actor: Actor;
  readonly depth: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'ACTOR', of: ({ actor, depth }) => `${'  '.repeat(depth)}${nameOf(actor)}` },
  { title: 'STATE', of: ({ actor }) => stateOf(actor) },
  { title: 'STATUS', of: ({ actor }) => actor.status ?? '' },
  { title: 'WAITING', of: ({ actor }) => waitingOf(actor), right: true },
  { title: 'FAILURES', of: ({ actor }) => failuresOf(actor) },
  { title: 'LOADED', of: ({ actor }) => timeText(actor.loadedAt), flexible: true },
  { title: 'LAST MESSAGE', of: ({ actor }) => messageOf(actor), flexible: true },
  { title: 'LAST FAILURE', of: ({ actor }) => failureOf(actor), flexible: true },
];

/** Returns a table in which the children of an actor are indented below it. Empty columns are omitted. */
export function actorLines(actors: readonly Actor[], width: number): readonly string[] {
  const rows = asTree(actors);
  const columns = COLUMNS.filter(({ of }) => rows.some((row) => of(row) !== ''));
  return rows.length === 0 ? [] : new Table(columns, width).lines(rows);
}

function asTree(actors: readonly Actor[]): readonly Row[] {
  const names = new Set(actors.map(({ name }) => name));
  const below = groupBy(actors, ({ parent }) => (parent !== null && names.has(parent) ? parent : ''));
  const rows = (parent: string, depth: number): readonly Row[] =>
    (below.get(parent) ?? []).flatMap((actor) => [{ actor, depth }, ...rows(actor.name, depth + 1)]);
  return rows('', 0);
}

/** Returns the name of an actor. The name of the only actor of a kind repeats the kind, so the kind is shown. */
const nameOf = ({ name, kind, id }: Actor) => (kind === id ? kind : name);

function stateOf({ state, runningMs }: Actor): string {
  const text = state.toLowerCase().replace('_', ' ');
  return runningMs === null ? text : `${text}, ${durationText(runningMs)}`;
}

const waitingOf = ({ messagesWaiting, mailboxLimit }: Actor) =>
  messagesWaiting === 0 ? '0' : `${messagesWaiting} of ${mailboxLimit}`;

const messageOf = ({ lastMessage }: Actor) =>
  lastMessage === null ? '' : `${lastMessage.type}, ${timeText(lastMessage.at)}`;

const failuresOf = ({ recentFailures, allowedFailures, totalFailures }: Actor) =>
  totalFailures === 0 ? '' : `${recentFailures} of ${allowedFailures}, ${totalFailures} in all`;

const failureOf = ({ lastFailure }: Actor) =>
  lastFailure === null ? '' : `${timeText(lastFailure.at)} ${lastFailure.message}`;

/** Returns the date and time. The date of today is omitted. */
function timeText(iso: string | null): string {
  const [day = '', time = ''] = momentText(iso).split(' ');
  const [today] = momentText(new Date().toISOString()).split(' ');
  return day === today ? time : `${day} ${time}`.trim();
}
