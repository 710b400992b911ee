/** Gives out the pictures of documents as media of their own. */
import { itemsOf } from '../documents/items.ts';
import { kindOf, type PackageFormat } from '../documents/kind.ts';
import { MAX_PICTURE_BYTES, namingFailures } from '../documents/limits.ts';
import { Package } from '../documents/package.ts';
import { picturesOf } from '../documents/pdf-pictures.ts';
import { pdfPages } from '../documents/pdf.ts';
import type { DetectionJob, Detector, FoundPart, GenericSource } from '../sdk/detector.ts';
import { countOf } from '../tracking/settings.ts';
import { Pictures, type Picture } from './pictures.ts';

export default async function loadDocumentImages(): Promise<Detector> {
  return { generic: (source, job) => findPictures(source, job) };
}

/** Parts come last: only then it is known on which pages a picture stands. */
async function* findPictures(source: GenericSource, job: DetectionJob): AsyncIterable<FoundPart> {
  const pictures = new Pictures(source.outputFolder, countOf(job.properties, 'MIN_IMAGE_SIZE', 0));
  for await (const _ of namingFailures(collect(source, pictures, job.signal), job.signal)) source.working?.();
  yield* pictures.all.map(partOf);
}

const partOf = ({ path, pages }: Picture): FoundPart => ({
  type: 'MEDIA',
  confidence: -1,
  properties: { DERIVATIVE_MEDIA_TEMP_PATH: path, PAGE_NUM: [...pages].join('; ') },
});

/** Yields whenever it got further. */
async function* collect(
  { path, mimeType }: GenericSource,
  pictures: Pictures,
  signal: AbortSignal,
): AsyncGenerator<void> {
  const document = await kindOf(path, mimeType);
  if (document.kind === 'PDF') yield* fromPdf(path, pictures, signal);
  else if (document.kind === 'PACKAGE')
    yield* fromPackage(path, document.format, document.main, pictures, signal);
}

async function* fromPdf(path: string, pictures: Pictures, signal: AbortSignal): AsyncGenerator<void> {
  for await (const page of pdfPages(path, signal)) {
    for await (const picture of picturesOf(page)) {
      signal.throwIfAborted();
      await pictures.addPixels(page.pageNumber, picture);
      yield;
    }
    yield;
  }
}

async function* fromPackage(
  path: string,
  format: PackageFormat,
  main: string,
  pictures: Pictures,
  signal: AbortSignal,
): AsyncGenerator<void> {
  const document = await Package.open(path);
  try {
    for await (const item of itemsOf(document, format, main)) {
      signal.throwIfAborted();
      if (item.kind === 'picture' && document.has(item.part))
        await pictures.addFile(item.page, item.part, () => document.bytes(item.part, MAX_PICTURE_BYTES));
      yield;
    }
  } finally {
    document.close();
  }
}
