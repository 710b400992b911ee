import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Larger sounds are played without a picture of their waves: a browser would have to hold all of them. */
const MOST_BYTES = 64 * 1024 * 1024;
const [WIDTH, HEIGHT] = [1_000, 80];

/** Sound with its waves; `shown` is told where it is: milliseconds. */
export function SoundPlayer({
  source,
  handle,
  shown,
  startMs,
}: {
  readonly source: string;
  readonly handle: RefObject<HTMLAudioElement | null>;
  readonly shown: (ms: number) => void;
  readonly startMs: number;
}) {
  const waves = useWaves(source);
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
        onLoadedMetadata={({ currentTarget }) => (currentTarget.currentTime = startMs / 1_000)}
        onTimeUpdate={({ currentTarget }) => shown(currentTarget.currentTime * 1_000)}
      />
    </div>
  );
}

/** The outline of a sound, once the browser has decoded it. */
function useWaves(source: string): string {
  const [path, setPath] = useState('');
  const context = useRef<AudioContext>(null);
  useEffect(() => {
    const gone = new AbortController();
    const read = async () => {
      const response = await fetch(source, { signal: gone.signal });
      if (Number(response.headers.get('content-length') ?? 0) > MOST_BYTES) return gone.abort();
      context.current ??= new AudioContext();
      const sound = await context.current.decodeAudioData(await response.arrayBuffer());
      setPath(outline(sound.getChannelData(0)));
    };
    // It is an ornament: what cannot be drawn may still be played.
    read().catch(() => undefined);
    return () => gone.abort();
  }, [source]);
  return path;
}

/** The loudest sample of each part, up and down from the middle. */
function outline(samples: Float32Array): string {
  const part = Math.max(1, Math.floor(samples.length / WIDTH));
  let d = '';
  for (let x = 0; x < WIDTH; x++) {
    let loudest = 0;
    for (let n = x * part; n < (x + 1) * part && n < samples.length; n++)
      loudest = Math.max(loudest, Math.abs(samples[n]!));
    const half = Math.max(0.5, (loudest * HEIGHT) / 2);
    d += `M${x} ${HEIGHT / 2 - half}v${2 * half}`;
  }
  return d;
}
