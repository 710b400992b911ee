/** Every reason why a live stream cannot be opened. */
import { liveFaults } from './live-faults-suite.ts';

liveFaults({ isLong: true });
