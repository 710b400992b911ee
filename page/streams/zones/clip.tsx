import { useEffect, useRef, useState } from 'preact/hooks';
import { refusalOf } from '../../kit/answer.ts';
import { Icon } from '../../kit/icons.tsx';
import { Problem } from '../../kit/parts.tsx';
import { TEXT } from '../../kit/text.ts';

/** Plays what was recorded around an event. */
export function ClipDialog({
  title,
  source,
  close,
}: {
  readonly title: string;
  readonly source: string;
  readonly close: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<string>();
  useEffect(() => dialog.current?.showModal(), []);
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
      {problem === undefined ? (
        <video src={source} controls autoPlay muted playsInline onError={() => void onError()} />
      ) : (
        <Problem>{problem}</Problem>
      )}
    </dialog>
  );
}

/** Milliseconds in which the server tells why there is no clip. */
const REFUSAL_MS = 10_000;
