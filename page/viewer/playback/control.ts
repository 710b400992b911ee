import { useCallback, useRef } from 'preact/hooks';
import type { HappenedEvent } from '../../kit/zones/sentence.ts';
import type { PlayerHandle } from '../drawing.ts';
import type { FrameTable } from '../frame-table.ts';
import type { Medium, Track } from '../../kit/findings/types.ts';
import type { View } from '../view.ts';

export type Playback = ReturnType<typeof usePlayback>;

/** The players of a video and of a sound, and the functions that move them. */
export function usePlayback({ mediaType }: Medium, table: FrameTable | undefined, view: View) {
  const player = useRef<PlayerHandle>(null);
  const sound = useRef<HTMLAudioElement>(null);
  const { select, setPosition } = view;
  const seek = (ms: number) => {
    setPosition(ms);
    player.current?.toFrame(table?.nearest(ms) ?? 0);
    if (sound.current !== null) sound.current.currentTime = ms / 1_000;
  };
  const move = (frame: number, ms: number) => {
    if (mediaType === 'VIDEO') player.current?.toFrame(frame);
    else seek(ms);
  };
  const show = ({ n }: Track, frame: number, ms: number) => {
    select(n);
    move(frame, ms);
  };
  return {
    player,
    sound,
    seek,
    /** Selects a track and moves to its exemplar. */
    open: (track: Track) =>
      show(track, track.exemplarFrame ?? track.startFrame, track.exemplarMs ?? track.startMs),
    /** Selects a track and moves to its begin. */
    openLine: (line: Track) => show(line, line.startFrame, line.startMs),
    /** Moves a video to a frame. */
    toFrame: (frame: number) => player.current?.toFrame(frame),
    /** Moves to an event. */
    openEvent: ({ frame, at }: HappenedEvent) => move(frame, at),
    onShown: useCallback((frame: number) => setPosition(table?.timeOf(frame) ?? 0), [table]),
  };
}
