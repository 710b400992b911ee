import type { Ref } from 'preact';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import type { BoxCache } from './boxes/box-cache.ts';
import type { BoxesHandle } from './boxes/boxes.tsx';
import type { FrameTable } from './frame-table.ts';
import type { Turned } from '../kit/findings/overlay.ts';
import type { BoxHue, Filter } from '../kit/findings/types.ts';

/** Commands from the viewer to a player. */
export interface PlayerHandle {
  toggle(): void;
  /** Moves to a frame and stops there. */
  toFrame(frame: number): void;
  step(frames: number): void;
}

export interface PlayerProps {
  readonly source: string;
  /** Returns the address of a frame as a picture. */
  readonly still: (frame: number) => string;
  readonly table: FrameTable;
  readonly cache: BoxCache;
  /** Counter that increases when more boxes become known. */
  readonly known: number;
  readonly turned: Turned;
  readonly filter: Filter;
  readonly hue: BoxHue;
  readonly selected: number | undefined;
  readonly select: (track: number | undefined) => void;
  /** Receives the shown frame, several times a second during playback. */
  readonly onShown: (frame: number) => void;
  readonly firstFrame: number;
  readonly handle: Ref<PlayerHandle>;
}

/** Interval between two reports of the frame during playback: milliseconds. */
const REPORT_MS = 100;

/** Draws the boxes of the current frame. Draws them again when more are known or the filter changes. */
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
