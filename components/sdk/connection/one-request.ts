import { text } from 'node:stream/consumers';
import { exchange, type Message } from '../../../egress/node-http.ts';

/**
 * Sends one request over a separate connection, and follows no redirect. Does not use `fetch`, because loading it takes about as long as
 * starting a command. @throws if there is no answer within the time
 */
export async function askOnce(
  address: string,
  { method = 'GET', withinMs, ...message }: Partial<Message> & { readonly withinMs: number },
): Promise<{ readonly status: number; readonly text: string }> {
  const signal = AbortSignal.timeout(withinMs);
  const response = await exchange(false, address, { headers: {}, ...message, method, signal });
  return { status: response.statusCode ?? 0, text: await text(response) };
}
