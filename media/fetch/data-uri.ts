import { MediumError } from '../medium-error.ts';

/** Returns the bytes of a `data:` URI, base64 or percent-encoded. Throws MEDIA_INITIALIZATION if it is malformed or above `maxBytes`. */
export function decodeDataUri(uri: string, maxBytes: number): Buffer {
  const comma = uri.indexOf(',');
  if (comma < 0) throw refusal('The data URI is malformed: it has no comma before its data');
  const payload = uri.slice(comma + 1);
  const base64 = /;\s*base64\s*$/i.test(uri.slice(0, comma));
  // Percent-encoding at most triples the size, and base64 takes 4 characters for 3 bytes. Longer payloads are refused before decoding.
  if (payload.length > maxBytes * 3 + 4) throw tooLarge(maxBytes);
  const bytes = percentDecoded(payload);
  const data = base64 ? base64Decoded(bytes.toString('latin1')) : bytes;
  if (data.length > maxBytes) throw tooLarge(maxBytes);
  return data;
}

function percentDecoded(text: string): Buffer {
  if (!text.includes('%')) return Buffer.from(text, 'utf8');
  const parts = text.split(/((?:%[0-9a-f]{2})+)/i);
  return Buffer.concat(
    parts.map((part, i) =>
      i % 2 === 1 ? Buffer.from(part.replaceAll('%', ''), 'hex') : Buffer.from(part, 'utf8'),
    ),
  );
}

function base64Decoded(text: string): Buffer {
  const packed = text.replace(/[\t\n\r\f ]/g, '');
  if (!/^[a-z0-9+/_-]*={0,2}$/i.test(packed))
    throw refusal('The data URI is malformed: its data are not base64');
  return Buffer.from(packed, 'base64');
}

function tooLarge(maxBytes: number): MediumError {
  return refusal(`The data URI holds more than the ${maxBytes} bytes that a medium may have`);
}

function refusal(message: string): MediumError {
  return new MediumError('MEDIA_INITIALIZATION', message);
}
