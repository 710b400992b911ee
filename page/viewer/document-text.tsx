import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { Shown } from '../kit/parts.tsx';
import type { Loaded } from '../kit/load.ts';
import { stillUrl } from './picture.tsx';
import type { Medium, Track, TrackPage } from './types.ts';
import { TEXT } from '../kit/text.ts';

/** A document page by page: its picture if the server renders it, and the extracted text. */
export function DocumentText({
  base,
  medium,
  tracks,
  first = 1,
  selected,
  open,
}: {
  readonly base: string;
  readonly medium: Medium;
  readonly tracks: Loaded<TrackPage>;
  /** The page that is shown first. */
  readonly first?: number | undefined;
  readonly selected: number | undefined;
  readonly open: (track: Track) => void;
}) {
  const hasPictures = medium.mimeType === 'application/pdf';
  return (
    <Shown of={tracks}>
      {({ tracks: shown }) => (
        <div class="pages-of-text" tabIndex={0} role="group" aria-label={TEXT.common.pages}>
          {pagesOf(shown, hasPictures ? first : undefined).map(({ number, tracks: some }) => (
            <Paper key={number} title={titleOf(number)} isFirst={first > 1 && number === first}>
              <h2>{titleOf(number)}</h2>
              {hasPictures && number !== undefined && (
                <PagePicture source={stillUrl(base, number - 1)} alt={titleOf(number)} />
              )}
              {some.map((track) => (
                <p key={track.n} class={track.n === selected ? 'selected' : ''} onClick={() => open(track)}>
                  {track.label}
                </p>
              ))}
            </Paper>
          ))}
        </div>
      )}
    </Shown>
  );
}

interface PaperProps {
  readonly title: string;
  /** True if the view starts here. */
  readonly isFirst: boolean;
  readonly children: ComponentChildren;
}

function Paper({ title, isFirst, children }: PaperProps) {
  const paper = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current: element } = paper;
    if (isFirst && element?.parentElement != null)
      element.parentElement.scrollTop = element.offsetTop - element.parentElement.offsetTop;
  }, [isFirst]);
  return (
    <article ref={paper} class="paper" aria-label={title}>
      {children}
    </article>
  );
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
