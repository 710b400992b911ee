/** Functions on the table of workflow properties (specification 2.1: properties that a request may override). */
import type { AlgorithmProperty, MediaType, Properties } from '../types.ts';
import { WORKFLOW_PROPERTY_ROWS } from './workflow-property-table.ts';

export interface WorkflowProperty extends AlgorithmProperty {
  /** The default applies only to media of these types. An explicit value applies to all. */
  readonly mediaTypes: readonly MediaType[];
}

export const WORKFLOW_PROPERTIES: readonly WorkflowProperty[] = WORKFLOW_PROPERTY_ROWS.map(
  ([name, type, defaultValue, propertiesKey, mediaTypes, description]) => ({
    name,
    type,
    description,
    mediaTypes,
    ...(defaultValue === '' ? {} : { defaultValue }),
    ...(propertiesKey === '' ? {} : { propertiesKey }),
  }),
);

const BY_NAME: ReadonlyMap<string, WorkflowProperty> = new Map(WORKFLOW_PROPERTIES.map((p) => [p.name, p]));

export function workflowProperty(name: string): WorkflowProperty | undefined {
  return BY_NAME.get(name);
}

/** The shipped value of each server property key. A configuration may override it. */
export const SERVER_PROPERTY_DEFAULTS: Properties = Object.fromEntries(
  WORKFLOW_PROPERTIES.flatMap(({ propertiesKey, defaultValue }) =>
    propertiesKey !== undefined && defaultValue !== undefined ? [[propertiesKey, defaultValue]] : [],
  ),
);

/**
 * The default of a declared property: the server property that it names, if there is one, otherwise its own. `server`: the server
 * properties stored with the job.
 */
export function defaultOf(
  property: Pick<AlgorithmProperty, 'defaultValue' | 'propertiesKey'>,
  server: Properties,
): string | undefined {
  const key = property.propertiesKey;
  const configured = key !== undefined && Object.hasOwn(server, key) ? server[key] : undefined;
  return configured ?? property.defaultValue;
}
