/** Rows of a long list. Only rows near the window are in the page. */
import {
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  windowScroll,
  type VirtualItem,
} from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks';

/** Number of additional rows above and below the window, once the rows in the window are shown. */
const OVERSCAN = 4;

/** Returns the height that the browser has computed. Until then, the height is estimated, because a look would compute styles at once. */
const heightOf = (
  row: HTMLElement,
  entry: ResizeObserverEntry | undefined,
  { options, itemSizeCache, indexFromElement }: Virtualizer<Window, HTMLElement>,
): number => {
  if (entry !== undefined) return Math.round(entry.borderBoxSize[0]!.blockSize);
  const index = indexFromElement(row);
  return itemSizeCache.get(options.getItemKey(index)) ?? options.estimateSize(index);
};

export interface Rows {
  readonly shown: readonly VirtualItem[];
  /** Height of all rows together: pixels. */
  readonly height: number;
  /** Distance of a row from the top of the list: pixels. */
  readonly topOf: (row: VirtualItem) => number;
  /** Receives the element of each row and measures its height. */
  readonly measure: (element: HTMLElement | null) => void;
}

/** @param estimate the height of a row before it is measured: pixels. @param keyOf changes only when rows or their estimates change. @param top of the list in the page: pixels */
export function useVirtualRows(
  count: number,
  {
    estimate,
    keyOf,
    top,
  }: {
    readonly estimate: (row: number) => number;
    readonly keyOf: (row: number) => string;
    readonly top: number;
  },
): Rows {
  const [, update] = useReducer((n: number) => n + 1, 0);
  const [isShown, setShown] = useState(false);
  const options = {
    count,
    estimateSize: estimate,
    getItemKey: keyOf,
    scrollMargin: top,
    overscan: isShown ? OVERSCAN : 0,
    measureElement: heightOf,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    initialRect: { width: innerWidth, height: innerHeight },
    onChange: () => update(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLElement>(options));
  virtualizer.setOptions(options);
  /* oxlint-disable no-underscore-dangle -- The library gives these names to what its adapters call. */
  useEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  // Runs after the paint of the first rows.
  useEffect(() => setShown(true), []);
  /* oxlint-enable no-underscore-dangle */
  return {
    shown: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    topOf: ({ start }) => start - top,
    measure: virtualizer.measureElement,
  };
}
