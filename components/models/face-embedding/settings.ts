/** Checked properties of a sub-job. */
import type { Properties } from '../../../domain/types.ts';
import { countOf, numberWithin } from '../../shared/tracking/settings.ts';

export interface Settings {
  /** The operator's model; empty for the included one. */
  readonly modelName: string;
  /** Minimum size of a face in pixels. */
  readonly minSize: number;
  readonly perTrack: number;
}

export const settingsOf = (properties: Properties): Settings => ({
  modelName: (properties['MODEL_NAME'] ?? '').trim(),
  minSize: numberWithin(properties, 'MIN_FACE_SIZE', 0, Infinity),
  perTrack: countOf(properties, 'FACES_PER_TRACK', 1),
});
