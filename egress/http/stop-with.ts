/**
 * A controller that is also aborted with `ended`. AbortSignal.any would leak memory for each part while `ended` exists. This releases
 * everything after `leave`.
 */
export function stopWith(ended: AbortSignal): { readonly stop: AbortController; leave(): void } {
  const stop = new AbortController();
  const end = () => stop.abort(ended.reason);
  ended.addEventListener('abort', end, { once: true });
  if (ended.aborted) end();
  return { stop, leave: () => ended.removeEventListener('abort', end) };
}
