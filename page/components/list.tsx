import type { z } from 'zod';
import type { component } from '../../http/schemas/components.ts';
import { useGet } from '../kit/load.ts';
import { Facts, Shown, Table } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import type { Algorithm } from '../pipelines/types.ts';
import { TEXT } from '../kit/text.ts';

type Component = z.output<typeof component>;

/** The components with their algorithms. */
export function ComponentList() {
  const components = useGet<readonly Component[]>('rest/components');
  return (
    <>
      <header class="bar">
        <h1>{TEXT.common.components}</h1>
      </header>
      <Shown of={components}>
        {(all) =>
          all.length === 0 ? (
            <p class="hint">{TEXT.components.noneYet}</p>
          ) : (
            <Table
              columns={[
                TEXT.components.component,
                TEXT.components.algorithm,
                TEXT.components.version,
                TEXT.common.media,
                TEXT.components.runs,
              ]}
            >
              {all.map((one) => (
                <tr key={one.componentName}>
                  <th scope="row">{one.componentName}</th>
                  <td data-label={TEXT.components.algorithm}>
                    <a href={hrefOf(['components', one.algorithm])}>{one.algorithm}</a>
                  </td>
                  <td data-label={TEXT.components.version}>{one.componentVersion}</td>
                  <td data-label={TEXT.common.media}>{worksOn(one)}</td>
                  <td data-label={TEXT.components.runs}>{runs(one)}</td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
    </>
  );
}

const runs = ({ managed, registeredBy, replacedBy }: Component) => {
  if (replacedBy !== null) return TEXT.components.replacedBy(replacedBy);
  return managed
    ? TEXT.components.startedByTheService
    : TEXT.components.by(registeredBy ?? TEXT.components.anotherUser);
};

const worksOn = (one: Pick<Component, 'supportsBatchProcessing' | 'supportsStreamProcessing'>) =>
  [one.supportsBatchProcessing && 'files', one.supportsStreamProcessing && TEXT.components.liveStreams]
    .filter((kind) => kind !== false)
    .join(', ');

/** One algorithm with its properties. */
export function AlgorithmView({ name }: { readonly name: string }) {
  const algorithm = useGet<Algorithm>(`rest/algorithms/${encodeURIComponent(name)}`);
  return (
    <Shown of={algorithm} title={name}>
      {(one) => (
        <>
          <header class="bar">
            <h1>{one.name}</h1>
          </header>
          <p>{one.description}</p>
          <Facts
            of={[
              [TEXT.common.kind, one.actionType === 'MARKUP' ? TEXT.components.drawsResults : 'detection'],
              [TEXT.components.worksOn, worksOn(one)],
              [TEXT.components.needsBeforeIt, one.requiresCollection.states.join(', ')],
            ]}
          />
          <h2>{TEXT.components.properties}</h2>
          <Table
            columns={[
              TEXT.common.name,
              TEXT.components.type,
              TEXT.components.default,
              TEXT.components.description,
            ]}
          >
            {one.providesCollection.properties.map((property) => (
              <tr key={property.name}>
                <th scope="row">
                  <code>{property.name}</code>
                </th>
                <td data-label={TEXT.components.type} class="words">
                  {property.type.toLowerCase()}
                </td>
                <td data-label={TEXT.components.default}>{property.defaultValue}</td>
                <td data-label={TEXT.components.description}>{property.description}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </Shown>
  );
}
