import { markup } from './markup-suite.ts';

markup({ isLong: false });
