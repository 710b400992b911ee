/** Markup of videos, including one whose sound begins before its pictures. */
import { markup } from './markup-suite.ts';

markup({ isLong: true });
