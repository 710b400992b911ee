/**
 * A controller for a part of what `ended` ends. AbortSignal.any would keep something of each part for as long as `ended` lives; this keeps
 * nothing after `leave`.
 */
export function stopWith(ended: AbortSignal): { readonly stop: AbortController; leave(): void } {
  const stop = new AbortController();
  const end = () => stop.abort(ended.reason);
  ended.addEventListener('abort', end, { once: true });
  if (ended.aborted) end();
  return { stop, leave: () => ended.removeEventListener('abort', end) };
}
