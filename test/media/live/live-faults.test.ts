import { liveFaults } from './live-faults-suite.ts';

liveFaults({ isLong: false });
