import { useEffect, useRef, useState } from 'preact/hooks';
import { urlOf } from '../kit/api.ts';
import { TEXT } from '../kit/text.ts';

/** The newest picture of a camera. The next one is requested some time after the last one. */
export function LivePicture({ path, everyMs }: { readonly path: string; readonly everyMs: number }) {
  const [turn, setTurn] = useState(0);
  const [shown, setShown] = useState<string>();
  const timer = useRef(0);
  useEffect(() => {
    const next = new Image();
    const url = urlOf(path, { turn });
    next.addEventListener('load', () => setShown(url));
    const again = () => {
      // A hidden page sends no requests, because they would keep the session alive.
      if (document.hidden) return document.addEventListener('visibilitychange', again, { once: true });
      timer.current = window.setTimeout(() => setTurn((n) => n + 1), everyMs);
    };
    next.addEventListener('load', again);
    next.addEventListener('error', again);
    next.src = url;
    return () => {
      // The pending request is aborted. Otherwise it would wait for a picture that never comes if the stream has ended.
      next.removeEventListener('error', again);
      next.removeAttribute('src');
      clearTimeout(timer.current);
      document.removeEventListener('visibilitychange', again);
    };
  }, [path, turn]);
  return shown === undefined ? (
    <span class="placeholder">{TEXT.streams.noPictureYet}</span>
  ) : (
    <img src={shown} alt={TEXT.streams.theNewestPictureOfThe} />
  );
}
