/**
 * Opens the first connection to the server of an HTTP stream. It is made before the HTTP client is loaded, because loading takes three
 * times as much CPU time as a refused connection.
 */
import { connect as connectTo, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { checkHost, guardedLookup, hostOf, type AddressRule } from '../../../egress/http/addresses.ts';
import { LiveError, networkError } from './live-error.ts';

export interface Connecting {
  readonly rule: AddressRule;
  readonly connectMs: number;
  readonly signal: AbortSignal;
}

/** Opens a TCP connection to an allowed address, also for https. Throws LiveError. */
export async function firstSocket(url: URL, { rule, connectMs, signal }: Connecting): Promise<Socket> {
  let socket: Socket | undefined;
  try {
    signal.throwIfAborted();
    checkHost(url, rule);
    socket = connectTo({ host: hostOf(url), port: portOf(url), lookup: guardedLookup(rule) });
    await awaitConnection(socket, connectMs, signal);
    return socket;
  } catch (error) {
    socket?.destroy();
    throw networkError(error);
  }
}

function awaitConnection(socket: Socket, connectMs: number, signal: AbortSignal): Promise<void> {
  const settled = new AbortController();
  const standing = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(tooLate()), connectMs);
    settled.signal.addEventListener('abort', () => clearTimeout(late));
    signal.addEventListener('abort', () => reject(signal.reason as Error), { signal: settled.signal });
    socket.once('connect', resolve);
    // Not removed: the later owner of the socket has its own listener.
    socket.on('error', reject);
  });
  return standing.finally(() => settled.abort());
}

/** Returns a connector that uses the open connection first, if it leads to the wanted host. Later connections use `otherwise`. */
export function connectorWith(
  first: Socket,
  url: URL,
  otherwise: buildConnector.connector,
): buildConnector.connector {
  let left: Socket | undefined = first;
  return (to, done) => {
    const socket = left;
    left = undefined;
    const isThere = to.protocol === url.protocol && to.hostname === hostOf(url);
    if (socket === undefined || !isThere || Number(to.port || portOf(to)) !== portOf(url)) {
      socket?.destroy();
      return otherwise(to, done);
    }
    if (to.protocol === 'https:') return otherwise({ ...to, httpSocket: socket }, done);
    socket.setKeepAlive(true).setNoDelay(true);
    queueMicrotask(() => done(null, socket));
  };
}

const portOf = ({ protocol, port }: Pick<URL, 'protocol' | 'port'>): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

const tooLate = (): LiveError =>
  new LiveError('UNREACHABLE', 'The host of the stream does not answer in time (ETIMEDOUT).');
