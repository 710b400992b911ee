/** Unknown members of a body. They are accepted without effect, and the answer reports them. */
import { z } from 'zod';
import { pathText } from '../../actors/catalog/descriptors/fields.ts';
import { suggestion } from '../../domain/nearest-name.ts';

/** Maximum number of reported members per body. */
const MAX_REPORTED = 20;
const MAX_SHOWN = 60;

type Place = readonly (string | number)[];

/**
 * Returns one sentence for each unknown member: `callbackUrl is not a member of a job. Did you mean callbackURL?` `noun`: name of the body,
 * such as `a job`.
 */
export function unknownMembers(schema: z.ZodType, given: unknown, noun: string): readonly string[] {
  const found = [...look(schema, given, [])];
  return found.map(
    ({ place, name, known }) =>
      `${pathText([...place, name.slice(0, MAX_SHOWN)])} is not a member of ${noun}.${suggestion(name, known)}`,
  );
}

interface Unknown {
  readonly place: Place;
  readonly name: string;
  readonly known: readonly string[];
}

function* look(schema: z.ZodType, given: unknown, start: Place): Generator<Unknown> {
  let reported = 0;
  for (const one of walk(schema, given, start)) {
    yield one;
    if (++reported === MAX_REPORTED) return;
  }
}

function* walk(schema: z.ZodType, given: unknown, place: Place): Generator<Unknown> {
  const plain = withoutWrapping(schema);
  if (typeof given !== 'object' || given === null) return;
  if (plain instanceof z.ZodArray && Array.isArray(given)) {
    for (const [at, entry] of given.entries()) yield* walk(plain.element as z.ZodType, entry, [...place, at]);
    return;
  }
  if (!(plain instanceof z.ZodObject) || Array.isArray(given)) return;
  const shape = plain.shape as Readonly<Record<string, z.ZodType>>;
  for (const [name, value] of Object.entries(given)) {
    const member = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (member === undefined) yield { place, name, known: Object.keys(shape) };
    else yield* walk(member, value, [...place, name]);
  }
}

/** Returns the inner schema of a value that may be absent, null, or converted afterwards. */
function withoutWrapping(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return withoutWrapping(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe)
    return withoutWrapping((schema.in instanceof z.ZodTransform ? schema.out : schema.in) as z.ZodType);
  return schema;
}
