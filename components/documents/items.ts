/** Reads the content of a packaged document, in reading order. */
import type { ChosenPages } from './chosen-pages.ts';
import { docxItems } from './office/docx.ts';
import type { PackageFormat } from './kind.ts';
import { odfItems } from './office/odf.ts';
import type { Package } from './office/package.ts';
import type { DocumentItem } from './office/paragraphs.ts';
import { pptxItems } from './office/pptx.ts';
import { xlsxItems } from './office/xlsx.ts';

/** Yields the items. Throws COULD_NOT_READ_MEDIA, and errors of the parsers. */
function itemsOf(document: Package, format: PackageFormat, main: string): AsyncGenerator<DocumentItem> {
  switch (format) {
    case 'DOCX':
      return docxItems(document, main);
    case 'PPTX':
      return pptxItems(document, main);
    case 'XLSX':
      return xlsxItems(document, main);
    case 'ODF':
      return odfItems(document);
  }
}

/** Yields the items on the chosen pages. Items after the last of these pages are not read. */
export async function* chosenItemsOf(
  document: Package,
  { format, main }: { readonly format: PackageFormat; readonly main: string },
  chosen: ChosenPages,
): AsyncGenerator<DocumentItem> {
  for await (const item of itemsOf(document, format, main)) {
    if (chosen.has(item.page)) yield item;
    else if (chosen.isBehind(item.page)) return;
  }
}
