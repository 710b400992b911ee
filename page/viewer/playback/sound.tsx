import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { refusalOf } from '../../kit/answer.ts';
import { Problem } from '../../kit/parts.tsx';
import { TEXT } from '../../kit/text.ts';

/** Maximum length of a sound with a waveform: seconds. The browser must hold the whole sound in memory. */
const LONGEST_S = 20 * 60;
/** Samples per second that are sufficient for a picture. */
const RATE = 8_000;
const REFUSAL_MS = 10_000;
const [WIDTH, HEIGHT] = [1_000, 80];

/** A sound with its waveform. `onShown` receives the position in milliseconds. */
export function SoundPlayer({
  source,
  handle,
  onShown,
  startMs,
}: {
  readonly source: string;
  readonly handle: RefObject<HTMLAudioElement | null>;
  readonly onShown: (ms: number) => void;
  readonly startMs: number;
}) {
  const [lengthS, setLength] = useState(0);
  const [problem, setProblem] = useState<string>();
  const onError = () =>
    void refusalOf(source, AbortSignal.timeout(REFUSAL_MS)).then((refusal) =>
      setProblem(refusal?.message ?? TEXT.viewer.thisBrowserDoesNotPlaySound),
    );
  const waves = useWaves(source, lengthS);
  return (
    <div class="sound">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={waves} />
      </svg>
      <audio
        ref={handle}
        src={source}
        controls
        preload="metadata"
        onLoadedMetadata={({ currentTarget }) => {
          currentTarget.currentTime = startMs / 1_000;
          setLength(currentTarget.duration);
        }}
        onTimeUpdate={({ currentTarget }) => onShown(currentTarget.currentTime * 1_000)}
        onError={onError}
      />
      {problem !== undefined && <Problem>{problem}</Problem>}
    </div>
  );
}

/** Returns the waveform of a sound after the browser has decoded it. */
function useWaves(source: string, lengthS: number): string {
  const [path, setPath] = useState('');
  useEffect(() => {
    if (!(lengthS > 0 && lengthS <= LONGEST_S)) return undefined;
    const gone = new AbortController();
    const read = async () => {
      const response = await fetch(source, { signal: gone.signal });
      const sound = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(await response.arrayBuffer());
      if (!gone.signal.aborted) setPath(outline(sound.getChannelData(0)));
    };
    // The waveform is optional. A sound that cannot be drawn may still be played.
    read().catch(() => undefined);
    return () => gone.abort();
  }, [source, lengthS]);
  return path;
}

/** Minimum height for scaling, so that silence has no visible waves. */
const QUIETEST = 0.02;

/** Returns the loudest sample of each part, drawn up and down from the middle. The loudest sample of all fills the height. */
function outline(samples: Float32Array): string {
  const part = Math.max(1, Math.floor(samples.length / WIDTH));
  const peaks = Array.from({ length: WIDTH }, (_, x) => peakOf(samples.subarray(x * part, (x + 1) * part)));
  const scale = HEIGHT / 2 / Math.max(QUIETEST, peakOf(Float32Array.from(peaks)));
  return peaks
    .map((peak, x) => {
      const half = Math.max(0.5, peak * scale);
      return `M${x} ${HEIGHT / 2 - half}v${2 * half}`;
    })
    .join('');
}

function peakOf(samples: Float32Array): number {
  let loudest = 0;
  for (const sample of samples) loudest = Math.max(loudest, Math.abs(sample));
  return loudest;
}
