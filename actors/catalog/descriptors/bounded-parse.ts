import type { z } from 'zod';

/** Most values in a body (texts, numbers, lists, objects) for which all problems are reported. Above it, only the first one is. */
const MAX_VALUES = 5_000;

/**
 * Checks a value of any size against a schema. It reports only the first problems of a large value, because creating all of them would take
 * far longer than sending the value.
 */
export function parseBounded<T>(
  schema: z.ZodType<T>,
  value: unknown,
  error: z.core.$ZodErrorMap,
): { readonly data: T } | { readonly issues: readonly z.core.$ZodIssue[]; readonly partly: boolean } {
  const firstOnly = { error, abortEarly: true };
  const first = schema.safeParse(value, firstOnly);
  if (first.success) return { data: first.data };
  if (isLarge(value)) return { issues: first.error.issues, partly: true };
  const all = schema.safeParse(value, { error });
  return { issues: all.error?.issues ?? first.error.issues, partly: false };
}

function isLarge(value: unknown): boolean {
  const waiting: unknown[] = [value];
  for (let looked = 0; waiting.length > 0; looked++) {
    if (looked + waiting.length > MAX_VALUES) return true;
    const one = waiting.pop();
    if (typeof one !== 'object' || one === null) continue;
    // Counts names first, because reading the values of a large object takes several times as long.
    const count = Array.isArray(one) ? one.length : Object.keys(one).length;
    if (count > MAX_VALUES) return true;
    waiting.push(...(Object.values(one) as readonly unknown[]));
  }
  return false;
}
