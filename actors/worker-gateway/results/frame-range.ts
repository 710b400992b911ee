/** Frames that a sub-job analyzes, and frames that its answer may contain. */
import type { Range } from '../../../domain/types.ts';
import { readFeedPiece } from '../../../results/feed-index.ts';
import { pathOf } from '../../../results/file-keys.ts';
import type { SubJobRow } from '../../batch-job/state/state.ts';

/** Returns the frames that a sub-job analyzes. Fed tracks may be at any frame. */
export async function framesOf({ fed, range }: SubJobRow, dataDir: string): Promise<Range> {
  if (fed === undefined) return range;
  const { start, stop } = await readFeedPiece(pathOf(dataDir, fed.file), fed.indexAt, fed.piece);
  return { start, stop };
}

/** Returns the frames that its answer may name. A picture has only the first. */
export function answerRange({ kind, work }: SubJobRow, looksAt: Range): Range {
  const isPicture =
    kind === 'DETECT' && work !== null && 'medium' in work && work.medium.mediaType === 'IMAGE';
  return isPicture ? { start: 0, stop: 0 } : looksAt;
}
