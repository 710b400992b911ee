/** Returns null if there is nothing to measure. */
export const ratioOf = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null);
