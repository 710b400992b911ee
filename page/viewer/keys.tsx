import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PlayerHandle } from './drawing.ts';
import { TEXT } from '../kit/text.ts';

const KEYS = [
  [TEXT.viewer.spaceKey, TEXT.viewer.playOrPause],
  [',', TEXT.viewer.oneFrameBack],
  ['.', TEXT.viewer.oneFrameOn],
  ['J', TEXT.viewer.theNextFinding],
  ['K', TEXT.viewer.theFindingBefore],
  ['Esc', TEXT.viewer.chooseNone],
  ['?', TEXT.viewer.thisList],
] as const;

/** Keyboard shortcuts of the viewer. They are active while the reader does not type. */
export function Keys({
  player,
  next,
  leave,
}: {
  readonly player: RefObject<PlayerHandle | null>;
  readonly next: (direction: 1 | -1) => void;
  readonly leave: () => void;
}) {
  const help = useRef<HTMLDialogElement>(null);
  const latest = useRef({ next, leave });
  latest.current = { next, leave };
  useEffect(() => {
    const actions: Readonly<Record<string, () => void>> = {
      ' ': () => player.current?.toggle(),
      ',': () => player.current?.step(-1),
      '.': () => player.current?.step(1),
      j: () => latest.current.next(1),
      k: () => latest.current.next(-1),
      Escape: () => latest.current.leave(),
      '?': () => help.current?.showModal(),
    };
    const onKey = (event: KeyboardEvent) => {
      const { target, key, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || isTyping(target, key)) return;
      const action = actions[key.length === 1 ? key.toLowerCase() : key];
      if (action === undefined || help.current?.open === true) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button type="button" class="plain" onClick={() => help.current?.showModal()}>
        {TEXT.viewer.keys}
      </button>
      <dialog ref={help}>
        <h2>{TEXT.viewer.keys}</h2>
        <dl class="keys">
          {KEYS.map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">{TEXT.common.close}</button>
        </form>
      </dialog>
    </>
  );
}

/** True if the key belongs to the focused element: Space presses a button, and letters go into a field. */
function isTyping(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches('input:not([type=checkbox], [type=range]), select, textarea')) return true;
  return key === ' ' && target.matches('button, a, input, summary, video');
}
