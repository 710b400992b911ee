/** Extracts the pictures of documents as separate media. */
import { ChosenPages } from '../../documents/chosen-pages.ts';
import { chosenItemsOf } from '../../documents/items.ts';
import { kindOf, type PackageFormat } from '../../documents/kind.ts';
import { MAX_PICTURE_BYTES, namingFailures } from '../../documents/limits.ts';
import { Package } from '../../documents/office/package.ts';
import { isDrawn, PageDrawer } from '../../documents/pdf/pdf-drawing.ts';
import { picturesOf } from '../../documents/pdf/pdf-pictures.ts';
import { pdfPages, type PdfPage } from '../../documents/pdf/pdf.ts';
import type { DetectionJob, Detector, FoundPart, GenericSource } from '../../sdk/detector.ts';
import { choiceOf, countOf, numberWithin } from '../../shared/tracking/settings.ts';
import type { Properties } from '../../../domain/types.ts';
import { warningsOf } from './skipped-pictures.ts';
import { Pictures, type Picture } from './pictures.ts';

/** Maximum number of pages that fail to render. Rendering then stops, because each may take a minute. */
const MOST_UNDRAWABLE = 3;

/** Settings of rendering, and the pages that should be rendered but are not. */
interface Rendering {
  /** AUTO: pages with drawings and without embedded text. */
  readonly pages: 'TRUE' | 'FALSE' | 'AUTO';
  readonly dotsPerInch: number;
  readonly maxPages: number;
  rendered: number;
  readonly tooMany: number[];
  /** Errors of pages that failed to render, and the numbers of these and of the skipped pages. */
  readonly reasons: string[];
  readonly undrawable: number[];
}

export default async function loadDocumentImages(): Promise<Detector> {
  return { generic: (source, job) => findPictures(source, job) };
}

/** Yields the pictures. Parts come last, because only then all pages of a picture are known. */
async function* findPictures(source: GenericSource, job: DetectionJob): AsyncIterable<FoundPart> {
  const pictures = new Pictures(source.outputFolder, countOf(job.properties, 'MIN_IMAGE_SIZE', 0));
  const rendering = renderingOf(job.properties);
  const chosen = new ChosenPages(source.pages);
  const found = collect(source, { pictures, rendering, chosen }, job.signal);
  for await (const _ of namingFailures(found, job.signal)) source.working?.();
  for (const warning of warningsOf(pictures.passedOver, rendering)) job.warn?.(warning);
  if (chosen.warning !== undefined) job.warn?.(chosen.warning);
  yield* pictures.all.map(partOf);
}

function renderingOf(properties: Properties): Rendering {
  return {
    pages: choiceOf(properties, 'RENDER_PAGES', ['TRUE', 'FALSE', 'AUTO']),
    dotsPerInch: numberWithin(properties, 'RENDER_RESOLUTION', 36, 600),
    maxPages: countOf(properties, 'MAX_RENDERED_PAGES', 0),
    rendered: 0,
    tooMany: [],
    reasons: [],
    undrawable: [],
  };
}

const partOf = ({ path, pages, rendered }: Picture): FoundPart => ({
  type: 'MEDIA',
  confidence: -1,
  properties: {
    DERIVATIVE_MEDIA_TEMP_PATH: path,
    PAGE_NUM: [...pages].join('; '),
    ...(rendered ? { RENDERED_PAGE: 'TRUE' } : {}),
  },
});

/** State of the search in a document. */
interface Collecting {
  readonly pictures: Pictures;
  readonly rendering: Rendering;
  readonly chosen: ChosenPages;
}

/** Collects the pictures. Yields to show progress. */
async function* collect(
  { path, mimeType }: GenericSource,
  collecting: Collecting,
  signal: AbortSignal,
): AsyncGenerator<void> {
  const document = await kindOf(path, mimeType);
  if (document.kind === 'PDF') yield* fromPdf(path, collecting, signal);
  else if (document.kind === 'PACKAGE') yield* fromPackage(path, document, collecting, signal);
}

async function* fromPdf(
  path: string,
  { pictures, rendering, chosen }: Collecting,
  signal: AbortSignal,
): AsyncGenerator<void> {
  const drawer = new PageDrawer(path, signal);
  try {
    for await (const page of pdfPages(path, signal, chosen)) {
      for await (const picture of picturesOf(page)) {
        signal.throwIfAborted();
        if ('data' in picture) await pictures.addPixels(page.pageNumber, picture);
        else pictures.addUndecodable(page.pageNumber, picture);
        yield;
      }
      pictures.addDropped(page.pageNumber, await page.droppedSince());
      if (await isRendered(page, rendering)) await render(page.pageNumber, drawer, pictures, rendering);
      yield;
    }
  } finally {
    await drawer.close();
  }
}

/** Renders a page. A failure does not affect other pages. */
async function render(
  page: number,
  drawer: PageDrawer,
  pictures: Pictures,
  rendering: Rendering,
): Promise<void> {
  if (++rendering.rendered > rendering.maxPages) {
    rendering.tooMany.push(page);
    return;
  }
  if (rendering.reasons.length < MOST_UNDRAWABLE) {
    const file = pictures.nextPage();
    const reason = await drawer.draw(page, rendering.dotsPerInch, file);
    if (reason === undefined) return pictures.addPage(page, file);
    rendering.reasons.push(reason);
  }
  rendering.undrawable.push(page);
}

async function isRendered(page: PdfPage, { pages }: Rendering): Promise<boolean> {
  return pages === 'TRUE' || (pages === 'AUTO' && (await isDrawn(page)));
}

async function* fromPackage(
  path: string,
  kind: { readonly format: PackageFormat; readonly main: string },
  { pictures, chosen }: Collecting,
  signal: AbortSignal,
): AsyncGenerator<void> {
  const document = await Package.open(path);
  try {
    for await (const item of chosenItemsOf(document, kind, chosen)) {
      signal.throwIfAborted();
      if (item.kind === 'picture' && document.has(item.part))
        await pictures.addFile(item.page, item.part, () => document.bytes(item.part, MAX_PICTURE_BYTES));
      yield;
    }
  } finally {
    document.close();
  }
}
