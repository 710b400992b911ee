/** Pictures of documents, with those that are drawn large and looked at by detectors. */
import { documentImages } from './document-images-suite.ts';

documentImages({ isLong: true });
