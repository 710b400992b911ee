import type { z } from 'zod';
import type { component } from '../../http/schemas/components.ts';
import { useGet } from '../kit/load.ts';
import { Facts, Shown, Table } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import type { Algorithm } from '../pipelines/types.ts';

type Component = z.output<typeof component>;

/** What finds things in media. */
export function ComponentList() {
  const components = useGet<readonly Component[]>('rest/components');
  return (
    <>
      <header class="bar">
        <h1>Components</h1>
      </header>
      <Shown of={components}>
        {(all) => (
          <Table columns={['Component', 'Algorithm', 'Version', 'Media', 'Runs']}>
            {all.map((one) => (
              <tr key={one.componentName}>
                <th scope="row">{one.componentName}</th>
                <td data-label="Algorithm">
                  <a href={hrefOf(['components', one.algorithm])}>{one.algorithm}</a>
                </td>
                <td data-label="Version">{one.componentVersion}</td>
                <td data-label="Media">{worksOn(one)}</td>
                <td data-label="Runs">{runs(one)}</td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
    </>
  );
}

const runs = ({ managed, registeredBy, replacedBy }: Component) => {
  if (replacedBy !== null) return `replaced by ${replacedBy}`;
  return managed ? 'started by the service' : `by ${registeredBy ?? 'another user'}`;
};

const worksOn = (one: Pick<Component, 'supportsBatchProcessing' | 'supportsStreamProcessing'>) =>
  [one.supportsBatchProcessing && 'files', one.supportsStreamProcessing && 'live streams']
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
              ['Kind', one.actionType === 'MARKUP' ? 'draws results' : 'detection'],
              ['Works on', worksOn(one)],
              ['Needs before it', one.requiresCollection.states.join(', ')],
            ]}
          />
          <h2>Properties</h2>
          <Table columns={['Name', 'Type', 'Default', 'Description']}>
            {one.providesCollection.properties.map((property) => (
              <tr key={property.name}>
                <th scope="row">
                  <code>{property.name}</code>
                </th>
                <td data-label="Type" class="words">
                  {property.type.toLowerCase()}
                </td>
                <td data-label="Default">{property.defaultValue}</td>
                <td data-label="Says">{property.description}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </Shown>
  );
}
