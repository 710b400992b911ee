import type { Connect, LiveInput } from './input/input.ts';
import { LiveError } from './input/live-error.ts';

/** Connects to a stream and requests it. Clients are loaded for the first stream of their kind. Throws LiveError. */
export async function openInput(uri: string, connect: Connect, signal: AbortSignal): Promise<LiveInput> {
  if (!URL.canParse(uri)) throw new LiveError('UNSUPPORTED', 'The URI of the stream is malformed.');
  const { protocol } = new URL(uri);
  switch (protocol) {
    case 'rtsp:':
    case 'rtsps:':
      return (await import('./rtsp/rtsp-input.ts')).openRtsp(uri, connect, signal);
    case 'http:':
    case 'https:':
      return (await import('./input/http-input.ts')).openHttp(uri, connect, signal);
    default:
      throw new LiveError(
        'UNSUPPORTED',
        `Streams with the scheme ${protocol.slice(0, 20)} are not supported: give one of rtsp, rtsps, http and https.`,
      );
  }
}
