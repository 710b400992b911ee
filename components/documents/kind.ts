/** Finds the kind of a document by its content. The stated type is only used for text. */
import { open } from 'node:fs/promises';
import { DetectionError } from '../sdk/detector.ts';
import { passwordNeeded, unreadable } from './limits.ts';
import { ODF_CONTENT } from './office/odf.ts';
import { Package } from './office/package.ts';
import { partsOf, relationsOf } from './office/relations.ts';
import { isText } from './text-file.ts';
import { attribute, scanXml } from '../../files/xml.ts';

export type PackageFormat = 'DOCX' | 'PPTX' | 'XLSX' | 'ODF';
export type DocumentKind =
  | { readonly kind: 'PDF' }
  | { readonly kind: 'TEXT' }
  /** `main` is the first part to read. */
  | { readonly kind: 'PACKAGE'; readonly format: PackageFormat; readonly main: string };

/** Number of bytes that are read. The header of PDF, and the directory of an old office file, may be anywhere within them. */
const HEAD_BYTES = 65_536;
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const OOXML_FORMATS: readonly (readonly [RegExp, PackageFormat])[] = [
  [/wordprocessingml|ms-word/i, 'DOCX'],
  [/presentationml|ms-powerpoint/i, 'PPTX'],
  [/spreadsheetml|ms-excel/i, 'XLSX'],
];

/** Returns the kind. Throws UNSUPPORTED_DATA_TYPE for other kinds, COULD_NOT_READ_MEDIA for damaged or protected documents. */
export async function kindOf(path: string, mimeType: string): Promise<DocumentKind> {
  const head = await headOf(path);
  if (head.subarray(0, 1024).includes('%PDF-')) return { kind: 'PDF' };
  if (head.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) return await packageKind(path, mimeType);
  if (head.subarray(0, 8).equals(COMPOUND_FILE)) throw await oldOfficeFile(path, mimeType);
  if (head.length === 0 || isText(mimeType)) return { kind: 'TEXT' };
  if (mimeType === 'application/pdf' || /officedocument|opendocument/.test(mimeType))
    throw unreadable(`The document is damaged: it does not begin as ${mimeType} does.`);
  throw unsupportedError(mimeType);
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function packageKind(path: string, mimeType: string): Promise<DocumentKind> {
  const document = await Package.open(path);
  try {
    if (document.has('mimetype')) return await odfKind(document, mimeType);
    if (document.has('[Content_Types].xml')) return await ooxmlKind(document, mimeType);
    throw unsupportedError(mimeType);
  } finally {
    document.close();
  }
}

async function odfKind(document: Package, mimeType: string): Promise<DocumentKind> {
  const name = (await document.bytes('mimetype', 1000))?.toString('latin1').trim() ?? '';
  if (!/^application\/vnd\.oasis\.opendocument\.(text|presentation|spreadsheet|graphics)/.test(name))
    throw unsupportedError(name === '' ? mimeType : name);
  let encrypted = document.has('encrypted-package');
  if (document.has('META-INF/manifest.xml'))
    await scanXml(document.read('META-INF/manifest.xml'), {
      open: (element) => {
        if (element === 'encryption-data') encrypted = true;
      },
    });
  if (encrypted) throw passwordNeeded();
  return { kind: 'PACKAGE', format: 'ODF', main: ODF_CONTENT };
}

async function ooxmlKind(document: Package, mimeType: string): Promise<DocumentKind> {
  const main = partsOf(await relationsOf(document, ''), 'officeDocument')[0];
  if (main === undefined) throw unsupportedError(mimeType);
  let type = '';
  await scanXml(document.read('[Content_Types].xml'), {
    open(element, attributes) {
      const named = attribute(attributes, 'PartName')?.toLowerCase() === `/${main.toLowerCase()}`;
      const byEnding = main.toLowerCase().endsWith(`.${attribute(attributes, 'Extension')?.toLowerCase()}`);
      if (named || (type === '' && element === 'Default' && byEnding))
        type = attribute(attributes, 'ContentType') ?? '';
    },
  });
  const format = OOXML_FORMATS.find(([pattern]) => pattern.test(type))?.[1];
  if (type === '')
    throw unreadable(`The document is damaged: it does not say of what kind its part ${main} is.`);
  if (format === undefined || /binary/i.test(type)) throw unsupportedError(type);
  return { kind: 'PACKAGE', format, main };
}

/** Returns the error for the file format before OOXML, which also wraps protected OOXML documents. */
async function oldOfficeFile(path: string, mimeType: string): Promise<DetectionError> {
  const name = Buffer.from('EncryptedPackage', 'utf16le');
  const file = await open(path, 'r');
  try {
    let before = Buffer.alloc(0);
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      const bytes = Buffer.concat([before, chunk as Buffer]);
      if (bytes.includes(name)) return passwordNeeded();
      before = bytes.subarray(-name.length);
    }
  } finally {
    await file.close();
  }
  return unsupportedError(mimeType);
}

function unsupportedError(mimeType: string): DetectionError {
  return new DetectionError(
    'UNSUPPORTED_DATA_TYPE',
    `Documents of the type ${mimeType} cannot be read. Convert it to PDF, DOCX, PPTX, XLSX, ODT, ODP, ODS or text and submit that.`,
  );
}
