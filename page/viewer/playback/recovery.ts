/** Resumes an interrupted video at its last position, after a short failure of the network. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { refusalOf } from '../../kit/answer.ts';
import type { FrameTable } from '../frame-table.ts';
import { Silence } from './silence.ts';
import { TEXT } from '../../kit/text.ts';

/** Maximum number of consecutive attempts to play an interrupted video while the service answers. */
const ATTEMPTS = 4;
/** Pause before an attempt: milliseconds. Each pause is twice as long as the one before, up to the maximum. */
const [FIRST_PAUSE_MS, LAST_PAUSE_MS] = [250, 4_000];
/** Distance from the interruption at which playback counts as restored: milliseconds of the medium. */
const WELL_MS = 10_000;

/** Time without data after which a waiting video is loaded again: milliseconds. */
const SILENCE_MS = 10_000;

/** The position of the reader, and the state of playback. */
interface Place {
  readonly frame: number;
  readonly isPlaying: boolean;
  readonly rate: number;
}

export interface Recovery {
  /** True while the video is being recovered. */
  readonly isBroken: boolean;
  /** Reports an error of the video. */
  reportError(): void;
  /** Reports that the video can seek to all frames. Returns the position to restore. */
  onLoad(): Place;
  /** Reports that playback has reached the end of the received data. */
  waits(): void;
  /** Reports that more data has arrived. */
  arrives(): void;
  /** Reports that enough data has arrived to resume. */
  goesOn(): void;
  /** Reports the frame that the browser presents. Returns false if the video has not reached its earlier position yet. */
  onPresent(frame: number): boolean;
  /** Reports the frame of the position that the video has reached. */
  onSeeked(frame: number): void;
  /** Reports the frame that the reader wants. */
  onMove(frame: number): void;
}

interface RecoveryParts {
  readonly video: RefObject<HTMLVideoElement | null>;
  readonly source: string;
  readonly table: FrameTable;
  /** The frame that was shown last. */
  readonly frame: RefObject<number>;
  readonly firstFrame: number;
  /** Receives a sentence with the reason why recovery ended. */
  readonly onFailure: (problem: string) => void;
}

/** True if the video lacks data at its position. */
const lacksData = ({ ended, paused, seeking, readyState }: HTMLVideoElement) =>
  !ended && (seeking || !paused) && readyState < HTMLMediaElement.HAVE_FUTURE_DATA;

/** Returns the maximum number of attempts. For a video that was never shown, one more attempt shows if the browser can play it at all. */
const mostAttempts = (wasShown: boolean) => (wasShown ? ATTEMPTS : 1);

export function useRecovery(parts: RecoveryParts): Recovery {
  const { video, source, table, frame, firstFrame } = parts;
  const [isBroken, setBroken] = useState(false);
  const place = useRef<Place>({ frame: firstFrame, isPlaying: false, rate: 1 });
  const state = useRef({
    ...{ isLoaded: false, wasShown: false, attempts: 0, pauses: 0, brokeAtMs: 0 },
    // A browser may present the first frame of a loaded video before it seeks. Frames before this one do not count.
    earliest: firstFrame,
  });
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
    // If the service does not answer or is overloaded, the attempts continue without limit.
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
    // If an attempt fails before loading, the earlier position stays.
    if (state.current.isLoaded) place.current = whereItWas(video.current);
    state.current.isLoaded = false;
    state.current.earliest = place.current.frame;
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
      state.current.earliest = place.current.frame;
      return place.current;
    },
    waits: () => silence.current.begin(),
    arrives: () => silence.current.restart(),
    goesOn: () => silence.current.end(),
    onPresent(shown) {
      const now = state.current;
      if (shown < now.earliest) return false;
      now.wasShown = true;
      if (now.isLoaded) {
        now.earliest = 0;
        setBroken(false);
      }
      if (Math.abs(table.timeOf(shown) - now.brokeAtMs) > WELL_MS)
        Object.assign(now, { attempts: 0, pauses: 0 });
      return true;
    },
    onSeeked(reached) {
      state.current.earliest = Math.min(state.current.earliest, reached);
    },
    onMove(wanted) {
      const now = state.current;
      if (!now.isLoaded) place.current = { ...place.current, frame: wanted, isPlaying: false };
      now.earliest = now.isLoaded ? Math.min(now.earliest, wanted) : wanted;
    },
  };
}
