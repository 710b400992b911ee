import { useEffect, useImperativeHandle, useRef } from 'preact/hooks';
import { Boxes } from '../boxes/boxes.tsx';
import { useDrawing, type PlayerProps } from '../drawing.ts';
import { useRecovery } from './recovery.ts';
import { TEXT } from '../../kit/text.ts';

/** Browsers may leave out the report of a frame that replaces another at once: milliseconds until it is assumed. */
const REPORTED_MS = 200;

/** A video as the browser plays it; `onFailure` receives the reason as a sentence. */
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
    // The middle of the time in which it is shown: neither end of it is the same for all players.
    const end = at + 1 < table.count ? table.timeOf(at + 1) : table.timeOf(at) + 1;
    player.currentTime = (table.timeOf(at) + end) / 2_000;
  };
  // Where the reader is going, while the picture is still looked for: keys that come quickly add up.
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
      latest.current.draw(shown, !player.paused);
      latest.current.recovery.onPresent(shown);
      request = player.requestVideoFrameCallback(onPresent);
    };
    request = player.requestVideoFrameCallback(onPresent);
    return () => player.cancelVideoFrameCallback(request);
  }, [table, source]);
  const settle = useRef(0);
  const onSeeked = () => {
    clearTimeout(settle.current);
    settle.current = window.setTimeout(() => {
      const player = video.current;
      if (player === null || !player.paused || player.seeking) return;
      if (player.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return;
      const shown = table.shownAt(player.currentTime * 1_000);
      if (shown === frame.current) return;
      latest.current.draw(shown, false);
      latest.current.recovery.onPresent(shown);
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
          // Sound alone is played as well, without a picture.
          if (currentTarget.videoWidth === 0) return onFailure(TEXT.viewer.thisBrowserCannotShowThe);
          // Whoever was quicker than the video with "Play" is not stopped again.
          const isWanted = !currentTarget.paused;
          const { frame: at, isPlaying, rate } = recovery.onLoad();
          if (!isWanted) currentTarget.playbackRate = rate;
          toFrame(at);
          if (isPlaying || isWanted) void currentTarget.play();
        }}
        // The boxes are fetched while the browser looks for the picture.
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
