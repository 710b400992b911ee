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

/** So many pages that cannot be drawn say enough of a document: each may take a minute. */
const MOST_UNDRAWABLE = 3;

/** Which pages are rendered; records the pages that should be rendered and are not. */
interface Rendering {
  /** AUTO: pages that hold drawings and no embedded text. */
  readonly pages: 'TRUE' | 'FALSE' | 'AUTO';
  readonly dotsPerInch: number;
  readonly maxPages: number;
  rendered: number;
  readonly tooMany: number[];
  /** Why pages could not be drawn, and which they are with those that were not tried any more. */
  readonly reasons: string[];
  readonly undrawable: number[];
}

export default async function loadDocumentImages(): Promise<Detector> {
  return { generic: (source, job) => findPictures(source, job) };
}

/** Parts come last: only then it is known on which pages a picture stands. */
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

/** What is looked at in a document, and what came of it. */
interface Collecting {
  readonly pictures: Pictures;
  readonly rendering: Rendering;
  readonly chosen: ChosenPages;
}

/** Yields whenever it got further. */
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

/** A page that cannot be drawn costs none of the others. */
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
