/** Warnings at the start about TROUPE_PROP_<NAME> variables that are probably mistakes. */
import { jobPropertiesOf } from './job-notes.ts';
import { notesOn } from '../properties/property-notes.ts';
import { refusedProperty } from '../properties/property-checks.ts';
import type { DescribedProperty } from '../properties/property-values.ts';
import type { Properties } from '../types.ts';

const FED = { FEED_FORWARD_TYPE: 'REGION' };

/** A sentence for each property that no algorithm and no part of the service knows, or whose value is invalid. */
export function environmentNotes(
  properties: Properties,
  algorithms: Iterable<{
    readonly providesCollection: { readonly properties: readonly DescribedProperty[] };
  }>,
): readonly string[] {
  const known = jobPropertiesOf([...algorithms].flatMap((one) => one.providesCollection.properties));
  return Object.entries(properties).flatMap(([name, value]) => {
    const where = `TROUPE_PROP_${name}`;
    // A trigger only has an effect with feed-forward.
    const refused = refusedProperty({ ...FED, [name]: value });
    return [
      ...notesOn({ [name]: value }, known, where),
      ...(refused === null ? [] : [`${where}: ${refused} Jobs to which it applies are refused.`]),
    ];
  });
}
