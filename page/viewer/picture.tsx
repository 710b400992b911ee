import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { get, urlOf } from '../kit/api.ts';
import { BoxCache } from './boxes/box-cache.ts';
import { ComparedTo, joinBoxes } from './compare.tsx';
import { storedSize, turnPicture } from '../kit/findings/overlay.ts';
import { ImagePlayer, VideoPlayer } from './playback/player.tsx';
import type { BoxPage, Medium } from '../kit/findings/types.ts';

/** Maximum number of boxes in one answer, as limited by the service. One frame may have very many. */
const BOXES = 20_000;

/** Returns the address of a frame of a medium as a picture. */
export const stillUrl = (base: string, frame: number) => urlOf(`${base}/frames/${frame}.jpg`);

/** A picture with boxes: of a video, or an image. */
export function PicturePlayer({
  base,
  medium,
  revision,
  ...props
}: {
  readonly base: string;
  readonly medium: Medium;
  /** Changes when a running job has more findings. */
  readonly revision: string;
} & Omit<Parameters<typeof VideoPlayer>[0], 'source' | 'still' | 'cache' | 'known' | 'turned'>) {
  const [known, setKnown] = useState(0);
  const { count: frames } = props.table;
  const other = useContext(ComparedTo);
  const cache = useMemo(
    () =>
      new BoxCache({
        async load(fromFrame, toFrame, signal) {
          const boxesOf = (of: string) =>
            get<BoxPage>(`${of}/boxes`, { fromFrame, toFrame, limit: BOXES }, signal);
          if (other === undefined) return boxesOf(base);
          const [own, others] = await Promise.all([boxesOf(base), boxesOf(other)]);
          return joinBoxes(own, others);
        },
        onChange: () => setKnown((before) => before + 1),
        frames,
      }),
    [base, other, frames],
  );
  useEffect(() => () => cache.close(), [cache]);
  const seen = useRef(revision);
  useEffect(() => {
    if (seen.current !== revision) cache.refresh();
    seen.current = revision;
  }, [cache, revision]);
  const turning = useMemo(() => turnPicture(storedSize(medium)!, medium.metadata), [medium]);
  const style = { '--ratio': String(turning.width / turning.height) };
  const all = {
    ...props,
    cache,
    known,
    turned: turning,
    source: urlOf(base),
    still: (frame: number) => stillUrl(base, frame),
  };
  return (
    <div class="screen" style={style}>
      {medium.mediaType === 'IMAGE' ? <ImagePlayer {...all} /> : <VideoPlayer {...all} />}
    </div>
  );
}
