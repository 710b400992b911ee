import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useVirtualRows } from '../kit/virtual-rows.ts';
import { groupsOf } from './groups.ts';
import { Tile } from './tile.tsx';
import type { LibraryMedium } from './types.ts';

/** A heading, or media that stand side by side. */
interface Row {
  readonly key: string;
  readonly title?: string;
  readonly media: readonly LibraryMedium[];
}

/** Pixels: the least width of a tile, the room between two, and what stands below a picture. */
const [TILE, GAP, BELOW, HEADING] = [232, 16, 84, 48];
const [NARROW_TILE, NARROW_GAP] = [160, 12];
const NARROW_SCREEN = '(max-width: 60rem)';

/** Media by day, as many to a row as there is room for. */
export function MediaGrid({ media }: { readonly media: readonly LibraryMedium[] }) {
  const grid = useRef<HTMLDivElement>(null);
  const [{ width, top }, setPlace] = useState({ width: 0, top: 0 });
  useLayoutEffect(() => {
    const look = () => {
      const rect = grid.current!.getBoundingClientRect();
      const place = { width: rect.width, top: Math.round(rect.top + scrollY) };
      setPlace((before) => (before.width === place.width && before.top === place.top ? before : place));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(grid.current!);
    // What stands above it may grow.
    observer.observe(grid.current!.parentElement!);
    return () => observer.disconnect();
  }, []);
  const isNarrow = matchMedia(NARROW_SCREEN).matches;
  const [tile, gap] = isNarrow ? [NARROW_TILE, NARROW_GAP] : [TILE, GAP];
  const columns = Math.max(1, Math.floor((width + gap) / (tile + gap)));
  const rows = useMemo(() => rowsOf(media, columns), [media, columns]);
  const tileHeight = ((width - gap * (columns - 1)) / columns) * (10 / 16) + BELOW;
  const { shown, height, topOf, measure } = useVirtualRows(rows.length, {
    estimate: (n) => (rows[n]?.title === undefined ? tileHeight : HEADING),
    keyOf: (n) => rows[n]?.key ?? String(n),
    top,
  });
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
              {row.title === undefined ? (
                <div class="grid" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
                  {row.media.map((medium) => (
                    <Tile key={`${medium.jobId} ${medium.mediaId}`} medium={medium} />
                  ))}
                </div>
              ) : (
                <h2>{row.title}</h2>
              )}
            </div>
          );
        })}
    </div>
  );
}

function rowsOf(media: readonly LibraryMedium[], columns: number): readonly Row[] {
  const rows: Row[] = [];
  for (const { title, media: some } of groupsOf(media)) {
    rows.push({ key: title, title, media: [] });
    for (let at = 0; at < some.length; at += columns) {
      const [first] = some.slice(at, at + 1) as [LibraryMedium];
      const key = `${columns} ${first.jobId} ${first.mediaId}`;
      rows.push({ key, media: some.slice(at, at + columns) });
    }
  }
  return rows;
}
