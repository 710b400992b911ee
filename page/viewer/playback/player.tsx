import { useCallback, useImperativeHandle, useRef, useState } from 'preact/hooks';
import { refusalOf } from '../../kit/answer.ts';
import { Problem } from '../../kit/parts.tsx';
import { Boxes } from '../boxes/boxes.tsx';
import { useDrawing, type PlayerProps } from '../drawing.ts';
import { NativeVideo } from './native-video.tsx';
import { Stills } from './stills.tsx';
import { TEXT } from '../../kit/text.ts';

/** A video with its boxes exactly on their frame. If the browser cannot play it, the server sends pictures of single frames. */
export function VideoPlayer(props: PlayerProps) {
  const [problem, setProblem] = useState<string>();
  const frame = useRef(props.firstFrame);
  const { onShown } = props;
  const onFrame = useCallback(
    (now: number) => {
      frame.current = now;
      onShown(now);
    },
    [onShown],
  );
  // Each player starts at the frame of the other one.
  const all = { ...props, onShown: onFrame, firstFrame: frame.current };
  if (problem === undefined) return <NativeVideo {...all} onFailure={setProblem} />;
  return (
    <Stills {...all}>
      <p class="hint">
        {TEXT.viewer.singleFramesAreShown(problem)}{' '}
        <button type="button" class="plain" onClick={() => setProblem(undefined)}>
          {TEXT.viewer.tryTheVideoAgain}
        </button>
      </p>
    </Stills>
  );
}

/** An image, shown like a video with one frame. If its file no longer exists, the stored small picture is shown with the reason. */
export function ImagePlayer(props: PlayerProps) {
  const { source, still, turned, filter, hue, selected, select, handle } = props;
  const { boxes, draw } = useDrawing(props);
  const [attempt, setAttempt] = useState(0);
  const [problem, setProblem] = useState<string>();
  useImperativeHandle(handle, () => ({ toggle() {}, toFrame() {}, step() {} }), []);
  const sources = [source, still(0), `${still(0)}?small=true`];
  const onError = () => {
    setAttempt(attempt + 1);
    if (sources[attempt] === still(0))
      void refusalOf(still(0), AbortSignal.timeout(REFUSAL_MS)).then((refusal) =>
        setProblem(refusal?.message ?? TEXT.common.theServerCannotDecodeThis),
      );
  };
  return (
    <>
      {attempt < sources.length && (
        <div class="picture">
          <img
            src={sources[attempt]}
            alt={TEXT.viewer.theMedium}
            onLoad={() => draw(0, false)}
            onError={onError}
          />
          <Boxes
            turned={turned}
            filter={filter}
            hue={hue}
            selected={selected}
            select={select}
            handle={boxes}
          />
        </div>
      )}
      {problem !== undefined && <Problem>{problem}</Problem>}
    </>
  );
}

const REFUSAL_MS = 10_000;
