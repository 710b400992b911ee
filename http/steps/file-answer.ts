/** Files as answers: conditional and partial requests (RFC 9110), and headers that keep a browser from running their content. */
import type { Context } from 'koa';
import type { JobFile } from '../../actors/job-files/job-files.ts';
import { answerWith } from '../routing/declaration.ts';
import { HttpError } from '../routing/errors.ts';

interface Part {
  readonly start: number;
  readonly end: number;
}

/** Answers a request for a file and closes the file. @throws HttpError 416 */
export async function fileAnswer(ctx: Context, { file, mimeType, name }: JobFile) {
  const headers = headersOf(file.etag, file.modified, mimeType, name);
  if (isKnown(ctx, file.etag, file.modified)) {
    await file.close();
    return answerWith(304, undefined, headers);
  }
  const part = isOfThis(ctx, file.etag, file.modified) ? partOf(ctx.get('range'), file.bytes) : undefined;
  if (part === 'outside') {
    await file.close();
    ctx.set('Content-Range', `bytes */${file.bytes}`);
    const message = `The file has ${file.bytes} bytes: it ends before the requested Range.`;
    throw new HttpError('range-not-satisfiable', message);
  }
  const type = { type: safeType(mimeType) };
  if (part === undefined) {
    const stream = file.stream();
    return { ...answerWith(200, stream, headers), ...type, length: file.bytes };
  }
  const { start, end } = part;
  const range = { 'Content-Range': `bytes ${start}-${end}/${file.bytes}` };
  return {
    ...answerWith(206, file.stream(part), { ...headers, ...range }),
    ...type,
    length: end - start + 1,
  };
}

/** Types that a browser may show inline. SVG is excluded, because it may contain scripts. */
const SHOWN = /^(image|video|audio)\/(?!svg)[\w.-]+$/;
const TYPE = /^[\w.+-]+\/[\w.+-]+$/;

const safeType = (mimeType: string) =>
  TYPE.test(mimeType) ? mimeType.toLowerCase() : 'application/octet-stream';

function headersOf(etag: string, modified: number, mimeType: string, name: string) {
  const how = SHOWN.test(safeType(mimeType)) ? 'inline' : 'attachment';
  return {
    ETag: etag,
    'Last-Modified': new Date(modified).toUTCString(),
    'Accept-Ranges': 'bytes',
    // Only for the user of the request. Browsers revalidate a cached file each time, with its ETag.
    'Cache-Control': 'private, no-cache',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Content-Disposition': disposition(how, name),
  };
}

/** RFC 6266: an ASCII name for all clients, and the real name in the encoding of RFC 8187. */
export function disposition(how: 'inline' | 'attachment', name: string): string {
  const plain = name.replaceAll(/[^\w.() -]/g, '_').slice(-MAX_NAME);
  if (plain === name) return `${how}; filename="${plain}"`;
  // The conversion to bytes replaces half a surrogate pair, which could not be escaped.
  const whole = Buffer.from(name.slice(-MAX_NAME)).toString();
  const escaped = encodeURIComponent(whole).replaceAll(
    /['()*]/g,
    (one) => `%${one.codePointAt(0)!.toString(16).toUpperCase()}`,
  );
  return `${how}; filename="${plain}"; filename*=UTF-8''${escaped}`;
}
const MAX_NAME = 200;

/** True if the client already has the file (RFC 9110 13.1.2, 13.1.3). */
function isKnown(ctx: Context, etag: string, modified: number): boolean {
  const given = ctx.get('if-none-match');
  if (given !== '')
    return given.trim() === '*' || given.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
  const since = Date.parse(ctx.get('if-modified-since'));
  return !Number.isNaN(since) && inSeconds(modified) <= since;
}

/** True if the partial file of the client belongs to this file (RFC 9110 13.1.5). */
function isOfThis(ctx: Context, etag: string, modified: number): boolean {
  const given = ctx.get('if-range').trim();
  if (given === '') return true;
  return given.includes('"') ? given === etag : Date.parse(given) === inSeconds(modified);
}

/** Rounds down to seconds, because a date in a header has no milliseconds. */
const inSeconds = (ms: number) => Math.floor(ms / 1_000) * 1_000;

/** Returns the requested part. Returns undefined for the whole file, also for several parts or an invalid range. */
export function partOf(range: string, bytes: number): Part | 'outside' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(range.trim()) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const wanted = Math.min(Number(last), bytes);
    return wanted === 0 ? 'outside' : { start: bytes - wanted, end: bytes - 1 };
  }
  const [start, end] = [Number(first), last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)];
  if (last !== '' && Number(last) < start) return undefined;
  return start >= bytes ? 'outside' : { start, end };
}
