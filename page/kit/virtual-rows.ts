/** Rows of a long list, of which only those near the window are in the page. */
import {
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  windowScroll,
  type VirtualItem,
} from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks';

/** Rows above and below the window that are there as well. */
const OVERSCAN = 4;

export interface Rows {
  readonly shown: readonly VirtualItem[];
  /** Pixels of all rows together. */
  readonly height: number;
  /** Place of a row from the top of the list: pixels. */
  readonly topOf: (row: VirtualItem) => number;
  /** Receives the element of each row, to learn its height. */
  readonly measure: (element: HTMLElement | null) => void;
}

/** @param estimate the height of a row before it is measured: pixels. @param top of the list in the page: pixels */
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
  const options = {
    count,
    estimateSize: estimate,
    getItemKey: keyOf,
    scrollMargin: top,
    overscan: OVERSCAN,
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
  /* oxlint-enable no-underscore-dangle */
  return {
    shown: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    topOf: ({ start }) => start - top,
    measure: virtualizer.measureElement,
  };
}
