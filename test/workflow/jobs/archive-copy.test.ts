import { archiveCopies } from './archive-copy/suite.ts';

archiveCopies({ isLong: false });
