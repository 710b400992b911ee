import { documentsRefused } from './documents-refused-suite.ts';

documentsRefused({ isLong: false });
