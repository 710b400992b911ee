/** A component that never has loaded its models, so that its process never asks for work: a test does the work in its place. */
import type { Detector } from '../../../../components/sdk/detector.ts';

export default function loadNever(): Promise<Detector> {
  return new Promise(() => undefined);
}
