/** Sends requests byte by byte: nothing is added, normalised or encoded. */
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  /** An array is sent with chunked encoding and without Content-Length. */
  readonly body?: string | Uint8Array | readonly string[];
}

export function sendRaw(base: string, { method, path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const whole = typeof body === 'string' || body instanceof Uint8Array ? body : undefined;
    const length = whole === undefined ? {} : { 'content-length': Buffer.byteLength(whole) };
    const outgoing = request(
      { hostname, port, method, path, headers: { ...length, ...headers }, timeout: 20_000, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    outgoing.once('timeout', () => outgoing.destroy(new Error(`${method} ${path} was not answered`)));
    outgoing.once('error', reject);
    if (whole !== undefined) outgoing.write(whole);
    else for (const part of (body as readonly string[] | undefined) ?? []) outgoing.write(part);
    outgoing.end();
  });
}
