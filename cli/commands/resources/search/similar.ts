/** `troupe search --like`, `--like-text` and `--duplicates`. */
import type { DuplicateGroups, SimilarPage } from '../../../../client/answers.ts';
import { Table, type Column } from '../../../terminal/columns.ts';
import { baseName } from '../../../terminal/names.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { clientOf, show, tableOr, withQuery } from '../command.ts';
import { mediaOf } from '../../../arguments/media-arguments.ts';
import { Uploads } from '../../uploads.ts';
import { classOf, conditionsOf, whereOf, type Like, type SearchOptions } from './search-options.ts';

type SimilarHit = SimilarPage['hits'][number];
type Duplicate = DuplicateGroups['groups'][number]['hits'][number];

/** Maximum number of hits of the service. */
const MOST_HITS = 500;

const SIMILAR: readonly Column<SimilarHit>[] = [
  { title: 'SIMILARITY', of: ({ similarity }) => similarity.toFixed(3), right: true },
  { title: 'JOB', of: ({ jobId }) => jobId },
  { title: 'MEDIUM', of: ({ mediaUri }) => baseName(mediaUri), flexible: true },
  { title: 'WHERE', of: whereOf },
  { title: 'TYPE', of: ({ type }) => type },
  { title: 'CLASS', of: classOf },
];

const DUPLICATES: readonly Column<Duplicate>[] = [
  { title: 'JOB', of: ({ jobId }) => jobId },
  { title: 'MEDIUM', of: ({ mediaUri }) => baseName(mediaUri), flexible: true },
  { title: 'DIFFERENT BITS', of: ({ distance }) => String(distance), right: true },
];

export async function showSimilar(
  text: string | undefined,
  options: SearchOptions & { readonly like: Like },
  terminal: Terminal,
): Promise<void> {
  const { like } = options;
  if (!('picture' in like)) return askSimilar(text, options, like, terminal);
  const uploads = new Uploads(await clientOf(options, terminal), terminal);
  try {
    const media = await mediaOf([like.picture]);
    const files = new Set(media.flatMap(({ file }) => file ?? []));
    const [medium] = await uploads.of(media, files, new AbortController().signal);
    await askSimilar(text, options, { mediaUri: medium!.uri }, terminal);
  } finally {
    await uploads.remove();
  }
}

export function askSimilar(
  text: string | undefined,
  options: SearchOptions,
  like: object,
  terminal: Terminal,
): Promise<void> {
  const { limit, minConfidence, distinct } = options;
  const filter = {
    ...conditionsOf(text, options),
    minConfidence: minConfidence === undefined ? undefined : Number(minConfidence),
    distinct,
  };
  const body = JSON.stringify({ ...like, filter, limit: Math.min(limit, MOST_HITS) });
  return show<SimilarPage>(
    terminal,
    options,
    { method: 'POST', path: '/rest/search/similar', body },
    {
      lines: ({ hits, searched, complete }) => [
        ...tableOr('No track has a vector of the same model.', SIMILAR, hits, terminal),
        ...(searched < 1
          ? [`${Math.floor(searched * 100)} % of the vectors are indexed and were searched.`]
          : []),
        ...incomplete(complete),
      ],
    },
  );
}

export function showDuplicates(
  text: string | undefined,
  options: SearchOptions,
  terminal: Terminal,
): Promise<void> {
  const limit = Math.min(options.limit, MOST_HITS);
  const path = withQuery('/rest/search/duplicates', { ...conditionsOf(text, options), limit });
  return show<DuplicateGroups>(
    terminal,
    options,
    { method: 'GET', path },
    {
      lines: ({ groups, isPart, complete }) => [
        ...(groups.length === 0 ? ['No pictures look alike.'] : []),
        ...groups.flatMap(({ hits }, n) => [
          ...(n === 0 ? [] : ['']),
          ...new Table(DUPLICATES, terminal.width).lines(hits),
        ]),
        ...(isPart ? ['Only the newest pictures were compared.'] : []),
        ...incomplete(complete),
      ],
    },
  );
}

const incomplete = (complete: boolean): readonly string[] =>
  complete ? [] : ['The index is being built and does not have all documents yet.'];
