import type { OutboxEntry, Store } from '../../store/store.ts';

/** Returns the entry if it is still in the outbox with the same due time. A job that removed it no longer has to send it. */
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

/** Returns a text that sorts just before `id`, with hardly any other text between them. */
function before(id: string): string {
  const last = id.charCodeAt(id.length - 1);
  return `${id.slice(0, -1)}${String.fromCharCode(last - 1)}\u{10FFFF}`;
}
