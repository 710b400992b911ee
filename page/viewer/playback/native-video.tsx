import { useEffect, useImperativeHandle, useRef } from 'preact/hooks';
import { Boxes } from '../boxes/boxes.tsx';
import { useDrawing, type PlayerProps } from '../drawing.ts';
import { useRecovery } from './recovery.ts';
import { TEXT } from '../../kit/text.ts';

/** Time after which a seek counts as complete: milliseconds. Browsers may not report a frame that is replaced at once. */
const REPORTED_MS = 200;

/** A video that the browser plays. `onFailure` receives the reason as a sentence. */
export function NativeVideo(props: PlayerProps & { readonly onFailure: (problem: string) => void }) {
  const { source, table, cache, turned, filter, hue, selected, select, firstFrame, handle, onFailure } =
    props;
  const video = useRef<HTMLVideoElement>(null);
  const { boxes, frame, draw } = useDrawing(props);
  const recovery = useRecovery({ video, source, table, frame, firstFrame, onFailure });
  const latest = useRef({ draw, recovery });
  latest.current = { draw, recovery };
  const toFrame = (wanted: number) => {
    const player = video.current;
    if (player === null) return;
    player.pause();
    const at = Math.max(0, Math.min(wanted, table.count - 1));
    recovery.onMove(at);
    // Seeks to the middle of the frame's time, because players treat the limits of this time differently.
    const end = at + 1 < table.count ? table.timeOf(at + 1) : table.timeOf(at) + 1;
    player.currentTime = (table.timeOf(at) + end) / 2_000;
  };
  // Returns the target frame during a seek, so that quickly repeated keys add up.
  const here = () => {
    const player = video.current;
    return player?.seeking === true ? table.shownAt(player.currentTime * 1_000) : frame.current;
  };
  useEffect(() => {
    const player = video.current;
    if (player === null) return undefined;
    let request = 0;
    const onPresent: VideoFrameRequestCallback = (_now, { mediaTime }) => {
      const shown = table.nearest(mediaTime * 1_000);
      if (latest.current.recovery.onPresent(shown)) latest.current.draw(shown, !player.paused);
      request = player.requestVideoFrameCallback(onPresent);
    };
    request = player.requestVideoFrameCallback(onPresent);
    return () => player.cancelVideoFrameCallback(request);
  }, [table, source]);
  const settle = useRef(0);
  const onSeeked = ({ currentTarget }: { readonly currentTarget: HTMLVideoElement }) => {
    recovery.onSeeked(table.shownAt(currentTarget.currentTime * 1_000));
    clearTimeout(settle.current);
    settle.current = window.setTimeout(() => {
      const player = video.current;
      if (player === null || !player.paused || player.seeking) return;
      if (player.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return;
      const shown = table.shownAt(player.currentTime * 1_000);
      if (latest.current.recovery.onPresent(shown) && shown !== frame.current)
        latest.current.draw(shown, false);
    }, REPORTED_MS);
  };
  useEffect(() => () => clearTimeout(settle.current), []);
  useImperativeHandle(
    handle,
    () => ({
      toggle: () => void (video.current?.paused === true ? video.current.play() : video.current?.pause()),
      toFrame,
      step: (frames) => toFrame(here() + frames),
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
          // A file with sound only would play without a picture.
          if (currentTarget.videoWidth === 0) return onFailure(TEXT.viewer.thisBrowserCannotShowThe);
          // If the reader has already pressed "Play", the video must not stop.
          const isWanted = !currentTarget.paused;
          const { frame: at, isPlaying, rate } = recovery.onLoad();
          if (!isWanted) currentTarget.playbackRate = rate;
          toFrame(at);
          if (isPlaying || isWanted) void currentTarget.play();
        }}
        // The boxes are fetched while the browser seeks.
        onSeeking={({ currentTarget }) => void cache.at(table.shownAt(currentTarget.currentTime * 1_000))}
        onSeeked={onSeeked}
        onEmptied={() => clearTimeout(settle.current)}
        onWaiting={recovery.waits}
        onProgress={recovery.arrives}
        onCanPlay={recovery.goesOn}
        onError={recovery.reportError}
      />
      {recovery.isBroken && (
        <p class="over" role="status">
          {TEXT.viewer.theVideoWasInterruptedTrying}
        </p>
      )}
      <Boxes turned={turned} filter={filter} hue={hue} selected={selected} select={select} handle={boxes} />
    </div>
  );
}
