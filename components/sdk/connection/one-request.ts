import { text } from 'node:stream/consumers';
import { exchange, type Message } from '../../../egress/node-http.ts';

/**
 * Asks once over a connection of its own, and follows no redirect. Not by `fetch`: to load that takes about as long as a command's own
 * start. @throws when nobody answers within the time
 */
export async function askOnce(
  address: string,
  { method = 'GET', withinMs, ...message }: Partial<Message> & { readonly withinMs: number },
): Promise<{ readonly status: number; readonly text: string }> {
  const signal = AbortSignal.timeout(withinMs);
  const response = await exchange(false, address, { headers: {}, ...message, method, signal });
  return { status: response.statusCode ?? 0, text: await text(response) };
}
