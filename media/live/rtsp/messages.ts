/** Parses data of an RTSP connection: answers, server requests, and media packets between them (RFC 2326, 10.12). */
import { LiveError } from '../input/live-error.ts';

export interface RtspMessage {
  /** Status of an answer; undefined for a server request. */
  readonly status: number | undefined;
  /** Method of a server request. */
  readonly method: string;
  /** Values by lower-case name. Repeated headers keep their order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
}

export interface RtspReceiver {
  message(message: RtspMessage): void;
  /** `packet` is valid only during the call. */
  packet(channel: number, packet: Buffer): void;
}

const MOST_HEADER_BYTES = 16 * 1024;
const MOST_BODY_BYTES = 256 * 1024;
const DOLLAR = 0x24;

/** Splits received bytes into messages and packets. Throws LiveError if the bytes are neither. */
export class RtspParser {
  readonly #receiver: RtspReceiver;
  #rest: Buffer = Buffer.alloc(0);

  constructor(receiver: RtspReceiver) {
    this.#receiver = receiver;
  }

  push(chunk: Buffer): void {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let taken = this.#take(rest); taken > 0 && rest.length > 0; taken = this.#take(rest))
      rest = rest.subarray(taken);
    this.#rest = rest;
  }

  /** Processes the first complete message or packet. Returns its length, or 0 if more bytes are needed. */
  #take(bytes: Buffer): number {
    if (bytes.length === 0) return 0;
    if (bytes[0] !== DOLLAR) return this.#takeMessage(bytes);
    if (bytes.length < 4) return 0;
    const end = 4 + bytes.readUInt16BE(2);
    if (bytes.length < end) return 0;
    this.#receiver.packet(bytes[1]!, bytes.subarray(4, end));
    return end;
  }

  #takeMessage(bytes: Buffer): number {
    // Empty lines between messages are skipped.
    if (bytes[0] === 0x0d || bytes[0] === 0x0a) return 1;
    const end = bytes.subarray(0, MOST_HEADER_BYTES).indexOf('\r\n\r\n');
    if (end < 0 && bytes.length < MOST_HEADER_BYTES && looksLikeText(bytes)) return 0;
    const header = end < 0 ? undefined : headerOf(bytes.toString('latin1', 0, end));
    if (header === undefined) throw noRtsp();
    const length = Number(header.headers.get('content-length')?.[0] ?? 0);
    if (!(length >= 0 && length <= MOST_BODY_BYTES)) throw noRtsp();
    const start = end + 4;
    if (bytes.length < start + length) return 0;
    this.#receiver.message({ ...header, body: bytes.toString('utf8', start, start + length) });
    return start + length;
  }
}

function headerOf(text: string): Omit<RtspMessage, 'body'> | undefined {
  const [first = '', ...lines] = text.split('\r\n');
  const answer = /^RTSP\/\d\.\d (\d{3})\b/.exec(first);
  const request = /^([A-Z_]+) \S+ RTSP\/\d\.\d$/.exec(first);
  if (answer === null && request === null) return undefined;
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return { status: answer === null ? undefined : Number(answer[1]), method: request?.[1] ?? '', headers };
}

const looksLikeText = (bytes: Buffer): boolean =>
  /^[\x20-\x7e\r\n\t]*$/.test(bytes.toString('latin1', 0, 16));

const noRtsp = (): LiveError => new LiveError('NOT_VIDEO', 'The server at this port does not speak RTSP.');
