import { useEffect, useState } from 'preact/hooks';
import { urlOf } from '../kit/api.ts';
import { TEXT } from '../kit/text.ts';
import { LivePicture } from './live-picture.tsx';
import { readPictures } from './read-pictures.ts';

/** Time before pictures are requested again: milliseconds. */
const AGAIN_MS = 2_000;
/** Interval between single pictures, which are requested if the server refuses another viewer: milliseconds. */
const PICTURE_MS = 500;

/** The pictures of a camera as they arrive. A hidden page requests none. */
export function LiveView({ path }: { readonly path: string }) {
  const [shown, setShown] = useState<string>();
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    let url: string | undefined;
    const show = (picture: Blob) => {
      const before = url;
      setShown((url = URL.createObjectURL(picture)));
      if (before !== undefined) setTimeout(() => URL.revokeObjectURL(before), AGAIN_MS);
    };
    const stop = whileVisible((signal) => readAgain(path, show, signal, () => setRefused(true)));
    return () => {
      stop();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [path]);
  if (isRefused) return <LivePicture path={`${path}/frame.jpg`} everyMs={PICTURE_MS} />;
  return shown === undefined ? (
    <span class="placeholder">{TEXT.streams.noPictureYet}</span>
  ) : (
    <img src={shown} alt={TEXT.streams.theNewestPictureOfThe} />
  );
}

/**
 * Runs the work while the page is visible. Requests of a hidden page would keep the session alive. Returns a function that stops the work.
 */
function whileVisible(work: (signal: AbortSignal) => Promise<void>): () => void {
  let current: AbortController | undefined;
  const change = () => {
    if (document.hidden) current?.abort();
    else if (current === undefined || current.signal.aborted)
      void work((current = new AbortController()).signal);
  };
  document.addEventListener('visibilitychange', change);
  change();
  return () => {
    document.removeEventListener('visibilitychange', change);
    current?.abort();
  };
}

async function readAgain(
  path: string,
  show: (picture: Blob) => void,
  signal: AbortSignal,
  onRefused: () => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const answer = await fetch(urlOf(`${path}/live.mjpeg`), { signal });
      if (answer.status === 503) return onRefused();
      if (answer.ok && answer.body !== null) await readPictures(answer.body, show);
    } catch {
      // The connection broke, or the page is hidden.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
