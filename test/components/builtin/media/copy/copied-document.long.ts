/** Copies a document of 90 MB. */
import { copiesWithin } from './copied-document-suite.ts';

copiesWithin({ memoryMb: 96, tracks: 200_000 });
