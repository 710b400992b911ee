/** Motion, and none, in whole clips. */
import { motion } from './motion-suite.ts';

motion({ isLong: true });
