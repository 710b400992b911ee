import { elementTitle } from '../../kit/format.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../kit/icons.tsx';
import type { Action } from '../types.ts';
import { algorithmIcon } from '../element-icons.ts';
import { DRAGGED_ACTION } from './graph.tsx';
import { TEXT } from '../../kit/text.ts';

/** True if the name contains the words. Such actions are listed first. */
const isNamed = ({ name }: Action, words: string) => name.toLowerCase().includes(words);

/** The actions that can be added to a task, by click or by dragging into the drawing. */
export function Offer({
  actions,
  title,
  add,
  close,
}: {
  readonly actions: readonly Action[];
  /** Title that names the target task. */
  readonly title: string;
  readonly add: (action: Action) => void;
  readonly close: () => void;
}) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), [title]);
  const wanted = text.trim().toLowerCase();
  const shown = actions
    .filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(isNamed(b, wanted)) - Number(isNamed(a, wanted)));
  return (
    <section
      class="panel"
      aria-label={title}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <header>
        <h2>{title}</h2>
        <button
          type="button"
          class="quiet-button"
          aria-label={TEXT.pipelines.closeTheListOfActions}
          onClick={close}
        >
          <Icon name="close" size={16} />
        </button>
      </header>
      <label class="search-field">
        <span class="unseen">{TEXT.pipelines.findAnAction}</span>
        <input
          ref={field}
          type="search"
          placeholder={TEXT.pipelines.findAnAction}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <ul class="offer">
        {shown.map((action) => (
          <li key={action.name}>
            <button
              type="button"
              draggable
              onDragStart={(event) => event.dataTransfer!.setData(DRAGGED_ACTION, action.name)}
              onClick={() => add(action)}
            >
              <Icon name={algorithmIcon(action.algorithm)} />
              <span>
                {elementTitle(action.name)}
                <small>{action.description}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="hint">{TEXT.pipelines.noActionContainsTheseWords}</p>}
    </section>
  );
}
