/** Vectors for the search in the format of components, and a direct comparison of them. */
import type { Random } from '../cluster/chaos/chaos-plan.ts';
import type { GivenTrack } from './documents.ts';

export const MODEL = 'test-model@000000000001';

/** 32-bit floats as Base64. */
export const featureOf = (values: readonly number[]): string => {
  const floats = Float32Array.from(values);
  return Buffer.from(floats.buffer).toString('base64');
};

export const trackLike = (
  id: string,
  values: readonly number[],
  { properties = {}, ...more }: Partial<GivenTrack> = {},
): GivenTrack => ({
  id,
  ...more,
  properties: { FEATURE: featureOf(values), FEATURE_MODEL: MODEL, ...properties },
});

export function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, ofA, ofB] = [0, 0, 0];
  for (const [n, value] of a.entries()) {
    dot += value * b[n]!;
    ofA += value * value;
    ofB += b[n]! * b[n]!;
  }
  return dot / Math.sqrt(ofA * ofB);
}

/** Vectors in clusters, like those of pictures: each is close to others of its cluster. */
export function clusteredVectors(
  random: Random,
  count: number,
  dimension: number,
): readonly (readonly number[])[] {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const vector = () => Array.from({ length: dimension }, normal);
  const centres = Array.from({ length: Math.ceil(count / 50) }, vector);
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(random() * centres.length)]!;
    return centre.map((value) => value + 0.5 * normal());
  });
}
