import type { ComponentChildren, Ref } from 'preact';
import { useCallback, useEffect, useImperativeHandle, useRef, useState } from 'preact/hooks';
import { clock } from '../kit/format.ts';
import type { BoxCache } from './box-cache.ts';
import { Boxes, type BoxesHandle } from './boxes.tsx';
import type { FrameTable } from './frame-table.ts';
import type { Turned } from './overlay.ts';
import type { Filter } from './types.ts';

/** What the rest of the viewer has a player do. */
export interface PlayerHandle {
  toggle(): void;
  /** Goes to a frame and stays there. */
  toFrame(frame: number): void;
  step(frames: number): void;
}

interface PlayerProps {
  readonly source: string;
  /** The address of a frame as a picture. */
  readonly still: (frame: number) => string;
  readonly table: FrameTable;
  readonly cache: BoxCache;
  /** Counts how often more boxes became known. */
  readonly known: number;
  readonly turned: Turned;
  readonly filter: Filter;
  readonly selected: number | undefined;
  readonly select: (track: number | undefined) => void;
  /** Told of the frame that is shown, a few times a second while it plays. */
  readonly shown: (frame: number) => void;
  readonly firstFrame: number;
  readonly handle: Ref<PlayerHandle>;
}

/** A video with its boxes exactly on their frame: what the browser plays, else pictures of single frames from the server. */
export function VideoPlayer(props: PlayerProps) {
  const [isPlayable, setPlayable] = useState(true);
  return isPlayable ? (
    <Played {...props} failed={() => setPlayable(false)} />
  ) : (
    <Stills {...props}>
      <p class="hint">This browser does not play this video: single frames are shown.</p>
    </Stills>
  );
}

/** Time between two reports of the frame while it plays: milliseconds. */
const REPORT_MS = 100;

/** Draws boxes for the frame that is shown now, and again when more are known or others are wanted. */
function useDrawing({ cache, known, filter, selected, shown, firstFrame }: PlayerProps) {
  const boxes = useRef<BoxesHandle>(null);
  const frame = useRef(firstFrame);
  const reported = useRef(0);
  const draw = useCallback(
    (now: number, isPlaying: boolean) => {
      frame.current = now;
      boxes.current?.draw(now, cache.at(now));
      if (isPlaying && performance.now() - reported.current < REPORT_MS) return;
      reported.current = performance.now();
      shown(now);
    },
    [cache, shown],
  );
  useEffect(
    () => boxes.current?.draw(frame.current, cache.at(frame.current)),
    [cache, known, filter, selected],
  );
  return { boxes, frame, draw };
}

function Played(props: PlayerProps & { readonly failed: () => void }) {
  const { source, table, turned, filter, selected, select, firstFrame, handle, failed } = props;
  const video = useRef<HTMLVideoElement>(null);
  const { boxes, frame, draw } = useDrawing(props);
  const latest = useRef(draw);
  latest.current = draw;
  const toFrame = (wanted: number) => {
    const player = video.current;
    if (player === null) return;
    player.pause();
    const at = Math.max(0, Math.min(wanted, table.count - 1));
    // The middle of the time in which it is shown: neither end of it is the same for all players.
    const end = at + 1 < table.count ? table.timeOf(at + 1) : table.timeOf(at) + 1;
    player.currentTime = (table.timeOf(at) + end) / 2_000;
  };
  useEffect(() => {
    const player = video.current;
    if (player === null) return undefined;
    let request = 0;
    const presented: VideoFrameRequestCallback = (_now, { mediaTime }) => {
      latest.current(table.nearest(mediaTime * 1_000), !player.paused);
      request = player.requestVideoFrameCallback(presented);
    };
    request = player.requestVideoFrameCallback(presented);
    return () => player.cancelVideoFrameCallback(request);
  }, [table, source]);
  useImperativeHandle(
    handle,
    () => ({
      toggle: () => void (video.current?.paused === true ? video.current.play() : video.current?.pause()),
      toFrame,
      step: (frames) => toFrame(frame.current + frames),
    }),
    [table],
  );
  return (
    <div class="picture">
      <video
        ref={video}
        src={source}
        controls
        muted
        playsInline
        preload="auto"
        onLoadedMetadata={({ currentTarget }) => {
          // Sound alone is played as well, without a picture.
          if (currentTarget.videoWidth === 0) failed();
          else toFrame(firstFrame);
        }}
        onError={failed}
      />
      <Boxes turned={turned} filter={filter} selected={selected} select={select} handle={boxes} />
    </div>
  );
}

function Stills(props: PlayerProps & { readonly children: ComponentChildren }) {
  const { still, table, turned, filter, selected, select, firstFrame, handle, children } = props;
  const { boxes, frame, draw } = useDrawing(props);
  const [wanted, setWanted] = useState(firstFrame);
  const [isPlaying, setPlaying] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const toFrame = (at: number) => setWanted(Math.max(0, Math.min(at, table.count - 1)));
  const loaded = () => {
    setMissing(false);
    draw(wanted, isPlaying);
    if (isPlaying && wanted + 1 < table.count) setWanted(wanted + 1);
    else setPlaying(false);
  };
  const toggle = () => {
    setPlaying(!isPlaying);
    if (!isPlaying) toFrame(frame.current + 1);
  };
  useImperativeHandle(
    handle,
    () => ({
      toggle,
      toFrame: (at) => {
        setPlaying(false);
        toFrame(at);
      },
      step: (frames) => toFrame(frame.current + frames),
    }),
    [table, isPlaying],
  );
  return (
    <>
      {children}
      <div class="picture">
        <img
          src={still(wanted)}
          alt={`Frame ${wanted}`}
          onLoad={loaded}
          onError={() => {
            setPlaying(false);
            setMissing(true);
          }}
        />
        <Boxes turned={turned} filter={filter} selected={selected} select={select} handle={boxes} />
      </div>
      {isMissing && <p class="hint">The picture of this frame cannot be had.</p>}
      {table.count > 1 && (
        <p>
          <button type="button" onClick={toggle}>
            {isPlaying ? 'Pause' : 'Play'}
          </button>{' '}
          {clock(table.timeOf(wanted))}
        </p>
      )}
    </>
  );
}

/** An image: a video of one frame that only stands. */
export function ImagePlayer(props: PlayerProps) {
  const { source, still, turned, filter, selected, select, handle } = props;
  const { boxes, draw } = useDrawing(props);
  const [isShown, setShown] = useState(true);
  useImperativeHandle(handle, () => ({ toggle() {}, toFrame() {}, step() {} }), []);
  return (
    <div class="picture">
      <img
        src={isShown ? source : still(0)}
        alt="The medium"
        onLoad={() => draw(0, false)}
        onError={() => setShown(false)}
      />
      <Boxes turned={turned} filter={filter} selected={selected} select={select} handle={boxes} />
    </div>
  );
}
