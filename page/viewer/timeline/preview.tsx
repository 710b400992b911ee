import { useEffect, useMemo, useRef } from 'preact/hooks';
import { clock } from '../../kit/format.ts';
import { Newest } from '../newest.ts';

const [PAUSE_MS, FAILURE_MS] = [100, 2_000];

/** Position of the pointer over the timeline. */
export interface Hover {
  readonly ms: number;
  /** Fraction of the width of the timeline, from 0 to 1. */
  readonly part: number;
}

/** The picture of the frame under the pointer. `still`: returns its address. */
export function Preview({ at, still }: { readonly at: Hover; readonly still: (ms: number) => string }) {
  const place = useRef<HTMLDivElement>(null);
  const pictures = useMemo(
    () =>
      new Newest<HTMLImageElement>({
        async load(source) {
          const picture = new Image();
          picture.src = source;
          await picture.decode();
          return picture;
        },
        onLoad: (picture) => place.current?.replaceChildren(picture),
        pauseMs: PAUSE_MS,
        failureMs: FAILURE_MS,
      }),
    [],
  );
  useEffect(() => () => pictures.none(), [pictures]);
  const source = still(at.ms);
  useEffect(() => pictures.want(source), [pictures, source]);
  return (
    <figure class="preview" style={{ '--part': String(at.part) }} aria-hidden="true">
      <div ref={place} />
      <figcaption>{clock(at.ms)}</figcaption>
    </figure>
  );
}
