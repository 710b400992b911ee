/** Maximum number of ranges in a message. */
const MOST_RANGES = 8;

/** A message that the medium does not exist, with the existing ones: `31 to 34, 38`. */
export function unknownMedium(mediaId: number, known: readonly number[]): string {
  const none = `The job has no medium with mediaId ${mediaId}.`;
  const ranges = rangesOf(known);
  if (ranges.length === 0) return none;
  const shown = ranges
    .slice(0, MOST_RANGES)
    .map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`));
  const more = ranges.length > MOST_RANGES ? ', and others' : '';
  return `${none} It has ${shown.join(', ')}${more}.`;
}

function rangesOf(ids: readonly number[]): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && id <= last[1] + 1) last[1] = id;
    else ranges.push([id, id]);
  }
  return ranges;
}
