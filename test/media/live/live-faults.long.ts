/** Every reason for which a live stream cannot be opened. */
import { liveFaults } from './live-faults-suite.ts';

liveFaults({ isLong: true });
