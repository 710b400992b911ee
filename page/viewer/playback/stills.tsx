import type { ComponentChildren } from 'preact';
import { useImperativeHandle, useState } from 'preact/hooks';
import { clock } from '../../kit/format.ts';
import { Boxes } from '../boxes/boxes.tsx';
import { useDrawing, type PlayerProps } from '../drawing.ts';
import { TEXT } from '../../kit/text.ts';

/** Pictures of single frames, which the server decodes. */
export function Stills(props: PlayerProps & { readonly children: ComponentChildren }) {
  const { still, table, turned, filter, hue, selected, select, firstFrame, handle, children } = props;
  const { boxes, frame, draw } = useDrawing(props);
  const [wanted, setWanted] = useState(firstFrame);
  const [isPlaying, setPlaying] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const toFrame = (at: number) => setWanted(Math.max(0, Math.min(at, table.count - 1)));
  const onLoad = () => {
    setMissing(false);
    draw(wanted, isPlaying);
    if (isPlaying && wanted + 1 < table.count) setWanted(wanted + 1);
    else setPlaying(false);
  };
  const toggle = () => {
    setPlaying(!isPlaying);
    if (!isPlaying) toFrame(frame.current + 1);
  };
  useImperativeHandle(
    handle,
    () => ({
      toggle,
      toFrame: (at) => {
        setPlaying(false);
        toFrame(at);
      },
      step: (frames) => toFrame(frame.current + frames),
    }),
    [table, isPlaying],
  );
  return (
    <>
      {children}
      <div class="picture">
        <img
          src={still(wanted)}
          alt={TEXT.viewer.frame(wanted)}
          onLoad={onLoad}
          onError={() => {
            setPlaying(false);
            setMissing(true);
          }}
        />
        <Boxes turned={turned} filter={filter} hue={hue} selected={selected} select={select} handle={boxes} />
      </div>
      {isMissing && <p class="hint">{TEXT.common.theServerCannotDecodeThis}</p>}
      {table.count > 1 && (
        <p>
          <button type="button" onClick={toggle}>
            {isPlaying ? TEXT.common.pause : TEXT.viewer.play}
          </button>{' '}
          {clock(table.timeOf(wanted))}
        </p>
      )}
    </>
  );
}
