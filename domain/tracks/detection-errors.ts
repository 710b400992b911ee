/** Errors of sub-jobs for the document. Equal errors of a video are merged, with the affected frames. */
import type { DetectionErrorCode, IssueCode, MediaType, Range } from '../types.ts';
import { frameRangeString } from '../frames/frame-list.ts';
import { groupBy } from '../grouping.ts';

export interface DetectionError {
  readonly range: Range;
  /** Name of the algorithm, which is the source of the error in the document. */
  readonly algorithm: string;
  readonly code: DetectionErrorCode | IssueCode;
  readonly message: string;
}

export interface MergedError {
  readonly source: string;
  readonly code: DetectionErrorCode | IssueCode;
  readonly message: string;
}

/** In the order of the first occurrence of each error. */
export function mergeDetectionErrors(
  errors: readonly DetectionError[],
  mediaType: MediaType,
): readonly MergedError[] {
  const kinds = groupBy(errors, ({ algorithm, code, message }) => JSON.stringify([algorithm, code, message]));
  return [...kinds.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const frames = mediaType === 'VIDEO' ? frameRangeString(same.map((error) => error.range)) : null;
    const message = frames === null ? first.message : `${first.message} ${frames}`;
    return [{ source: first.algorithm, code: first.code, message }];
  });
}
