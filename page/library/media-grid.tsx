import { Component } from 'preact';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
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
  // The same function until rows change. Otherwise each step of scrolling would compute the places of all rows.
  const keyOf = useCallback((n: number) => rows[n]?.key ?? String(n), [rows, rowHeight]);
  const { shown, height, topOf, measure } = useVirtualRows(rows.length, {
    // A row with a wrong estimate is drawn twice.
    estimate: (n) => Math.round(rows[n]?.title === undefined ? rowHeight : HEADING * letter),
    keyOf,
    top,
  });
  const latest = useRef(selection);
  latest.current = selection;
  const choice = useMemo<Checked>(
    () => ({
      has: (id) => latest.current.has(id),
      press: (key, isRange) => latest.current.press(key, isRange),
    }),
    [],
  );
  return (
    <div class="rows" ref={grid} style={{ height: `${height}px` }}>
      {width > 0 &&
        shown.map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <GridRow
              key={item.key}
              {...{ row, columns, isList, choice, measure }}
              index={item.index}
              top={topOf(item)}
              checked={row.media.map(({ jobId }) => (selection.has(jobId) ? 'x' : '-')).join('')}
            />
          );
        })}
    </div>
  );
}

type Checked = Pick<Selection, 'has' | 'press'>;

interface RowProps {
  readonly row: Row;
  readonly columns: number;
  readonly isList: boolean;
  readonly choice: Checked;
  readonly measure: (element: HTMLElement | null) => void;
  readonly index: number;
  /** Distance from the top of the list: pixels. */
  readonly top: number;
  /** Which of the media are selected. */
  readonly checked: string;
}

/** A row. It is drawn again only if it changes, so that a step of scrolling only draws the rows that come into view. */
class GridRow extends Component<RowProps> {
  override shouldComponentUpdate({ row, columns, isList, index, top, checked }: RowProps): boolean {
    const before = this.props;
    const isSame = before.columns === columns && before.isList === isList && before.index === index;
    return !isSame || before.top !== top || before.checked !== checked || !isSameRow(before.row, row);
  }

  override render({ row: { title, href, media }, columns, isList, choice, measure, index, top }: RowProps) {
    const kind = title !== undefined ? 'titled' : isList ? 'listed' : 'tiled';
    return (
      <div
        class={`row ${kind}`}
        data-index={index}
        ref={measure}
        style={{ transform: `translateY(${top}px)` }}
      >
        {title !== undefined ? (
          <h2>{href === undefined ? title : <a href={href}>{title}</a>}</h2>
        ) : isList ? (
          media.map((medium) => (
            <div key={placeOf(medium).key} class="list-line">
              <Check of={choice} medium={medium} />
              <Medium medium={medium} isList={isList} />
            </div>
          ))
        ) : (
          <div class="grid" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
            {media.map((medium) => (
              <div key={placeOf(medium).key} class="item">
                <Medium medium={medium} isList={isList} />
                <Check of={choice} medium={medium} />
              </div>
            ))}
          </div>
        )}
      </div>
    );
  }
}

const isSameRow = (a: Row, b: Row): boolean =>
  a.key === b.key &&
  a.title === b.title &&
  a.href === b.href &&
  a.media.length === b.media.length &&
  a.media.every((medium, n) => medium === b.media[n]);

function Check({ of: choice, medium }: { readonly of: Checked; readonly medium: LibraryMedium }) {
  const { key, id } = placeOf(medium);
  const label = TEXT.library.selectJobOf(fileName(medium.mediaUri));
  return <CheckField of={choice} place={key} id={id} label={label} />;
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
