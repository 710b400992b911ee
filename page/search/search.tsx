import type { z } from 'zod';
import type { searchPage } from '../../http/schemas/search/search.ts';
import { get, urlOf } from '../kit/api.ts';
import { hueOf } from '../kit/colours.ts';
import { count, fileName, moment, timeText } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { useGet, useLoaded } from '../kit/load.ts';
import { Shown } from '../kit/parts.tsx';
import { go, hrefOf, type Route } from '../kit/route.ts';
import { findingName, findingTitle, keyOf } from '../library/labels.ts';
import type { LibraryCounts } from '../library/types.ts';

type Page = z.output<typeof searchPage>;
type Hit = Page['hits'][number];

const FIELDS = ['text', 'type', 'class'] as const;
const LIMIT = 48;
/** Classes and types that are offered at once. */
const OFFERED = 16;

/** What all jobs have found: text that was read or said, and things by their class. */
export function Search({ route: { query } }: { readonly route: Route }) {
  const asked = Object.fromEntries(FIELDS.map((name) => [name, query.get(name) ?? undefined]));
  const cursor = query.get('cursor') ?? undefined;
  const isAsked = FIELDS.some((name) => query.has(name));
  const counts = useGet<LibraryCounts>('rest/library/counts');
  const page = useLoaded(
    async (signal) =>
      isAsked ? get<Page>('rest/search', { ...asked, cursor, limit: LIMIT }, signal) : undefined,
    [JSON.stringify(asked), cursor],
  );
  return (
    <>
      <h1 class="unseen">Search</h1>
      <form
        class="find large"
        role="search"
        aria-label="Search"
        onSubmit={(event) => {
          event.preventDefault();
          const text = (new FormData(event.currentTarget).get('text') as string).trim();
          go(hrefOf(['search'], { text }));
        }}
      >
        <Icon name="search" />
        <input
          name="text"
          type="search"
          aria-label="Text"
          placeholder="Text that was read or said, or a thing such as car"
          defaultValue={asked['text'] ?? ''}
        />
        <button type="submit" class="primary">
          Search
        </button>
      </form>
      <Offers counts={counts.value} asked={asked} />
      {isAsked && (
        <Shown of={page}>{(found) => found !== undefined && <Hits page={found} asked={asked} />}</Shown>
      )}
    </>
  );
}

interface Asked {
  readonly [field: string]: string | undefined;
}

/** What was found in any medium, to choose from; with a text, what has a name like it. */
function Offers({ counts, asked }: { readonly counts: LibraryCounts | undefined; readonly asked: Asked }) {
  const text = asked['text']?.toLowerCase();
  const classified = new Set(
    counts?.findings.filter((one) => one.class !== null).map(({ type }) => type) ?? [],
  );
  const offered = (counts?.findings ?? [])
    .filter((one) => one.class !== null || !classified.has(one.type))
    .filter((one) => text === undefined || isLike(keyOf(one), text) || isLike(findingTitle(one), text))
    .slice(0, OFFERED);
  if (offered.length === 0) return null;
  return (
    <nav class="chips offers" aria-label="Found">
      {offered.map((one) => {
        const isOn = asked['type'] === one.type && asked['class'] === (one.class ?? undefined);
        const target = isOn ? {} : { type: one.type, class: one.class ?? undefined };
        return (
          <a
            key={`${one.type} ${one.class}`}
            class={`chip ${hueOf(keyOf(one))}`}
            aria-current={isOn ? 'true' : undefined}
            href={hrefOf(['search'], target)}
          >
            {findingTitle(one)} <span class="number">{count(one.media)}</span>
          </a>
        );
      })}
    </nav>
  );
}

const isLike = (name: string, text: string) =>
  name.toLowerCase().includes(text) || text.includes(name.toLowerCase());

function Hits({ page: { hits, next, complete }, asked }: { readonly page: Page; readonly asked: Asked }) {
  return (
    <>
      {!complete && <p class="hint">The index is being built and does not have all documents yet.</p>}
      {hits.length === 0 && next === null && (
        <p class="hint">
          Nothing was found.
          {asked['text'] !== undefined &&
            ' Text is what was read or said. To find things such as cars, clear the text and choose a name.'}
        </p>
      )}
      <ul class="hits grid">
        {hits.map((hit) => (
          <li key={`${hit.jobId} ${hit.trackId} ${hit.startOffsetFrame}`}>
            <HitTile hit={hit} />
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

function HitTile({ hit }: { readonly hit: Hit }) {
  const { jobId, mediaId, mediaType, startOffsetFrame, startOffsetTime, snippet, mediaUri } = hit;
  const hasPicture = mediaType === 'VIDEO' || mediaType === 'IMAGE';
  const frame = mediaType === 'IMAGE' ? 0 : startOffsetFrame;
  const picture = `rest/jobs/${encodeURIComponent(jobId)}/media/${mediaId}/frames/${frame}.jpg`;
  return (
    <a class="tile" href={hrefOf(['jobs', jobId, 'media', mediaId], { t: Math.round(startOffsetTime) })}>
      {hasPicture && (
        <span class="shot">
          <img src={urlOf(picture, { small: true })} alt="" loading="lazy" decoding="async" />
        </span>
      )}
      <span class={hasPicture ? 'snippet' : 'snippet alone'}>
        {snippet.text === '' ? (
          <span class={`chip ${hueOf(keyOf(hit))}`}>{findingName(hit)}</span>
        ) : (
          <Snippet of={snippet} />
        )}
      </span>
      <small>
        {fileName(mediaUri)}
        {whereOf(hit)} · {moment(hit.jobEndDate)}
      </small>
    </a>
  );
}

/** The time in a video or a sound, or the page of a document; a picture has neither. */
function whereOf({ mediaType, page, startOffsetTime }: Hit): string {
  if (mediaType === 'VIDEO' || mediaType === 'AUDIO') return ` at ${timeText(startOffsetTime)}`;
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
