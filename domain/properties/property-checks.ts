/** Refuses property values at job creation for reasons beyond their type and listed values, which `wrongValue` checks. */
import type { Algorithm, AlgorithmProperty, Properties } from '../types.ts';
import type { PlannedAction } from '../plan.ts';
import { isForgiven, isOfType, valueProblem } from './property-values.ts';
import { refusedTrigger } from './trigger.ts';
import { isBlank, parseInteger, parseNumber } from '../values.ts';
import { workflowProperty } from './workflow-properties.ts';

/** Why a job is refused if these properties apply to some medium and action, or null. */
export function refusedProperty(properties: Properties): string | null {
  return (
    refusedPadding(properties, 'DETECTION_PADDING_X') ??
    refusedPadding(properties, 'DETECTION_PADDING_Y') ??
    refusedTrigger(properties)
  );
}

function refusedPadding(properties: Properties, name: string): string | null {
  const value = properties[name];
  if (value === undefined || isBlank(value)) return null;
  const text = value.trim();
  const isPercentage = text.endsWith('%');
  const amount = isPercentage ? parseNumber(text.slice(0, -1)) : parseInteger(text);
  const start = `The ${name} property was set to "${value}", but that`;
  if (amount === undefined || !Number.isFinite(amount)) {
    return `${start} is not a valid value. Padding must be specified as whole number integer, or a percentage that ends with "%". Percentages can be decimal values. Negative values are allowed in both cases, but percentages must be > -50%.`;
  }
  return isPercentage && amount <= -50
    ? `${start} would result in empty detections. When specified as a percentage, padding values must be > -50%.`
    : null;
}

/** The declared properties of an algorithm by name. Of two with the same name, the first applies. */
export const declaredBy = ({ providesCollection }: Algorithm): ReadonlyMap<string, AlgorithmProperty> =>
  new Map(providesCollection.properties.toReversed().map((property) => [property.name, property]));

/** An action may set only properties that its algorithm or the workflow knows, to values of their type. */
export function refusedActionProperty(
  action: PlannedAction,
  declared = declaredBy(action.algorithm),
): string | null {
  for (const [name, value] of Object.entries(action.properties)) {
    const property = declared.get(name) ?? workflowProperty(name);
    if (property === undefined) {
      return `The "${name}" property from the "${action.name}" action does not exist in "${action.algorithm.name}" algorithm and is not the name of a workflow property.`;
    }
    if (!isOfType(property.type, value)) {
      return `The "${name}" property from the "${action.name}" action has a value of "${value}", which is not a valid "${property.type}".`;
    }
    const problem = isForgiven(name) ? undefined : valueProblem(property, value);
    if (problem !== undefined)
      return `The "${name}" property from the "${action.name}" action has a value of "${value}", but ${problem}.`;
  }
  return null;
}
