/** Warnings about unprocessed parts of a document. */
import { frameListString } from '../../../domain/frames/frame-list.ts';
import { MAX_PICTURE_BYTES, MAX_PICTURE_PIXELS } from '../../documents/limits.ts';
import type { PassedOver } from './pictures.ts';

/** Maximum length of a library's message. */
const MOST_OF_REASON = 300;
/** Maximum number of pictures that a warning names. */
const MOST_NAMED = 5;

/** Pages that should have been rendered: pages above the limit, and pages that failed, with the errors. */
interface Unrendered {
  readonly maxPages: number;
  readonly tooMany: readonly number[];
  readonly reasons: readonly string[];
  readonly undrawable: readonly number[];
}

/** Returns one message per reason. Page numbers come last, because long messages are cut. */
export function warningsOf(
  pictures: readonly PassedOver[],
  { maxPages, tooMany, reasons, undrawable }: Unrendered,
): string[] {
  return [
    ...ofPictures(
      pictures,
      'DRAWING',
      'in EMF, WMF, SVG or SVM. Put them in as PNG, or submit the document as PDF with RENDER_PAGES=TRUE.',
    ),
    ...ofPictures(
      pictures,
      'TOO_LARGE',
      `of more than ${MAX_PICTURE_BYTES} bytes. Put them in at a lower resolution.`,
    ),
    ...ofPictures(
      pictures,
      'TOO_MANY_PIXELS',
      `of more than ${MAX_PICTURE_PIXELS} pixels. Put them in at a lower resolution.`,
    ),
    ...ofPictures(
      pictures,
      'UNDECODABLE',
      `that cannot be decoded${whichOf(pictures)}. Replace them, or submit them as image files.`,
    ),
    ...warnOfPages(
      `Not rendered: ${countText(tooMany.length, 'page')}, because MAX_RENDERED_PAGES allows ${maxPages}. Raise it to render them.`,
      tooMany,
    ),
    ...warnOfPages(
      `Not rendered: ${countText(undrawable.length, 'page')}. The first cannot be drawn: ${reasons[0]?.slice(0, MOST_OF_REASON)}.${undrawable.length > reasons.length ? ` After ${reasons.length} such pages, no others were tried.` : ''} Print the document into a new PDF, or set RENDER_PAGES=FALSE.`,
      undrawable,
    ),
  ];
}

function ofPictures(
  pictures: readonly PassedOver[],
  reason: PassedOver['passedOver'],
  what: string,
): readonly string[] {
  const found = pictures.filter(({ passedOver }) => passedOver === reason);
  const count = found.reduce((sum, one) => sum + (one.count ?? 1), 0);
  return warnOfPages(
    `Not processed: ${countText(count, 'picture')} ${what}`,
    found.flatMap(({ pages }) => [...pages]),
  );
}

/** Names the first pictures with a known place. The list of pages covers all of them. */
function whichOf(pictures: readonly PassedOver[]): string {
  const known = pictures.flatMap(({ which }) => which ?? []);
  const shown = known.slice(0, MOST_NAMED).join(', ');
  return shown === '' ? '' : `: ${shown}${known.length > MOST_NAMED ? ' ...' : ''}`;
}

function warnOfPages(message: string, pages: readonly number[]): readonly string[] {
  const list = frameListString(pages, 'Pages');
  return list === null ? [] : [`${message} ${list}`];
}

const countText = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
