/** Look-ups in the table of workflow properties (specification 2.1: properties that a request may override). */
import type { AlgorithmProperty, MediaType, Properties } from '../types.ts';
import { WORKFLOW_PROPERTY_ROWS } from './workflow-property-table.ts';

export interface WorkflowProperty extends AlgorithmProperty {
  /** The default is only in force for media of these types; a value that somebody sets always is. */
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

/** What the service ships under each server property key; a configuration may say otherwise. */
export const SERVER_PROPERTY_DEFAULTS: Properties = Object.fromEntries(
  WORKFLOW_PROPERTIES.flatMap(({ propertiesKey, defaultValue }) =>
    propertiesKey !== undefined && defaultValue !== undefined ? [[propertiesKey, defaultValue]] : [],
  ),
);

/**
 * The default of a declared property: the server property that it names, if the server has it, else its own.
 * `server` is the snapshot that was frozen with the job.
 */
export function defaultOf(
  property: Pick<AlgorithmProperty, 'defaultValue' | 'propertiesKey'>,
  server: Properties,
): string | undefined {
  const key = property.propertiesKey;
  const configured = key !== undefined && Object.hasOwn(server, key) ? server[key] : undefined;
  return configured ?? property.defaultValue;
}
