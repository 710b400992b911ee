/** What of a document was not looked at, in words for those who submitted it. */
import { frameListString } from '../../domain/frame-list.ts';
import { MAX_PICTURE_BYTES } from '../documents/limits.ts';
import type { PassedOver } from './pictures.ts';

/** Characters of what a library says. */
const MOST_OF_REASON = 300;

/** Pages that should have been rendered: beyond the most, and such as cannot be drawn, with the reasons. */
interface Unrendered {
  readonly maxPages: number;
  readonly tooMany: readonly number[];
  readonly reasons: readonly string[];
  readonly undrawable: readonly number[];
}

/** One message for each reason; the pages come last, for a long message is cut. */
export function warningsOf(
  pictures: readonly PassedOver[],
  { maxPages, tooMany, reasons, undrawable }: Unrendered,
): string[] {
  const [drawings, tooLarge] = (['DRAWING', 'TOO_LARGE'] as const).map((reason) =>
    pictures.filter(({ passedOver }) => passedOver === reason),
  );
  return [
    ...told(
      `Not looked at: ${counted(drawings!.length, 'picture')} in EMF, WMF, SVG or SVM. Put them in as PNG, or submit the document as PDF with RENDER_PAGES=TRUE.`,
      pagesOf(drawings!),
    ),
    ...told(
      `Not looked at: ${counted(tooLarge!.length, 'picture')} of more than ${MAX_PICTURE_BYTES} bytes. Put them in at a lower resolution.`,
      pagesOf(tooLarge!),
    ),
    ...told(
      `Not rendered: ${counted(tooMany.length, 'page')}, for MAX_RENDERED_PAGES allows ${maxPages}. Raise it to have them looked at.`,
      tooMany,
    ),
    ...told(
      `Not rendered: ${counted(undrawable.length, 'page')}. The first cannot be drawn: ${reasons[0]?.slice(0, MOST_OF_REASON)}.${undrawable.length > reasons.length ? ` After ${reasons.length} such pages no others were tried.` : ''} Print the document into a new PDF, or set RENDER_PAGES=FALSE.`,
      undrawable,
    ),
  ];
}

function told(message: string, pages: readonly number[]): readonly string[] {
  const list = frameListString(pages, 'Pages');
  return list === null ? [] : [`${message} ${list}`];
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const pagesOf = (pictures: readonly PassedOver[]): readonly number[] =>
  pictures.flatMap(({ pages }) => [...pages]);
