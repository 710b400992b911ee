/** Snapshots of earlier versions of the product. */
import type { DurableKind } from './durable-kind.ts';
import { TransientError } from '../basics/errors.ts';

/** The stored snapshot was written by a newer version of the product: other servers can read it, or this one after its upgrade. */
export class NewerSchema extends TransientError {}

/** A stored snapshot as one of today, with the commands that it has seen. @throws NewerSchema */
export function upcast(
  kind: {
    readonly kind: string;
    readonly schema: number;
    readonly upcasters: Readonly<Record<number, (body: unknown) => unknown>>;
  },
  schema: number,
  stored: unknown,
): { state: unknown; seen: readonly unknown[] } {
  if (schema > kind.schema)
    throw new NewerSchema(
      `A ${kind.kind} was stored by a newer version of Troupe (schema ${schema}, this version knows ${kind.schema}).`,
    );
  const { state, seen } = stored as { state: unknown; seen?: readonly unknown[] };
  return { state: upcastBody(kind, schema, state), seen: seen ?? [] };
}

/** A body of an earlier schema as one of today's. */
export function upcastBody(
  { schema: today, upcasters }: Pick<DurableKind<never, never>, 'schema' | 'upcasters'>,
  schema: number,
  body: unknown,
): unknown {
  let current = body;
  for (let step = schema; step < today; step++) {
    const upcaster = upcasters[step];
    if (upcaster === undefined) throw new Error(`There is no way from schema ${step} to ${step + 1}.`);
    current = upcaster(current);
  }
  return current;
}
