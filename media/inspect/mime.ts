/** MIME types by content, with the names of Apache Tika, because documents and selectors use them. */
import { fileTypeFromBuffer, fileTypeFromFile } from 'file-type';
import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { smallFile } from '../fetch/small-file.ts';
import { FOOTER_BYTES, isTarga } from './targa.ts';

export const UNKNOWN_MIME = 'application/octet-stream';

/** Names that differ between file-type and Tika. */
const TIKA: Readonly<Record<string, string>> = {
  'audio/wav': 'audio/vnd.wave',
  'audio/aac': 'audio/x-aac',
  'audio/aiff': 'audio/x-aiff',
  'audio/flac': 'audio/x-flac',
  'audio/x-m4a': 'audio/mp4',
  'audio/ogg; codecs=opus': 'audio/opus',
  'audio/x-ms-asf': 'audio/x-ms-wma',
  'video/mp2t': 'video/vnd.dlna.mpeg-tts',
  'video/vnd.avi': 'video/x-msvideo',
  'video/matroska': 'video/x-matroska',
  'application/vnd.ms-asf': 'video/x-ms-asf',
  'video/MP1S': 'video/mpeg',
  'video/MP2P': 'video/mpeg',
  'image/x-icon': 'image/vnd.microsoft.icon',
  'application/vnd.rn-realmedia': 'application/x-vnd.rn-realmedia',
};

/** MIME types of text by file extension. All other text is text/plain. */
const TEXTS: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.tsv': 'text/tab-separated-values',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xhtml': 'application/xhtml+xml',
  '.css': 'text/css',
  '.js': 'application/javascript',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.md': 'text/x-web-markdown',
  '.yaml': 'text/x-yaml',
  '.yml': 'text/x-yaml',
  '.py': 'text/x-python',
  '.java': 'text/x-java-source',
  '.c': 'text/x-csrc',
  '.cpp': 'text/x-c++src',
  '.log': 'text/x-log',
  '.srt': 'application/x-subrip',
  '.vtt': 'text/vtt',
  '.eml': 'message/rfc822',
};

/** Kinds of text that content detection finds too. The file extension takes precedence. */
const TEXT_LIKE: readonly string[] = ['application/xml', 'text/vtt'];

/** MIME types that content detection may return for a TGA, because it can begin like a Windows cursor. */
const LIKE_TARGA: readonly string[] = [UNKNOWN_MIME, 'image/vnd.microsoft.icon'];

const NETPBM: Readonly<Record<string, string>> = {
  P1: 'image/x-portable-bitmap',
  P2: 'image/x-portable-graymap',
  P3: 'image/x-portable-pixmap',
  P4: 'image/x-portable-bitmap',
  P5: 'image/x-portable-graymap',
  P6: 'image/x-portable-pixmap',
};

const HEAD_BYTES = 65_536;

/** Bytes that are unassigned in windows-1252, and the delete character. */
const NOT_WESTERN = new Set([0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d]);
/** Maximum share of non-ASCII characters in a windows-1252 text. */
const WESTERN_SHARE = 0.1;

/** MIME types of text besides text/* that a data URI may state. */
const STATED_TEXTS =
  /^(text\/|message\/|application\/([\w.+-]*\+)?(json|xml|yaml|javascript|x-ndjson|x-subrip)$)/;

/** Returns the MIME type that a data URI states if the content is only recognized as text or not at all. */
export function statedMime(found: string, stated: string | undefined): string {
  if (stated === undefined) return found;
  const known = TIKA[stated] ?? stated;
  if (found === 'text/plain') return STATED_TEXTS.test(known) ? known : found;
  return found === UNKNOWN_MIME && !/^(image|audio|video|text)\//.test(known) ? known : found;
}

