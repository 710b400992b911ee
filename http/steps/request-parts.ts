import type { Context } from 'koa';
import { withoutExtras } from '../../actors/catalog/descriptors/tolerant-json.ts';
import type { LimitOfBody, Limits, Operation, Refusing } from '../routing/declaration.ts';
import type { ErrorCode } from '../routing/error-codes.ts';
import { HttpError, refusedAs } from '../routing/errors.ts';
import { queryOf } from '../routing/query.ts';
import { unknownMembers } from '../routing/unknown-members.ts';
import { checkShape } from '../schemas/problems.ts';
import { parseJson, readJson, readText, type BodyLimits } from '../routing/json-body.ts';

type Declared = Operation & Refusing;
type Part = 'params' | 'query' | 'headers' | 'body';
type Parts = Partial<Record<Part | 'given', unknown>> & {
  readonly ctx: Context;
  unknownMembers: readonly string[];
};

/**
 * Returns the parts of a request as converted by their schemas. The address is validated first, then the body, then the headers.
 * @throws HttpError for the first part that does not match, with the message of the endpoint
 */
export async function requestOf(
  declared: Declared,
  ctx: Context,
  limits: Partial<Limits>,
  firstLook: (given: unknown) => string | undefined,
): Promise<Parts> {
  const parts: Parts = { params: {}, query: {}, headers: {}, unknownMembers: [], ctx };
  // The query is validated even if the path is invalid, because the answer may repeat it.
  const wrongPath = checkPart(declared, parts, 'params', ctx['params']);
  const form = declared.form === true && wrongPath === undefined ? await formOf(ctx, limits) : undefined;
  const wrongQuery =
    form === undefined && ctx.request.querystring === ''
      ? emptyQuery(declared, parts)
      : checkPart(declared, parts, 'query', { ...form, ...queryOf(ctx) });
  const wrongAddress = wrongPath ?? wrongQuery;
  if (wrongAddress !== undefined) throw refusePart('invalid-parameter', declared, wrongAddress, parts);
  if (declared.body !== undefined) await takeBody(declared, parts, limits, firstLook);
  if (declared.headers === undefined) return parts;
  const problem = checkPart(declared, parts, 'headers', headersOf(declared, ctx));
  if (problem !== undefined) throw refusePart('invalid-parameter', declared, problem, parts);
  return parts;
}

/** Validates a part against its schema. Returns the message of the endpoint if the part does not match. */
function checkPart(declared: Declared, parts: Parts, part: Part, given: unknown): string | undefined {
  const schema = part === 'body' ? declared.body?.schema : declared[part];
  if (schema === undefined) return undefined;
  const outcome = (declared.check ?? checkShape)(schema, given, part === 'body' ? 'body' : 'query');
  if ('ok' in outcome) {
    parts[part] = outcome.ok;
    return undefined;
  }
  delete parts[part];
  return declared.says?.[part]?.(outcome.problems, given) ?? outcome.problems;
}

/** Parsed empty queries, by operation. */
const EMPTY_QUERIES = new WeakMap<Declared, object>();

/** Validates an empty query. Most requests have none, and the result never changes, so it is cached. */
function emptyQuery(declared: Declared, parts: Parts): string | undefined {
  if (declared.query === undefined) return undefined;
  const known = EMPTY_QUERIES.get(declared);
  if (known !== undefined) {
    parts.query = { ...known };
    return undefined;
  }
  const wrong = checkPart(declared, parts, 'query', {});
  if (wrong === undefined) EMPTY_QUERIES.set(declared, { ...(parts.query as object) });
  return wrong;
}

async function takeBody(
  declared: Declared,
  parts: Parts,
  limits: Partial<Limits>,
  firstLook: (given: unknown) => string | undefined,
): Promise<void> {
  const { ctx } = parts;
  if (declared.body?.type !== undefined) {
    parts.body = ctx.req;
    return;
  }
  parts.given = await refusedAs(bodyOf(declared, ctx, limits), (message) =>
    bodyOfRefusal(declared, message, parts),
  );
  const problem = firstLook(parts.given) ?? checkPart(declared, parts, 'body', parts.given);
  if (problem !== undefined) throw refusePart('invalid-body', declared, problem, parts);
  noteUnknownMembers(declared, parts, limits.strictRequests === true);
}

function noteUnknownMembers(declared: Declared, parts: Parts, isStrict: boolean): void {
  const { schema, noun } = declared.body!;
  if (noun === undefined) return;
  parts.unknownMembers = unknownMembers(schema, parts.given, noun);
  if (!isStrict || parts.unknownMembers.length === 0) return;
  const problems = parts.unknownMembers.join('\n');
  const message = declared.says?.body?.(problems, parts.given) ?? problems;
  throw refusePart('unknown-member', declared, message, parts);
}

async function bodyOf({ body }: Declared, ctx: Context, all: Partial<Limits>): Promise<unknown> {
  const limits = limitsOf(all, body?.limits ?? 'bodyLimits');
  const asText = body?.also?.find((type) => ctx.is(type) === type);
  if (asText !== undefined) return readText(ctx, limits);
  if (body?.tolerant !== true) return readJson(ctx, limits);
  return parseJson(withoutExtras(await readText(ctx, limits)), limits);
}

const FORM = 'application/x-www-form-urlencoded';

/** Returns the form fields of a request. A body of another type counts as an empty form. */
async function formOf(ctx: Context, limits: Partial<Limits>): Promise<Readonly<Record<string, string>>> {
  if (ctx.is(FORM) !== FORM || ctx.get('content-length') === '0') return {};
  return Object.fromEntries(new URLSearchParams(await readText(ctx, limitsOf(limits, 'formLimits'))));
}

function limitsOf(limits: Partial<Limits>, which: LimitOfBody): BodyLimits {
  const found = limits[which];
  if (found === undefined) throw new Error(`An endpoint reads a body, and nothing says its limits: ${which}`);
  return found;
}

/** Returns the declared headers by their declared names. An empty header counts as absent. */
function headersOf({ headers }: Declared, ctx: Context): Readonly<Record<string, string>> {
  const names = Object.keys(headers?.shape ?? {});
  return Object.fromEntries(
    names.flatMap((name) => (ctx.get(name) === '' ? [] : [[name, ctx.get(name)] as const])),
  );
}

const refusePart = (code: ErrorCode, declared: Declared, message: string, parts: Parts) =>
  new HttpError(code, message, { body: bodyOfRefusal(declared, message, parts) });

const bodyOfRefusal = ({ refusal }: Declared, message: string, parts: Parts): object | null =>
  refusal === undefined ? {} : refusal(message, parts);
