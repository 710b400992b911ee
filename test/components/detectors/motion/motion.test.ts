import { motion } from './motion-suite.ts';

motion({ isLong: false });
