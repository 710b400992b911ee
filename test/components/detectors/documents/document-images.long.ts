/** Pictures in documents, including pages that are rendered and then analysed by detectors. */
import { documentImages } from './document-images-suite.ts';

documentImages({ isLong: true });
