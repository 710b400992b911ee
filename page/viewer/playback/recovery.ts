/** Resumes an interrupted video at its last position, after a short failure of the network. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { refusalOf } from '../../kit/answer.ts';
import type { FrameTable } from '../frame-table.ts';
import { Silence } from './silence.ts';
import { TEXT } from '../../kit/text.ts';

/** Attempts in a row to play a video that broke off although the service answers. */
const ATTEMPTS = 4;
/** Time before an attempt; each waits twice as long as the one before, up to the last: milliseconds. */
const [FIRST_PAUSE_MS, LAST_PAUSE_MS] = [250, 4_000];
/** So far from where it broke off the video is well again: milliseconds of the medium. */
const WELL_MS = 10_000;

/** Without a byte for so long a video that is waited for is tried again: milliseconds. */
const SILENCE_MS = 10_000;

/** Where the reader was, and how it played. */
interface Place {
  readonly frame: number;
  readonly isPlaying: boolean;
  readonly rate: number;
}

export interface Recovery {
  /** Whether it is being tried again just now. */
  readonly isBroken: boolean;
  /** Told of an error of the video. */
  reportError(): void;
  /** Told that the video can go to any of its frames; answers where it is to go. */
  onLoad(): Place;
  /** Told that the video has come to the end of what has arrived of it. */
  waits(): void;
  /** Told that more of the video has arrived. */
  arrives(): void;
  /** Told that enough of it has arrived to go on. */
  goesOn(): void;
  /** Told of the frame that is shown. */
  onPresent(frame: number): void;
  /** Told where the reader wants to go while the video is being loaded. */
  onMove(frame: number): void;
}

interface RecoveryParts {
  readonly video: RefObject<HTMLVideoElement | null>;
  readonly source: string;
  readonly table: FrameTable;
  /** The frame that was shown last. */
  readonly frame: RefObject<number>;
  readonly firstFrame: number;
  /** Told in a sentence why the video is given up. */
  readonly onFailure: (problem: string) => void;
}

/** It is to be shown from where nothing has arrived yet. */
const lacksData = ({ ended, paused, seeking, readyState }: HTMLVideoElement) =>
  !ended && (seeking || !paused) && readyState < HTMLMediaElement.HAVE_FUTURE_DATA;

/** Of a video that has never been shown one more attempt tells whether the browser can play it at all. */
const mostAttempts = (wasShown: boolean) => (wasShown ? ATTEMPTS : 1);

export function useRecovery(parts: RecoveryParts): Recovery {
  const { video, source, table, frame, firstFrame } = parts;
  const [isBroken, setBroken] = useState(false);
  const place = useRef<Place>({ frame: firstFrame, isPlaying: false, rate: 1 });
  const state = useRef({ isLoaded: false, wasShown: false, attempts: 0, pauses: 0, brokeAtMs: 0 });
  const latest = useRef(parts);
  latest.current = parts;
  const gone = useRef(new AbortController());
  const again = useRef<() => void>(() => undefined);
  const silence = useRef(new Silence(SILENCE_MS, () => again.current()));
  useEffect(() => {
    gone.current = new AbortController();
    return () => {
      silence.current.end();
      gone.current.abort();
    };
  }, []);

  const tryAgain = async () => {
    const { signal } = gone.current;
    const refusal = await refusalOf(source, signal);
    const player = video.current;
    if (signal.aborted || player === null) return;
    const now = state.current;
    // A service that is away or has too much to do is waited for, however long it takes.
    const isAway = refusal !== undefined && (refusal.status === 0 || refusal.status >= 500);
    if (refusal !== undefined && !isAway) return latest.current.onFailure(refusal.message);
    if (!isAway && ++now.attempts > mostAttempts(now.wasShown))
      return latest.current.onFailure(
        now.wasShown ? TEXT.viewer.theVideoIsInterruptedHere : TEXT.viewer.thisBrowserDoesNotPlay,
      );
    const timer = setTimeout(
      () => {
        if (isAway) return void tryAgain();
        player.load();
        silence.current.begin();
      },
      Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** now.pauses++),
    );
    signal.addEventListener('abort', () => clearTimeout(timer));
  };
  const whereItWas = (player: HTMLVideoElement): Place => ({
    frame: player.seeking ? table.shownAt(player.currentTime * 1_000) : (frame.current ?? firstFrame),
    isPlaying: !player.paused,
    rate: player.playbackRate,
  });
  const reportError = () => {
    silence.current.end();
    if (video.current === null) return;
    // An attempt that fails before it gets anywhere leaves the place as it was.
    if (state.current.isLoaded) place.current = whereItWas(video.current);
    state.current.isLoaded = false;
    state.current.brokeAtMs = table.timeOf(place.current.frame);
    setBroken(true);
    void tryAgain();
  };
  again.current = () => {
    if (video.current !== null && (!state.current.isLoaded || lacksData(video.current))) reportError();
  };
  return {
    isBroken,
    reportError,
    onLoad() {
      silence.current.end();
      state.current.isLoaded = true;
      return place.current;
    },
    waits: () => silence.current.begin(),
    arrives: () => silence.current.restart(),
    goesOn: () => silence.current.end(),
    onPresent(shown) {
      const now = state.current;
      now.wasShown = true;
      setBroken(false);
      if (Math.abs(table.timeOf(shown) - now.brokeAtMs) > WELL_MS)
        Object.assign(now, { attempts: 0, pauses: 0 });
    },
    onMove(wanted) {
      if (!state.current.isLoaded) place.current = { ...place.current, frame: wanted, isPlaying: false };
    },
  };
}
