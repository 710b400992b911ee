/** Track ids depend only on the medium, the type and the exemplar, not on the job. */
import { createHash } from 'node:crypto';
import type { Box } from '../geometry/geometry.ts';

/** Hex SHA-256 over the medium's hash, the exemplar's frame and box, and the track type. */
export function trackId(
  mediumSha256: string,
  exemplar: Box & { readonly frame: number },
  trackType: string,
): string {
  const { frame, x, y, width, height } = exemplar;
  return createHash('sha256')
    .update([mediumSha256, frame, x, y, width, height, trackType].join(':'))
    .digest('hex');
}
