import type { WorkKind } from '../../../protocol/worker-protocol.ts';
import { ARTIFACTS } from './artifacts.ts';
import { COPY } from './copy.ts';
import { DETECT } from './detect.ts';
import { DOCUMENT } from './document.ts';
import { FEED } from './feed.ts';
import { FINISH } from './finish.ts';
import type { Kind } from './kind.ts';
import { MARKUP } from './markup.ts';
import { PREPARE } from './prepare.ts';
import { UPLOAD } from './upload.ts';

/** Every kind of work that a batch job has done. */
export const KINDS: Readonly<Record<WorkKind, Kind>> = {
  PREPARE,
  FEED,
  DETECT,
  FINISH,
  ARTIFACTS,
  MARKUP,
  DOCUMENT,
  UPLOAD,
  COPY,
};
