import { useEffect, useRef, useState } from 'preact/hooks';
import { refusalOf } from '../../kit/answer.ts';
import { Icon } from '../../kit/icons.tsx';
import { Problem } from '../../kit/parts.tsx';
import { TEXT } from '../../kit/text.ts';

/** Plays the recording around an event. */
export function ClipDialog({
  title,
  source,
  readyAt,
  close,
}: ClipProps & {
  readonly title: string;
  readonly close: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="wide clip" aria-label={title} onClose={close}>
      <header class="bar">
        <h2>{title}</h2>
        <button
          type="button"
          class="quiet-button"
          aria-label={TEXT.common.close}
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </header>
      <ClipVideo source={source} readyAt={readyAt} />
    </dialog>
  );
}

interface ClipProps {
  readonly source: string;
  /** Time when the clip is completely recorded: milliseconds since the epoch. */
  readonly readyAt: number;
}

/** Plays a clip when it is recorded. */
export function ClipVideo({ source, readyAt }: ClipProps) {
  const [problem, setProblem] = useState<string>();
  const [isReady, setReady] = useState(() => readyAt <= Date.now());
  useEffect(() => {
    if (isReady) return;
    const timer = setTimeout(() => setReady(true), readyAt - Date.now());
    return () => clearTimeout(timer);
  }, [isReady, readyAt]);
  const onError = async () => {
    const refusal = await refusalOf(source, AbortSignal.timeout(REFUSAL_MS));
    setProblem(refusal?.message ?? TEXT.viewer.thisBrowserDoesNotPlay);
  };
  if (problem !== undefined) return <Problem>{problem}</Problem>;
  if (!isReady) return <p class="hint">{TEXT.streams.clipIsReadySoon}</p>;
  return <video src={source} controls autoPlay muted playsInline onError={() => void onError()} />;
}

/** Time within which the server reports why there is no clip: milliseconds. */
const REFUSAL_MS = 10_000;
