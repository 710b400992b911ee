/** Reads the texts of all kinds of documents, with their pages. */
import type { ChosenPages } from '../../documents/chosen-pages.ts';
import { chosenItemsOf } from '../../documents/items.ts';
import { kindOf } from '../../documents/kind.ts';
import { Package } from '../../documents/office/package.ts';
import { blocksOf } from '../../documents/pdf/pdf-text.ts';
import { pdfPages } from '../../documents/pdf/pdf.ts';
import { paragraphsOf } from '../../documents/text-file.ts';
import type { GenericSource } from '../../sdk/detector.ts';

export interface PageText {
  readonly page: number;
  readonly text: string;
}

/** Yields the texts of the chosen pages. Throws UNSUPPORTED_DATA_TYPE, COULD_NOT_READ_MEDIA, and errors of the parsers. */
export async function* textsOf(
  source: GenericSource,
  chosen: ChosenPages,
  signal: AbortSignal,
): AsyncGenerator<PageText> {
  const document = await kindOf(source.path, source.mimeType);
  switch (document.kind) {
    case 'PDF':
      for await (const page of pdfPages(source.path, signal, chosen)) {
        source.working?.();
        for (const text of await blocksOf(page)) yield { page: page.pageNumber, text };
      }
      return;
    case 'TEXT':
      if (!chosen.has(1)) return;
      for await (const text of paragraphsOf(source.path, signal)) yield { page: 1, text };
      return;
    case 'PACKAGE': {
      const opened = await Package.open(source.path);
      try {
        for await (const item of chosenItemsOf(opened, document, chosen)) {
          signal.throwIfAborted();
          if (item.kind === 'text') yield item;
        }
      } finally {
        opened.close();
      }
    }
  }
}
