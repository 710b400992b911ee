import { Shown } from '../kit/parts.tsx';
import type { Loaded } from '../kit/load.ts';
import type { Track, TrackPage } from './types.ts';

/** The text of a document, page by page, as it was found. */
export function DocumentText({
  tracks,
  selected,
  open,
}: {
  readonly tracks: Loaded<TrackPage>;
  readonly selected: number | undefined;
  readonly open: (track: Track) => void;
}) {
  return (
    <Shown of={tracks}>
      {({ tracks: shown }) => (
        <div class="pages-of-text" tabIndex={0} role="group" aria-label="Text">
          {pagesOf(shown).map(([page, some]) => (
            <article key={page} class="paper" aria-label={page}>
              <h2>{page}</h2>
              {some.map((track) => (
                <p key={track.n} class={track.n === selected ? 'selected' : ''} onClick={() => open(track)}>
                  {track.label}
                </p>
              ))}
            </article>
          ))}
        </div>
      )}
    </Shown>
  );
}

/** Tracks with a text, by page. */
function pagesOf(tracks: readonly Track[]): readonly (readonly [string, readonly Track[]])[] {
  const pages = new Map<string, Track[]>();
  for (const track of tracks) {
    if (track.label === null) continue;
    const number = track.properties['PAGE_NUM'];
    const page = number === undefined ? 'Text' : `Page ${number}`;
    const others = pages.get(page);
    if (others === undefined) pages.set(page, [track]);
    else others.push(track);
  }
  return [...pages];
}
