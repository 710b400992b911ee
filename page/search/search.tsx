import type { z } from 'zod';
import type { searchPage } from '../../http/schemas/search.ts';
import { get } from '../kit/api.ts';
import { clock, fileName, moment } from '../kit/format.ts';
import { useLoaded } from '../kit/load.ts';
import { Shown } from '../kit/parts.tsx';
import { go, hrefOf, type Route } from '../kit/route.ts';

type Page = z.output<typeof searchPage>;
type Hit = Page['hits'][number];

const FIELDS = ['text', 'type', 'class'] as const;
const LIMIT = 50;

/** What all jobs have found: the words that were looked for, and where they stand. */
export function Search({ route: { query } }: { readonly route: Route }) {
  const asked = Object.fromEntries(FIELDS.map((name) => [name, query.get(name) ?? undefined]));
  const cursor = query.get('cursor') ?? undefined;
  const isAsked = FIELDS.some((name) => query.has(name));
  const page = useLoaded(
    async (signal) =>
      isAsked ? get<Page>('rest/search', { ...asked, cursor, limit: LIMIT }, signal) : undefined,
    [JSON.stringify(asked), cursor],
  );
  return (
    <>
      <header class="bar">
        <h1>Search</h1>
      </header>
      <form
        class="filters"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          go(hrefOf(['search'], Object.fromEntries(FIELDS.map((name) => [name, form.get(name) as string]))));
        }}
      >
        <label class="grow">
          Text: words, "several in a row", beginnings*
          <input name="text" type="search" defaultValue={asked['text'] ?? ''} />
        </label>
        <label>
          Type, such as TEXT
          <input name="type" defaultValue={asked['type'] ?? ''} />
        </label>
        <label>
          Class, such as car
          <input name="class" defaultValue={asked['class'] ?? ''} />
        </label>
        <button type="submit" class="primary">
          Search
        </button>
      </form>
      {isAsked && (
        <Shown of={page}>{(found) => found !== undefined && <Hits page={found} asked={asked} />}</Shown>
      )}
    </>
  );
}

interface Asked {
  readonly [field: string]: string | undefined;
}

function Hits({ page: { hits, next, complete }, asked }: { readonly page: Page; readonly asked: Asked }) {
  return (
    <>
      {!complete && <p class="hint">Not all documents are in the index yet.</p>}
      {hits.length === 0 && next === null && (
        <p class="hint">
          Nothing was found.
          {asked['text'] !== undefined &&
            ' Text is what was read or said: things are found by their class (person, car), faces by the type FACE.'}
        </p>
      )}
      <ul class="hits">
        {hits.map((hit) => (
          <li key={`${hit.jobId} ${hit.trackId}`}>
            <a
              href={hrefOf(['jobs', hit.jobId, 'media', hit.mediaIndex], {
                t: Math.round(hit.startOffsetTime),
              })}
            >
              {hit.snippet.text === '' ? (hit.class ?? hit.type) : <Snippet of={hit.snippet} />}
            </a>
            <small>
              {hit.type}
              {hit.class !== null && ` (${hit.class})`} in {fileName(hit.mediaUri)}
              {whereOf(hit)}, {hit.jobId}, {moment(hit.jobEndDate)}
            </small>
          </li>
        ))}
      </ul>
      {next !== null && (
        <nav class="pages" aria-label="Pages">
          <a href={hrefOf(['search'], { ...asked, cursor: next })}>Older findings</a>
        </nav>
      )}
    </>
  );
}

/** The time in a video or a sound, or the page of a document; a picture has neither. */
function whereOf({ mediaType, page, startOffsetTime }: Hit): string {
  if (mediaType === 'VIDEO' || mediaType === 'AUDIO') return ` at ${clock(startOffsetTime)}`;
  return page === null ? '' : `, ${page.kind.toLowerCase()} ${page.number}`;
}

/** A text with what was looked for marked in it. */
function Snippet({ of: { text, marks } }: { readonly of: Hit['snippet'] }) {
  let at = 0;
  const parts = marks.map(({ start, end }) => {
    const before = text.slice(at, start);
    at = end;
    return [before, <mark key={start}>{text.slice(start, end)}</mark>] as const;
  });
  return (
    <>
      {parts}
      {text.slice(at)}
    </>
  );
}
