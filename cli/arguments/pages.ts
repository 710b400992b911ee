/** The option for pages of documents. */
import { InvalidArgumentError } from 'commander';
import { Failure } from '../terminal/failure.ts';
import type { MediumArgument } from './media-arguments.ts';
import { END_MS } from '../terminal/moments.ts';

export interface PageRange {
  readonly start: number;
  readonly stop: number;
}

/** Parses page ranges: `3`, `2-5`, `8-` (to the end), or several with commas. Pages count from 1. */
export function pages(given: string): readonly PageRange[] {
  return given.split(',').map((part) => {
    const [whole, from = '', dash, to = ''] = /^(\d{1,9})(?:\s*(-)\s*(\d{1,9})?)?$/.exec(part.trim()) ?? [];
    const start = Number(from);
    const stop = to !== '' ? Number(to) : dash === undefined ? start : END_MS;
    if (whole === undefined || start < 1 || stop < start)
      throw new InvalidArgumentError('Write pages from 1, such as 3, 2-5 or 1,4-7,10-.');
    return { start, stop };
  });
}

/**
 * Adds the page ranges to all documents among the media. The type of files comes from their content. All other media count as documents.
 * @throws Failure if there is no document
 */
export async function withPages(
  media: readonly MediumArgument[],
  frameRanges: readonly PageRange[],
): Promise<readonly MediumArgument[]> {
  const [{ mimeTypeOf }, { mediaTypeOf }] = await Promise.all([
    import('../../media/inspect/mime.ts'),
    import('../../domain/plan/media-types.ts'),
  ]);
  const isDocument = async ({ file }: MediumArgument): Promise<boolean> =>
    file === undefined || mediaTypeOf(await mimeTypeOf(file).catch(() => '')) === 'UNKNOWN';
  const chosen = await Promise.all(
    media.map(async (medium) => ((await isDocument(medium)) ? { ...medium, frameRanges } : medium)),
  );
  if (!chosen.some((medium) => 'frameRanges' in medium))
    throw new Failure('--pages is for documents, but no file of the command is a document.');
  return chosen;
}