/** Returns the MIME type of a file. `name`: the client's file name, which distinguishes kinds of text; by default the path. */
export async function mimeTypeOf(path: string, name = path): Promise<string> {
  const small = smallFile(path);
  const found = (await (small === undefined ? fileTypeFromFile(path) : fileTypeFromBuffer(small)))?.mime;
  const known = found === undefined ? UNKNOWN_MIME : (TIKA[found] ?? found);
  // A few letters can look like the beginning of a picture or sound. Real pictures and sound do not decode as text.
  if (known !== UNKNOWN_MIME && !/^(image|audio|video)\//.test(known) && !TEXT_LIKE.includes(known))
    return known;
  const ending = extname(name).toLowerCase();
  const { bytes, targa } = small === undefined ? await look(path, ending) : lookAt(small, ending);
  const picture = netpbm(bytes) ?? (targa && LIKE_TARGA.includes(known) ? 'image/x-tga' : undefined);
  if (picture !== undefined) return picture;
  const text = decodeText(bytes);
  if (text === undefined) return known;
  const named = markup(text) ?? TEXTS[ending];
  return named ?? (TEXT_LIKE.includes(known) ? known : 'text/plain');
}

/**
 * Returns the MIME type of a Netpbm picture. Its header has kind, width and height as text; pixels are numbers (P1 to P3) or bytes (P4 to
 * P6).
 */
function netpbm(bytes: Buffer): string | undefined {
  const [, kind] =
    /^(P[1-6])\s(?:\s|#[^\n]*\n)*\d+\s(?:\s|#[^\n]*\n)*\d+\s/.exec(bytes.toString('latin1', 0, 1024)) ?? [];
  return kind === undefined ? undefined : NETPBM[kind];
}

interface Look {
  readonly bytes: Buffer;
  readonly targa: boolean;
}

/** Reads the beginning of a file, and checks whether it is a TGA picture. */
async function look(path: string, ending: string): Promise<Look> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const { size } = await file.stat();
    const last = await file.read(
      Buffer.alloc(FOOTER_BYTES),
      0,
      FOOTER_BYTES,
      Math.max(0, size - FOOTER_BYTES),
    );
    const end = last.buffer.subarray(0, last.bytesRead);
    return { bytes, targa: isTarga({ head: bytes, end, size }, ending) };
  } finally {
    await file.close();
  }
}

/** Does the same for a file that is already in memory. */
function lookAt(whole: Buffer, ending: string): Look {
  const bytes = whole.subarray(0, HEAD_BYTES);
  const end = whole.subarray(-FOOTER_BYTES);
  return { bytes, targa: isTarga({ head: bytes, end, size: whole.length }, ending) };
}

/** Decodes the beginning of a text in UTF-8, UTF-16 or windows-1252. Returns undefined if it is not text. */
function decodeText(bytes: Buffer): string | undefined {
  return bytes.length === 0 ? undefined : (decodeUnicode(bytes) ?? decodeWestern(bytes));
}

function decodeUnicode(bytes: Buffer): string | undefined {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : 'utf-8';
  try {
    // In streaming mode, a character that is cut at the end of the bytes is not an error.
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
    // oxlint-disable-next-line no-control-regex
    return /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Decodes windows-1252. Western text has few non-ASCII letters, and binary data soon has control characters. */
function decodeWestern(bytes: Buffer): string | undefined {
  let beyond = 0;
  for (const byte of bytes) {
    if (byte < 0x20 ? ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte) : NOT_WESTERN.has(byte))
      return undefined;
    if (byte >= 0x80) beyond++;
  }
  return beyond <= bytes.length * WESTERN_SHARE ? new TextDecoder('windows-1252').decode(bytes) : undefined;
}

/** Returns the kind of markup. Reads from left to right past comments, so that the time stays linear in the length of the text. */
function markup(text: string): string | undefined {
  const start = text.slice(0, 2000).trimStart();
  const declared = /^<\?xml[^>]*>\s*/i.exec(start)?.[0] ?? '';
  const root = withoutComments(start.slice(declared.length));
  const kind = /^<!DOCTYPE svg[^>]*>\s*/i.exec(root)?.[0] ?? '';
  if (/^<svg[\s>]/i.test(root.slice(kind.length))) return 'image/svg+xml';
  if (declared === '' && /^<(!doctype html|html)[\s>]/i.test(root)) return 'text/html';
  return start.startsWith('<?xml') ? 'application/xml' : undefined;
}

function withoutComments(text: string): string {
  let rest = text;
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4);
    if (end === -1) return '';
    rest = rest.slice(end + 3).trimStart();
  }
  return rest;
}
