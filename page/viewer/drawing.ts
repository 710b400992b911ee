import type { Ref } from 'preact';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import type { BoxCache } from './boxes/box-cache.ts';
import type { BoxesHandle } from './boxes/boxes.tsx';
import type { FrameTable } from './frame-table.ts';
import type { Turned } from './boxes/overlay.ts';
import type { BoxHue, Filter } from './types.ts';

/** What the rest of the viewer has a player do. */
export interface PlayerHandle {
  toggle(): void;
  /** Goes to a frame and stays there. */
  toFrame(frame: number): void;
  step(frames: number): void;
}

export interface PlayerProps {
  readonly source: string;
  /** The address of a frame as a picture. */
  readonly still: (frame: number) => string;
  readonly table: FrameTable;
  readonly cache: BoxCache;
  /** Counts how often more boxes became known. */
  readonly known: number;
  readonly turned: Turned;
  readonly filter: Filter;
  readonly hue: BoxHue;
  readonly selected: number | undefined;
  readonly select: (track: number | undefined) => void;
  /** Told of the frame that is shown, a few times a second while it plays. */
  readonly onShown: (frame: number) => void;
  readonly firstFrame: number;
  readonly handle: Ref<PlayerHandle>;
}

/** Time between two reports of the frame while it plays: milliseconds. */
const REPORT_MS = 100;

/** Draws boxes for the frame that is shown now, and again when more are known or others are wanted. */
export function useDrawing({ cache, known, filter, hue, selected, onShown, firstFrame }: PlayerProps) {
  const boxes = useRef<BoxesHandle>(null);
  const frame = useRef(firstFrame);
  const reported = useRef(0);
  const draw = useCallback(
    (now: number, isPlaying: boolean) => {
      frame.current = now;
      boxes.current?.draw(now, cache.at(now));
      if (isPlaying && performance.now() - reported.current < REPORT_MS) return;
      reported.current = performance.now();
      onShown(now);
    },
    [cache, onShown],
  );
  useEffect(
    () => boxes.current?.draw(frame.current, cache.at(frame.current)),
    [cache, known, filter, hue, selected],
  );
  return { boxes, frame, draw };
}
