/** Documents of every type with damaged bytes. */
import { documentsRefused } from './documents-refused-suite.ts';

documentsRefused({ isLong: true });
