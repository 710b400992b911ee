import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import type { SpoolLimits } from '../../../results/spool.ts';

const ANY_SIZE: SpoolLimits = { maxBytes: Infinity, maxLines: Infinity };

/**
 * How long the answer to work of this kind may be. The limits are for detectors and are checked once, when their answer comes in: what
 * the media component makes of an accepted answer may be longer.
 */
export const limitsOf = (kind: string, ofDetectors: SpoolLimits): SpoolLimits =>
  Object.hasOwn(MEDIA_QUEUES, kind) ? ANY_SIZE : ofDetectors;
