/** Selects the detections of a track that are fed forward (FEED_FORWARD_TOP_QUALITY_COUNT, FEED_FORWARD_BEST_DETECTION_PROP_NAMES_LIST). */
import { integerOf, textOf } from '../properties/properties.ts';
import type { Detection, Properties } from '../types.ts';
import { topQuality } from './quality.ts';

/** Selects the best detections of a video track, and those with a requested property. */
export function fedDetections(properties: Properties): (all: readonly Detection[]) => readonly Detection[] {
  const count = integerOf(properties, 'FEED_FORWARD_TOP_QUALITY_COUNT');
  if (count <= 0) return (all) => all;
  const quality = textOf(properties, 'QUALITY_SELECTION_PROPERTY');
  const names = textOf(properties, 'FEED_FORWARD_BEST_DETECTION_PROP_NAMES_LIST', '')
    .split(';')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return (all) => {
    const best = new Set(topQuality(all, count, quality));
    return all.filter((one) => best.has(one) || names.some((name) => Object.hasOwn(one.properties, name)));
  };
}

/** Selects detections of a stream, one by one: a detection is fed if it is among the best so far. */
export function fedSoFar(properties: Properties): (next: Detection) => boolean {
  const count = integerOf(properties, 'FEED_FORWARD_TOP_QUALITY_COUNT');
  if (count <= 0) return () => true;
  const choose = fedDetections(properties);
  const quality = textOf(properties, 'QUALITY_SELECTION_PROPERTY');
  let best: readonly Detection[] = [];
  return (next) => {
    const all = [...best, next];
    best = topQuality(all, count, quality);
    return choose(all).includes(next);
  };
}
