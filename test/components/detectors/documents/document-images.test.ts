import { documentImages } from './document-images-suite.ts';

documentImages({ isLong: false });
