/** Reads the texts in the properties of feed-forward tracks. */
import type { Properties } from '../../../domain/types.ts';
import type { FedTrack } from '../../../protocol/detection-work.ts';

export interface NamedText {
  /** Name of the property with the text. */
  readonly name: string;
  readonly text: string;
}

/** Returns the texts in the properties that FEED_FORWARD_PROP_TO_PROCESS names, in its order, without blank ones. */
export function textsOf({ properties }: FedTrack, settings: Properties): readonly NamedText[] {
  const names = (settings['FEED_FORWARD_PROP_TO_PROCESS'] ?? '').split(/[;,]/).map((name) => name.trim());
  return [...new Set(names)].flatMap((name) => {
    const text = Object.hasOwn(properties, name) ? (properties[name] ?? '') : '';
    return text.trim() === '' ? [] : [{ name, text }];
  });
}
