import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Shown } from '../kit/parts.tsx';
import type { Loaded } from '../kit/load.ts';
import { stillUrl } from './picture.tsx';
import type { Medium, Track, TrackPage } from '../kit/findings/types.ts';
import type { View } from './view.ts';
import { TEXT } from '../kit/text.ts';

/** A document page by page: its picture if the server renders it, and the extracted text. */
export function DocumentText({
  base,
  medium,
  tracks,
  view,
  open,
}: {
  readonly base: string;
  readonly medium: Medium;
  readonly tracks: Loaded<TrackPage>;
  readonly view: View;
  readonly open: (track: Track) => void;
}) {
  const hasPictures = medium.mimeType === 'application/pdf';
  const list = useRef<HTMLDivElement>(null);
  const first = useRef(view.page).current;
  usePlace(list, view, tracks.value !== undefined);
  return (
    <Shown of={tracks}>
      {({ tracks: shown }) => (
        <div
          ref={list}
          class="pages-of-text"
          tabIndex={0}
          role="group"
          aria-label={TEXT.common.pages}
          onScroll={() => view.setPage(pageAtTop(list.current!))}
        >
          {pagesOf(shown, hasPictures ? (first ?? 1) : undefined).map(({ number, tracks: some }) => (
            <article key={number} class="paper" data-page={number} aria-label={titleOf(number)}>
              <h2>{titleOf(number)}</h2>
              {hasPictures && number !== undefined && (
                <PagePicture source={stillUrl(base, number - 1)} alt={titleOf(number)} />
              )}
              {some.map((track) => (
                <p
                  key={track.n}
                  class={track.n === view.selected ? 'selected' : ''}
                  onClick={() => open(track)}
                >
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

/** Shows the page of the address first, and then each text that is selected. */
function usePlace(list: RefObject<HTMLElement | null>, { page, selected }: View, isLoaded: boolean): void {
  const wasPlaced = useRef(false);
  useEffect(() => {
    if (!isLoaded) return;
    const isFirst = !wasPlaced.current;
    wasPlaced.current = true;
    const first = isFirst && page !== undefined ? `[data-page="${page}"]` : undefined;
    const target = list.current?.querySelector<HTMLElement>(first ?? '.selected');
    if (target != null) scrollTo(list.current!, target, first === undefined);
  }, [isLoaded, selected]);
}

/** Scrolls only the list. `isLazy`: leaves it as it is if the target is visible. */
function scrollTo(list: HTMLElement, target: HTMLElement, isLazy: boolean): void {
  const [shown, place] = [list.getBoundingClientRect(), target.getBoundingClientRect()];
  if (isLazy && place.top >= shown.top && place.bottom <= shown.bottom) return;
  list.scrollTop += place.top - shown.top - (isLazy ? shown.height / 3 : 0);
}

/** Height at the top of the list that does not count: pixels. */
const MARGIN = 24;

/** Returns the number of the first page that is visible. */
function pageAtTop(list: HTMLElement): number | undefined {
  const top = list.getBoundingClientRect().top + MARGIN;
  const papers = [...list.querySelectorAll<HTMLElement>('.paper')];
  const page = papers.find((paper) => paper.getBoundingClientRect().bottom > top);
  return Number(page?.dataset['page']) || undefined;
}

function PagePicture({ source, alt }: { readonly source: string; readonly alt: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return null;
  return <img src={source} alt={alt} loading="lazy" onError={() => setFailed(true)} />;
}

/** Maximum page that an address can name. */
const MOST_PAGES = 10_000;

interface Page {
  /** Page number from 1. Undefined if the text belongs to no page. */
  readonly number: number | undefined;
  readonly tracks: readonly Track[];
}

/** Groups tracks with a text by page. `least`: includes pages without text, up to this one and the last one with a finding. */
function pagesOf(tracks: readonly Track[], least: number | undefined): readonly Page[] {
  const pages = new Map<number | undefined, Track[]>();
  const last = tracks.reduce(
    (most, track) => Math.max(most, numberOf(track) ?? 0),
    Math.min(least ?? 0, MOST_PAGES),
  );
  if (least !== undefined) for (let number = 1; number <= last; number++) pages.set(number, []);
  for (const track of tracks) {
    if (track.label === null) continue;
    const number = numberOf(track);
    const others = pages.get(number);
    if (others === undefined) pages.set(number, [track]);
    else others.push(track);
  }
  return [...pages].map(([number, some]) => ({ number, tracks: some }));
}

const numberOf = ({ properties }: Track) => Number(properties['PAGE_NUM']) || undefined;
const titleOf = (number: number | undefined) =>
  number === undefined ? TEXT.viewer.text : TEXT.viewer.page(number);
