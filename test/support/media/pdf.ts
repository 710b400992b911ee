/** Makes small PDF files. */
import sharp from 'sharp';

export interface PdfPage {
  /** The operators that draw it. */
  readonly content: string;
  /** Object numbers by the names under which the page shows pictures. */
  readonly pictures?: Readonly<Record<string, number>>;
  readonly annotations?: string;
}
export interface PdfStream {
  /** Entries of its dictionary. */
  readonly head: string;
  readonly data: Uint8Array;
}

/** The number of the first of `streams`. */
export const FIRST_STREAM = 100;

/** `trailer`: further entries of the trailer. The streams have the numbers from FIRST_STREAM on. */
export function pdfOf(pages: readonly PdfPage[], streams: readonly PdfStream[] = [], trailer = ''): Buffer {
  const objects = new Map<number, Buffer>();
  const put = (number: number, text: string) => objects.set(number, Buffer.from(text, 'latin1'));
  const stream = (number: number, head: string, data: Uint8Array) =>
    objects.set(
      number,
      Buffer.concat([
        Buffer.from(`<< ${head} /Length ${data.length} >>\nstream\n`),
        data,
        Buffer.from('\nendstream'),
      ]),
    );
  put(1, '<< /Type /Catalog /Pages 2 0 R >>');
  put(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  const kids = pages.map((_, i) => 10 + i * 2);
  put(2, `<< /Type /Pages /Count ${pages.length} /Kids [${kids.map((n) => `${n} 0 R`).join(' ')}] >>`);
  for (const [i, { content, pictures = {}, annotations = '' }] of pages.entries()) {
    const shown = Object.entries(pictures).map(([name, number]) => `/${name} ${number} 0 R`);
    const resources = `<< /Font << /F 3 0 R >> /XObject << ${shown.join(' ')} >> >>`;
    put(
      kids[i]!,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources ${resources} /Contents ${kids[i]! + 1} 0 R /Annots [${annotations}] >>`,
    );
    stream(kids[i]! + 1, '', Buffer.from(content, 'latin1'));
  }
  for (const [i, { head, data }] of streams.entries()) stream(FIRST_STREAM + i, head, data);
  return file(objects, trailer);
}

function file(objects: ReadonlyMap<number, Buffer>, trailer: string): Buffer {
  const written: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const table: string[] = [];
  let offset = 9;
  for (const [number, body] of objects) {
    const object = Buffer.concat([Buffer.from(`${number} 0 obj\n`), body, Buffer.from('\nendobj\n')]);
    table.push(`${number} 1\n${String(offset).padStart(10, '0')} 00000 n \n`);
    written.push(object);
    offset += object.length;
  }
  const end = `xref\n${table.join('')}trailer\n<< /Size 1000 /Root 1 0 R ${trailer} >>\nstartxref\n${offset}\n%%EOF\n`;
  return Buffer.concat([...written, Buffer.from(end)]);
}

/** Lines of 10 points, each at [x, y]. */
export function writeLines(...lines: readonly (readonly [x: number, y: number, text: string])[]): string {
  return lines.map(([x, y, text]) => `BT /F 10 Tf ${x} ${y} Td (${text}) Tj ET`).join('\n');
}

/** The dark pixels of a picture as areas that a PDF page draws. */
export async function areasOf(image: string | Buffer): Promise<string> {
  const picture = sharp(image).flatten({ background: 'white' }).greyscale();
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  const scale = Math.min(1, 500 / info.width);
  const areas = [`q ${scale} 0 0 ${scale} 50 400 cm`];
  for (let y = 0; y < info.height; y++)
    for (let x = 0, from = -1; x <= info.width; x++) {
      const dark = x < info.width && data[y * info.width + x]! < 128;
      if (dark && from < 0) from = x;
      if (dark || from < 0) continue;
      areas.push(`${from} ${info.height - y} ${x - from} 1.05 re`);
      from = -1;
    }
  return `${areas.join('\n')}\nf Q`;
}
