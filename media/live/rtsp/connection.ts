/** A connection to an RTSP server: sequential requests, with media packets between their answers. */
import { connect as connectTo, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectEncrypted, TLSSocket } from 'node:tls';
import { checkHost, guardedLookup, hostOf, type AddressRule } from '../../../egress/http/addresses.ts';
import type { Connect } from '../input/input.ts';
import { LiveError, networkError } from '../input/live-error.ts';
import { RtspParser, type RtspMessage } from './messages.ts';

const RTSP_PORT = 554;
const RTSPS_PORT = 322;
const AGENT = 'Troupe';

export interface RtspEvents {
  /** `packet` is valid only during the call. */
  packet(channel: number, packet: Buffer): void;
  /** The server ends the stream. */
  onEnd(): void;
  /** Called when the connection has become unusable. Called at most once, and not after `close`. */
  onFailure(error: LiveError): void;
}

interface Asked {
  resolve(answer: RtspMessage): void;
  reject(error: LiveError): void;
}

/** Connects to an allowed address. The socket receives only addresses that were checked. */
export async function connectRtsp(
  url: URL,
  { allowPrivate, connectMs }: Connect,
  signal: AbortSignal,
  events: RtspEvents,
): Promise<RtspConnection> {
  const rule: AddressRule = { allowPrivate, settings: 'the setting FETCH_PRIVATE' };
  signal.throwIfAborted();
  try {
    checkHost(url, rule);
  } catch (error) {
    throw networkError(error);
  }
  const connection = new RtspConnection(socketTo(url, rule), connectMs, events);
  await connection.waitUntilOpen(signal);
  return connection;
}

/** Opens the socket. With rtsps, the host needs a certificate of a trusted authority. */
function socketTo(url: URL, rule: AddressRule): Socket {
  const host = hostOf(url);
  const isEncrypted = url.protocol === 'rtsps:';
  const port = url.port === '' ? (isEncrypted ? RTSPS_PORT : RTSP_PORT) : Number(url.port);
  const to = { host, port, lookup: guardedLookup(rule) };
  if (!isEncrypted) return connectTo(to);
  return connectEncrypted({ ...to, ...(isIP(host) === 0 ? { servername: host } : {}) });
}

export class RtspConnection {
  readonly #socket: Socket;
  readonly #answerMs: number;
  readonly #events: RtspEvents;
  readonly #asked = new Map<number, Asked>();
  #sequence = 0;
  #error: LiveError | undefined;
  #closed = false;

  constructor(socket: Socket, answerMs: number, events: RtspEvents) {
    this.#socket = socket;
    this.#answerMs = answerMs;
    this.#events = events;
    const parser = new RtspParser({
      packet: (channel, packet) => events.packet(channel, packet),
      message: (message) => this.#receiveMessage(message),
    });
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      try {
        parser.push(chunk);
      } catch (error) {
        this.fail(networkError(error));
      }
    });
    socket.on('error', (error) => this.fail(networkError(error)));
    socket.on('close', () => this.fail(new LiveError('LOST', 'The camera has closed the connection.')));
  }

  /** The checked address of the open connection. */
  get camera(): string {
    return (this.#socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  }

  /** Resolves when the connection is open. From then on, the signal ends it. */
  async waitUntilOpen(signal: AbortSignal): Promise<void> {
    const stop = () => this.fail(networkError(signal.reason));
    signal.addEventListener('abort', stop, { once: true });
    this.#socket.once('close', () => signal.removeEventListener('abort', stop));
    const late = setTimeout(() => this.fail(tooLate()), this.#answerMs);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#asked.set(0, { resolve: () => resolve(), reject });
        this.#socket.once(this.#socket instanceof TLSSocket ? 'secureConnect' : 'connect', resolve);
      });
    } finally {
      clearTimeout(late);
      this.#asked.delete(0);
    }
  }

  /** Sends a request and returns its answer, whatever its status. */
  async ask(method: string, uri: string, headers: Readonly<Record<string, string>>): Promise<RtspMessage> {
    const sequence = ++this.#sequence;
    const late = setTimeout(() => this.fail(tooLate()), this.#answerMs);
    try {
      return await new Promise((resolve, reject) => {
        if (this.#error !== undefined) return reject(this.#error);
        this.#asked.set(sequence, { resolve, reject });
        this.#send(method, uri, sequence, headers);
      });
    } finally {
      clearTimeout(late);
      this.#asked.delete(sequence);
    }
  }

  /** Sends a request without waiting for its answer. */
  tell(method: string, uri: string, headers: Readonly<Record<string, string>>): void {
    if (this.#error === undefined) this.#send(method, uri, ++this.#sequence, headers);
  }

  #send(method: string, uri: string, sequence: number, headers: Readonly<Record<string, string>>): void {
    const lines = Object.entries({ CSeq: String(sequence), 'User-Agent': AGENT, ...headers });
    const text = lines.map(([name, value]) => `${name}: ${value.replace(/[\r\n]/g, '')}\r\n`).join('');
    this.#socket.write(`${method} ${uri} RTSP/1.0\r\n${text}\r\n`);
  }

  #receiveMessage(message: RtspMessage): void {
    const sequence = Number(message.headers.get('cseq')?.[0]);
    if (message.status !== undefined) return this.#asked.get(sequence)?.resolve(message);
    this.#socket.write(`RTSP/1.0 200 OK\r\nCSeq: ${sequence}\r\n\r\n`);
    if (message.method === 'TEARDOWN') this.#events.onEnd();
  }

  /** Stops reading from the server while pictures wait to be decoded. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  fail(error: LiveError): void {
    if (this.#closed || this.#error !== undefined) return;
    this.#error = error;
    this.#socket.destroy();
    for (const { reject } of this.#asked.values()) reject(error);
    this.#events.onFailure(error);
  }

  /** Closes the connection after pending requests are sent. */
  close(): void {
    this.#closed = true;
    this.#socket.destroySoon();
    // Closed by force after a timeout, because a server that does not read would keep the socket open.
    setTimeout(() => this.#socket.destroy(), 500).unref();
  }
}

/** Returns the address for requests, without user and password. */
export function requestUri(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}${url.search}`;
}

const tooLate = (): LiveError => new LiveError('UNREACHABLE', 'The camera does not answer in time.');
