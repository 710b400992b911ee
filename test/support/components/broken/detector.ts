/** A component that cannot be started. */
import type { Detector } from '../../../../components/sdk/detector.ts';

export default function loadBroken(): Promise<Detector> {
  return Promise.reject(new Error('The model file is missing.'));
}
