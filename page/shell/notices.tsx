import { useState } from 'preact/hooks';
import type { z } from 'zod';
import type { systemMessage } from '../../http/schemas/system-messages.ts';
import { Icon } from '../kit/icons.tsx';
import { useGet } from '../kit/load.ts';
import { TEXT } from '../kit/text.ts';

const EVERY_MS = 60_000;
/** Key of the ids of hidden messages in this tab. */
const HIDDEN = 'hiddenNotices';

/** The system messages, over all views. A reader can hide each of them until the browser tab is closed. */
export function Notices() {
  const messages = useGet<readonly z.output<typeof systemMessage>[]>('rest/system-message', {}, EVERY_MS);
  const [hidden, setHidden] = useState<readonly number[]>(hiddenIds);
  const hide = (id: number) => {
    const ids = [...hidden, id];
    sessionStorage.setItem(HIDDEN, JSON.stringify(ids));
    setHidden(ids);
  };
  return (
    <div role="status">
      {messages.value
        ?.filter(({ id }) => !hidden.includes(id))
        .map(({ id, msg, severity }) => (
          <p key={id} class={`notice ${severity}`}>
            <span class="grow">{msg}</span>
            <button
              type="button"
              class="quiet-button"
              aria-label={TEXT.app.hideNotice(msg)}
              onClick={() => hide(id)}
            >
              <Icon name="close" size={16} />
            </button>
          </p>
        ))}
    </div>
  );
}

function hiddenIds(): readonly number[] {
  try {
    const ids: unknown = JSON.parse(sessionStorage.getItem(HIDDEN) ?? '[]');
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : [];
  } catch {
    return [];
  }
}
