import { elementTitle } from '../../kit/format.ts';
import { useState } from 'preact/hooks';
import { Icon } from '../../kit/icons.tsx';
import { PropertyField } from '../pipeline-drawing.tsx';
import type { Algorithm, AlgorithmProperty } from '../types.ts';
import type { DraftAction } from './draft.ts';
import { TEXT } from '../../kit/text.ts';

/** The properties of an action, with help and defaults. */
export function ActionPanel({
  action: { algorithm: name, properties: values, stored },
  algorithm,
  shared,
  choices,
  change,
  close,
}: {
  readonly action: DraftAction;
  /** Undefined if no component has the algorithm. */
  readonly algorithm: Algorithm | undefined;
  /** Names of the properties that every algorithm has. */
  readonly shared: ReadonlySet<string>;
  readonly choices: Readonly<Record<string, readonly string[]>>;
  readonly change: (property: string, value: string) => void;
  readonly close: () => void;
}) {
  const [text, setText] = useState('');
  const title = elementTitle(stored?.name ?? name);
  const wanted = text.trim().toLowerCase().replaceAll(' ', '_');
  const all = algorithm?.providesCollection.properties ?? [];
  const fits = ({ name: property, description }: AlgorithmProperty) =>
    property.toLowerCase().includes(wanted) || description.toLowerCase().includes(text.trim().toLowerCase());
  const own = all.filter((one) => !shared.has(one.name) || one.name in values).filter(fits);
  const others = all.filter((one) => shared.has(one.name) && !(one.name in values)).filter(fits);
  const field = (property: AlgorithmProperty) => (
    <PropertyField
      key={property.name}
      property={property}
      inForce={property.defaultValue}
      choices={choices[property.name] ?? []}
      value={values[property.name] ?? ''}
      change={(value) => change(property.name, value)}
    />
  );
  return (
    <section class="panel" aria-label={TEXT.pipelines.propertiesOf(title)}>
      <header>
        <h2>{title}</h2>
        <button
          type="button"
          class="quiet-button"
          aria-label={TEXT.pipelines.closeTheProperties}
          onClick={close}
        >
          <Icon name="close" size={16} />
        </button>
      </header>
      <p class="hint">{algorithm?.description ?? TEXT.pipelines.noComponentHasThisAlgorithm}</p>
      <label class="search-field">
        <span class="unseen">{TEXT.pipelines.findAProperty}</span>
        <input
          type="search"
          placeholder={TEXT.pipelines.findAProperty}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      {own.map(field)}
      {others.length > 0 && (
        <details class="properties" open={wanted !== ''}>
          <summary>{TEXT.pipelines.propertiesThatEveryAlgorithmHas}</summary>
          {others.map(field)}
        </details>
      )}
      {own.length + others.length === 0 && <p class="hint">{TEXT.pipelines.noPropertyContainsTheseWords}</p>}
    </section>
  );
}
