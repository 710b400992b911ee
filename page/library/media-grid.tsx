import { Component } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useVirtualRows } from '../kit/virtual-rows.ts';
import { CheckField } from '../kit/selection/check-field.tsx';
import type { Selection } from '../kit/selection/use-selection.ts';
import { groupsOf, placeOf } from './groups.ts';
import type { Group, View } from './arrangement.ts';
import { ListRow } from './list-row.tsx';
import { fileName } from '../kit/format.ts';
import { TEXT } from '../kit/text.ts';
import { Tile } from './tile.tsx';
import type { LibraryMedium } from './types.ts';

/** A heading, or media side by side. */
interface Row {
  readonly key: string;
  readonly title?: string;
  readonly href?: string;
  readonly media: readonly LibraryMedium[];
}

/** Position of the grid and size of a letter: pixels. */
interface Place {
  readonly width: number;
  readonly top: number;
  readonly letter: number;
}

/** Sizes as in the style sheet, in letters: minimum width of a tile, gap between tiles, text below a picture, and heading. */
const [TILE, GAP, BELOW, HEADING] = [15.5, 1.07, 5.25, 3.02];
const LINE = 4.2;
const [NARROW_TILE, NARROW_GAP] = [10.7, 0.8];
const NARROW_SCREEN = '(max-width: 60rem)';

/** Media in groups. A grid has as many media per row as fit, a list has one per row. */
export function MediaGrid({
  media,
  view,
  group,
  selection,
}: {
  readonly media: readonly LibraryMedium[];
  readonly view: View;
  readonly group: Group;
  /** The selected jobs. */
  readonly selection: Selection;
}) {
  const grid = useRef<HTMLDivElement>(null);
  const [{ width, top, letter }, setPlace] = useState<Place>({ width: 0, top: 0, letter: 0 });
  useLayoutEffect(() => {
    // Not measured during rendering. Otherwise the browser would compute styles for each frame of scrolling.
    const look = () => {
      const rect = grid.current!.getBoundingClientRect();
      const letter = parseFloat(getComputedStyle(document.documentElement).fontSize);
      const place = { width: rect.width, top: Math.round(rect.top + scrollY), letter };
      setPlace((before) => (isSamePlace(before, place) ? before : place));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(grid.current!);
    // The content above the grid may grow.
    observer.observe(grid.current!.parentElement!);
    return () => observer.disconnect();
  }, []);
  const isNarrow = matchMedia(NARROW_SCREEN).matches;
  const [tile, gap] = (isNarrow ? [NARROW_TILE, NARROW_GAP] : [TILE, GAP]).map((size) => size * letter) as [
    number,
    number,
  ];
  const isList = view === 'list';
  const columns = isList ? 1 : Math.max(1, Math.floor((width + gap) / (tile + gap)));
  const rows = useMemo(() => rowsOf(media, { columns, view, group }), [media, columns, view, group]);
  const rowHeight = isList
    ? LINE * letter
    : ((width - gap * (columns - 1)) / columns) * (10 / 16) + BELOW * letter;
  const { shown, height, topOf, measure } = useVirtualRows(rows.length, {
    // A row with a wrong estimate is drawn twice.
    estimate: (n) => Math.round(rows[n]?.title === undefined ? rowHeight : HEADING * letter),
    keyOf: (n) => rows[n]?.key ?? String(n),
    top,
  });
  const check = (medium: LibraryMedium) => {
    const { key, id } = placeOf(medium);
    const label = TEXT.library.selectJobOf(fileName(medium.mediaUri));
    return <CheckField of={selection} place={key} id={id} label={label} />;
  };
  return (
    <div class="rows" ref={grid} style={{ height }}>
      {width > 0 &&
        shown.map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <div
              key={item.key}
              class="row"
              data-index={item.index}
              ref={measure}
              style={{ transform: `translateY(${topOf(item)}px)` }}
            >
              {row.title !== undefined ? (
                <h2>{row.href === undefined ? row.title : <a href={row.href}>{row.title}</a>}</h2>
              ) : isList ? (
                row.media.map((medium) => (
                  <div key={placeOf(medium).key} class="list-line">
                    {check(medium)}
                    <Medium medium={medium} isList={isList} />
                  </div>
                ))
              ) : (
                <div class="grid" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
                  {row.media.map((medium) => (
                    <div key={placeOf(medium).key} class="item">
                      <Medium medium={medium} isList={isList} />
                      {check(medium)}
                    </div>
                  ))}
                </div>
              )}
            </div>
          );
        })}
    </div>
  );
}

interface MediumProps {
  readonly medium: LibraryMedium;
  readonly isList: boolean;
}

/** One medium. It is drawn again only if it changes, so that a step of scrolling only draws the media that come into view. */
class Medium extends Component<MediumProps> {
  override shouldComponentUpdate({ medium, isList }: MediumProps): boolean {
    return medium !== this.props.medium || isList !== this.props.isList;
  }

  override render({ medium, isList }: MediumProps) {
    return isList ? <ListRow medium={medium} /> : <Tile medium={medium} />;
  }
}

const isSamePlace = (a: Place, b: Place) => a.width === b.width && a.top === b.top && a.letter === b.letter;

function rowsOf(
  media: readonly LibraryMedium[],
  { columns, view, group }: { readonly columns: number; readonly view: View; readonly group: Group },
): readonly Row[] {
  const rows: Row[] = [];
  for (const { key: groupKey, title, href, media: some } of groupsOf(media, group)) {
    if (title !== undefined)
      rows.push({ key: groupKey, title, ...(href === undefined ? {} : { href }), media: [] });
    for (let at = 0; at < some.length; at += columns) {
      const key = `${view} ${columns} ${groupKey} ${placeOf(some[at]!).key}`;
      rows.push({ key, media: some.slice(at, at + columns) });
    }
  }
  return rows;
}
