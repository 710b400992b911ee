/** `troupe search` and `troupe reindex`. `--like` and `--duplicates`: similar.ts. */
import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readCliSettings } from '../../../../config/cli.ts';
import type { SearchHit, SearchPage } from '../../../../client/answers.ts';
import { Table, type Column } from '../../../terminal/columns.ts';
import { Failure } from '../../../terminal/failure.ts';
import { baseName } from '../../../terminal/names.ts';
import type { RestClient } from '../../../../client/rest-client.ts';
import { findService } from '../../../service/service.ts';
import { classOf, conditionsOf, likeOf, whereOf, type SearchOptions } from './search-options.ts';
import { askSimilar, showDuplicates, showSimilar } from './similar.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import {
  askCommand,
  clientOf,
  command,
  date,
  readAs,
  whole,
  withQuery,
  type RestOptions,
} from '../command.ts';

/** Maximum page size of the service. */
const PAGE = 500;

const COLUMNS: readonly Column<SearchHit>[] = [
  { title: 'JOB', of: ({ jobId }) => jobId },
  {
    title: 'MEDIUM',
    of: ({ mediaUri, stream }) => stream?.streamUri ?? baseName(mediaUri),
    flexible: true,
  },
  { title: 'WHERE', of: whereOf },
  { title: 'TYPE', of: ({ type }) => type },
  { title: 'CLASS', of: classOf },
  { title: 'TEXT', of: ({ snippet }) => markText(snippet), flexible: true },
];

export function searchCommands(program: Command, terminal: Terminal): void {
  askCommand(
    program,
    'search [TEXT]',
    'search what all jobs found: words, "several in a row", beginnings*, one OR another',
  )
    .option('--class <NAME>', 'only tracks of this class, such as car')
    .option('--type <TYPE>', 'only tracks of this type, such as TEXT')
    .option('--from <TIME>', 'only jobs that ended, and streams seen, then or later', date)
    .option('--to <TIME>', 'only jobs that ended, and streams seen, before it', date)
    .option('--job <ID>', 'only this job')
    .option('--anything <WORDS>', 'words of texts, classes, types or colours')
    .option('--colour <NAME>', 'only tracks of this colour, such as red')
    .option('--min-confidence <NUMBER>', 'only tracks with at least this confidence')
    .option('--medium <TEXT>', 'only media with this in their URI')
    .option('--sort <ORDER>', 'newest, oldest, or best (most words)')
    .option('--person <NAME>', 'only face tracks of this person, by name or id')
    .option('--camera <NAME>', 'only streams with this in their URI, or of this job')
    .option('--distinct', 'only the newest of tracks that several jobs found')
    .option(
      '--like <PICTURE>',
      'tracks that are similar to a file, a URI or a track (JOB/MEDIA/TRACK)',
      likeOf,
    )
    .option('--like-text <WORDS>', 'tracks that show these words; needs a model for text')
    .option('--duplicates', 'groups of pictures that look alike')
    .option('--limit <NUMBER>', 'hits at most', whole(1, 1_000_000), 50)
    .action((text: string | undefined, options: SearchOptions) => {
      if (options.likeText !== undefined && options.like !== undefined)
        throw new Failure('--like and --like-text are both given: use one of them.');
      if (options.like !== undefined) return showSimilar(text, { ...options, like: options.like }, terminal);
      if (options.likeText !== undefined)
        return askSimilar(text, options, { text: options.likeText }, terminal);
      return (options.duplicates === true ? showDuplicates : search)(text, options, terminal);
    });

  command(program, 'reindex', 'rebuild the search index').action((options: RestOptions) =>
    reindex(options, terminal),
  );
}

async function search(text: string | undefined, options: SearchOptions, terminal: Terminal): Promise<void> {
  const client = await clientOf(options, terminal);
  const table = new Table(COLUMNS, terminal.width);
  let left = options.limit;
  let any = false;
  let next: string | null = null;
  let complete: boolean;
  const all: SearchHit[] = [];
  do {
    const page: SearchPage = await pageOf(client, text, options, Math.min(left, PAGE), next);
    ({ next, complete } = page);
    left -= page.hits.length;
    any ||= page.hits.length > 0;
    if (options.json === true) all.push(...page.hits);
    else if (page.hits.length > 0)
      for (const line of readAs(client.url, () => table.lines(page.hits))) terminal.print(line);
  } while (left > 0 && next !== null);
  if (options.json === true) terminal.print(JSON.stringify({ hits: all, next, complete }));
  if (!any && options.json !== true) terminal.note('Nothing was found.');
  if (next !== null) terminal.note('There is more: --limit shows it.');
  if (!complete) terminal.note('The index is being built and does not have all documents yet.');
}

async function pageOf(
  client: RestClient,
  text: string | undefined,
  options: SearchOptions,
  limit: number,
  cursor: string | null,
): Promise<SearchPage> {
  const { sort } = options;
  const distinct = options.distinct === true ? 'true' : undefined;
  const query = { ...conditionsOf(text, options), distinct, sort, limit, cursor: cursor ?? undefined };
  const answer = await client.ask({ method: 'GET', path: withQuery('/rest/search', query) });
  const page = client.good(answer) as Partial<SearchPage>;
  if (Array.isArray(page.hits)) return page as SearchPage;
  throw new Failure(`The service at ${client.url} did not return hits. Check its version.`);
}

/** Returns the text with each match between » and «. */
function markText({ text, marks }: SearchHit['snippet']): string {
  let shown = '';
  let at = 0;
  for (const { start, end } of marks) {
    shown += `${text.slice(at, start)}»${text.slice(start, end)}«`;
    at = end;
  }
  return shown + text.slice(at);
}

/**
 * Rebuilds the search index. A running server rebuilds it in the background. Without a server, the index is removed and the next start
 * rebuilds it.
 */
async function reindex({ url }: RestOptions, terminal: Terminal): Promise<void> {
  const settings = readCliSettings();
  const service = await findService(settings, terminal, url ?? settings.url);
  if (service !== undefined) {
    service.client.good(await service.client.ask({ method: 'POST', path: '/rest/search/rebuild' }));
    terminal.print(
      'The search index is being rebuilt. The search finds only documents that are indexed already.',
    );
    return;
  }
  if (!existsSync(path.join(settings.dataDir, 'troupe.db')))
    throw new Failure(
      `There is no service that runs, and no database in ${settings.dataDir}: set DATA_DIR, or name a service by --url.`,
    );
  // loaded when needed, because most commands open no index
  const { removeSearchFiles } = await import('../../../../search/sqlite/sqlite-search.ts');
  await removeSearchFiles(path.join(settings.searchFolder, 'search.db'));
  terminal.print('The search index was removed: the server rebuilds it at its next start.');
}
