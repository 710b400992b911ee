import { turnedMedia } from './turned-media/suite.ts';

turnedMedia({ isLong: true });
