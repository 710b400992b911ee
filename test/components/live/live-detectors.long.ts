/** Every detector that follows streams. */
import { liveDetectors } from './live-detectors-suite.ts';

liveDetectors({ isLong: true });
