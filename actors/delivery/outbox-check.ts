import type { OutboxEntry, Store } from '../../store/store.ts';

/** The entry, if it still stands in the outbox as it was read: due at the same time. A job that took it out owes it no more. */
export async function stillInOutbox(
  store: Pick<Store, 'outbox'>,
  { destination, due, id }: OutboxEntry,
): Promise<OutboxEntry | undefined> {
  let after: Pick<OutboxEntry, 'id' | 'due'> = { due, id: before(id) };
  for (;;) {
    const [next] = await store.outbox(destination, { after, limit: 1 });
    if (next === undefined || (next.id === id && next.due === due)) return next;
    if (next.due > due || next.id > id) return undefined;
    after = next;
  }
}

/** A text that sorts right before `id`: hardly any other lies between. */
function before(id: string): string {
  const last = id.charCodeAt(id.length - 1);
  return `${id.slice(0, -1)}${String.fromCharCode(last - 1)}\u{10FFFF}`;
}
