/** Whole clips with and without motion. */
import { motion } from './motion-suite.ts';

motion({ isLong: true });
