import { useId } from 'preact/hooks';
import { hrefOf } from '../kit/route.ts';
import type { AlgorithmProperty, WholeAction, WholePipeline } from './types.ts';
import { TEXT } from '../kit/text.ts';

/** The tasks of a pipeline, drawn from left to right. Actions of one task run at the same time and are drawn below each other. */
export function PipelineDrawing({ of: { tasks } }: { readonly of: WholePipeline }) {
  return (
    <ol class="drawn" aria-label={TEXT.pipelines.tasksInTheOrderIn}>
      {tasks.map(({ task, actions }) => (
        <li key={task.name}>
          <strong>{task.name}</strong>
          <ul>
            {actions.map(({ action, algorithm }) => (
              <li key={action.name} title={action.description}>
                <a href={hrefOf(['components', action.algorithm])}>{action.algorithm}</a>
                {algorithm === undefined && (
                  <small class="bad">{TEXT.pipelines.noComponentHasThisAlgorithm}</small>
                )}
                {action.properties.map(({ name, value }) => (
                  <small key={name}>
                    {name} = {value}
                  </small>
                ))}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

type Values = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The properties of every algorithm of a pipeline, with their descriptions and defaults. */
export function Properties({
  of: { tasks, shared, choices },
  values,
  change,
}: {
  readonly of: WholePipeline;
  readonly values: Values;
  readonly change: (algorithm: string, property: string, value: string) => void;
}) {
  const actions = new Map(
    tasks.flatMap((task) => task.actions.map((action) => [action.action.algorithm, action] as const)),
  );
  return (
    <>
      {[...actions].map(([name, action]) => (
        <AlgorithmProperties
          key={name}
          of={action}
          shared={shared}
          choices={choices[name] ?? {}}
          values={values[name] ?? {}}
          change={(property, value) => change(name, property, value)}
        />
      ))}
    </>
  );
}

function AlgorithmProperties({
  of: { action, algorithm },
  shared,
  choices,
  values,
  change,
}: {
  readonly of: WholeAction;
  readonly shared: ReadonlySet<string>;
  readonly choices: Readonly<Record<string, readonly string[]>>;
  readonly values: Readonly<Record<string, string>>;
  readonly change: (property: string, value: string) => void;
}) {
  const properties = algorithm?.providesCollection.properties ?? [];
  if (properties.length === 0) return null;
  const set = Object.values(values).filter((value) => value !== '').length;
  const field = (property: AlgorithmProperty) => (
    <PropertyField
      key={property.name}
      property={property}
      inForce={action.properties.find(({ name }) => name === property.name)?.value ?? property.defaultValue}
      choices={choices[property.name] ?? []}
      value={values[property.name] ?? ''}
      change={(value) => change(property.name, value)}
    />
  );
  return (
    <details class="properties">
      <summary>
        {TEXT.pipelines.propertiesOf(action.algorithm)}{' '}
        {set > 0 && <span class="count">{TEXT.pipelines.set(set)}</span>}
      </summary>
      {properties.filter(({ name }) => !shared.has(name)).map(field)}
      <details>
        <summary>{TEXT.pipelines.propertiesThatEveryAlgorithmHas}</summary>
        {properties.filter(({ name }) => shared.has(name)).map(field)}
      </details>
    </details>
  );
}

/** A property with its help. An empty field shows in grey the value that applies. */
export function PropertyField({
  property: { name, description, type },
  inForce,
  choices,
  value,
  change,
}: {
  readonly property: AlgorithmProperty;
  readonly inForce: string | null;
  readonly choices: readonly string[];
  readonly value: string;
  readonly change: (value: string) => void;
}) {
  const onInput = ({ currentTarget }: { readonly currentTarget: HTMLSelectElement | HTMLInputElement }) =>
    change(currentTarget.value);
  const list = useId();
  const numeric = type !== 'STRING' && type !== 'BOOLEAN';
  return (
    <label class="property">
      <code>{name}</code>
      {type === 'BOOLEAN' ? (
        <select value={value.toUpperCase()} onChange={onInput}>
          <option value="">{inForce ?? TEXT.pipelines.notSet}</option>
          <option value="TRUE">TRUE</option>
          <option value="FALSE">FALSE</option>
        </select>
      ) : (
        <input
          type="text"
          inputMode={numeric ? 'decimal' : 'text'}
          placeholder={inForce ?? ''}
          value={value}
          onInput={onInput}
          {...(choices.length > 0 && { list })}
        />
      )}
      {choices.length > 0 && (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      <small>{description}</small>
    </label>
  );
}
