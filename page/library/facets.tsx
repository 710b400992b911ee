import { hueOf } from '../kit/colours.ts';
import { count } from '../kit/format.ts';
import { hrefOf } from '../kit/route.ts';
import { findingTitle, keyOf, MEDIA_KINDS } from './labels.ts';
import type { LibraryCounts } from './types.ts';
import { TEXT } from '../kit/text.ts';

const KINDS = Object.keys(MEDIA_KINDS);
/** Number of findings listed at first. */
const LISTED = 12;

/** Filters of the library, with counts. */
export function Facets({
  counts,
  query,
}: {
  readonly counts: LibraryCounts;
  readonly query: URLSearchParams;
}) {
  // A type with classes is represented by these classes.
  const classified = new Set(counts.findings.filter((one) => one.class !== null).map(({ type }) => type));
  const found = counts.findings.filter((one) => one.class !== null || !classified.has(one.type));
  const facetOf = (finding: LibraryCounts['findings'][number]) => (
    <Facet
      key={`${finding.type} ${finding.class}`}
      title={findingTitle(finding)}
      media={finding.media}
      hue={hueOf(keyOf(finding))}
      query={query}
      filter={{ type: finding.type, class: finding.class ?? undefined }}
    />
  );
  return (
    <aside class="facets" aria-label={TEXT.common.filters}>
      <h2>{TEXT.common.found}</h2>
      <ul>{found.slice(0, LISTED).map(facetOf)}</ul>
      {found.length > LISTED && (
        <details>
          <summary>{TEXT.library.more(count(found.length - LISTED))}</summary>
          <ul>{found.slice(LISTED).map(facetOf)}</ul>
        </details>
      )}
      <h2>{TEXT.common.media}</h2>
      <ul>
        {KINDS.flatMap((kind) => {
          const media = counts.mediaTypes[kind];
          return media === undefined ? [] : [[kind, media] as const];
        }).map(([mediaType, media]) => (
          <Facet
            key={mediaType}
            title={MEDIA_KINDS[mediaType] ?? mediaType}
            media={media}
            query={query}
            filter={{ mediaType }}
          />
        ))}
      </ul>
      {counts.labels.length > 0 && (
        <>
          <h2>{TEXT.library.labels}</h2>
          <ul>
            {counts.labels.slice(0, LISTED).map(({ label, media }) => (
              <Facet key={label} title={label} media={media} query={query} filter={{ label }} />
            ))}
          </ul>
        </>
      )}
    </aside>
  );
}

/** A filter. A second click removes it. */
function Facet({
  title,
  media,
  hue,
  query,
  filter,
}: {
  readonly title: string;
  readonly media: number;
  readonly hue?: string;
  readonly query: URLSearchParams;
  readonly filter: Readonly<Record<string, string | undefined>>;
}) {
  const isOn = Object.entries(filter).every(([name, value]) => (query.get(name) ?? undefined) === value);
  const rest = Object.fromEntries([...query].filter(([name]) => !(name in filter)));
  return (
    <li>
      <a
        href={hrefOf(['library'], isOn ? rest : { ...rest, ...filter })}
        aria-current={isOn ? 'true' : undefined}
      >
        <span class={`dot ${hue ?? ''}`} />
        <span class="grow">{title}</span>
        <span class="number">{count(media)}</span>
      </a>
    </li>
  );
}
