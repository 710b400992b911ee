/** Classes that detectors can find: types of their tracks, and values of CLASSIFICATION. */
import type { Algorithm, Properties } from '../types.ts';

export interface FindingAction {
  readonly algorithm: Pick<Algorithm, 'trackType' | 'classes'>;
  /** Effective properties. */
  readonly properties: Properties;
}

/** In upper case. Undefined if a component does not state its classes. */
export function foundClasses(actions: readonly FindingAction[]): readonly string[] | undefined {
  const found = new Set<string>();
  for (const { algorithm, properties } of actions) {
    const { classes, trackType } = algorithm;
    if (classes === undefined) return undefined;
    const allowed = namesIn(properties['CLASS_ALLOW_LIST'] ?? '');
    for (const name of allowed.length === 0 ? classes : allowed) found.add(name.toUpperCase());
    if (classes.length === 0) found.add(trackType.toUpperCase());
  }
  return [...found];
}

const namesIn = (list: string): readonly string[] =>
  list
    .split(';')
    .map((name) => name.trim())
    .filter((name) => name !== '');
