/** Markup of videos, also of one whose sound begins before its pictures. */
import { markup } from './markup-suite.ts';

markup({ isLong: true });
