/** The answers of DETECT that FINISH combines. */
import type { FinishPart } from '../../protocol/track-work.ts';
import { answerPlace } from '../../results/answer-place.ts';
import { openFeedIndex, type FeedIndex } from '../../results/feed-index.ts';
import { pathOf } from '../../results/file-keys.ts';
import type { SubJobRow } from '../batch-job/state/state.ts';

export interface FinishParts {
  /** Answers of the finished sub-jobs, in their order. */
  readonly parts: readonly FinishPart[];
  /** Number of derivative media in the answers. */
  readonly derived: number;
}

/** A sub-job of a detector. */
type Answered = Pick<SubJobRow, 'state' | 'file' | 'range' | 'fed' | 'derived'>;

/** `rows`: the pieces of one action on one medium. */
export async function finishParts(
  dataDir: string,
  rows: Iterable<Answered> | AsyncIterable<Answered>,
): Promise<FinishParts> {
  const parts: FinishPart[] = [];
  let derived = 0;
  // All sub-jobs of a unit read one file. Opening it for each would take longer than a lease lasts.
  let index: FeedIndex | undefined;
  try {
    for await (const { state, file, range, fed, derived: brought = 0 } of rows) {
      if (state !== 'DONE' || file === undefined) continue;
      derived += brought;
      if (fed !== undefined) index ??= await openFeedIndex(pathOf(dataDir, fed.file), fed.indexAt);
      parts.push({ path: file, range, ...(fed === undefined ? {} : await fedPart(fed, index!)) });
    }
  } finally {
    await index?.close();
  }
  return { parts, derived };
}

async function fedPart(
  { file, piece }: NonNullable<SubJobRow['fed']>,
  index: FeedIndex,
): Promise<Pick<FinishPart, 'fed'>> {
  const { offset, bytes } = await index.piece(piece);
  return { fed: { path: answerPlace(file).path, offset, bytes } };
}
