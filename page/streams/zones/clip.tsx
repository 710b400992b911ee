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
}: {
  readonly title: string;
  readonly source: string;
  /** Time when the clip is completely recorded: milliseconds since the epoch. */
  readonly readyAt: number;
  readonly close: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<string>();
  const [isReady, setReady] = useState(() => readyAt <= Date.now());
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    if (isReady) return;
    const timer = setTimeout(() => setReady(true), readyAt - Date.now());
    return () => clearTimeout(timer);
  }, [isReady, readyAt]);
  const onError = async () => {
    const refusal = await refusalOf(source, AbortSignal.timeout(REFUSAL_MS));
    setProblem(refusal?.message ?? TEXT.viewer.thisBrowserDoesNotPlay);
  };
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
      {!isReady && <p class="hint">{TEXT.streams.clipIsReadySoon}</p>}
      {isReady && problem === undefined && (
        <video src={source} controls autoPlay muted playsInline onError={() => void onError()} />
      )}
      {problem !== undefined && <Problem>{problem}</Problem>}
    </dialog>
  );
}

/** Time within which the server reports why there is no clip: milliseconds. */
const REFUSAL_MS = 10_000;
