/** Checks each answer in a test with the OpenAPI document of the server. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

export interface SeenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
  readonly [field: string]: unknown;
}
export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}
export interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: object;
}
export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
  /** True if the answer has no body, although the request did not exclude one. */
  readonly 'x-body-on-request'?: boolean;
}
type Content = Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;

/** Statuses of undeclared requests: unknown path, wrong method, missing token. */
const UNDECLARED = new Set([401, 403, 404, 405, 501, 503]);
/** Paths that the document declares. The development provider (/oidc) and the pages (/docs) are not part of it. */
const OURS = /^\/(rest|worker|metrics|healthz|readyz)(\/|$)/;

export class OpenApiCheck {
  readonly document: OpenApiDocument;
  readonly #ajv = formats.default(new Ajv2020({ strict: false, allErrors: false }));
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #templates: readonly { readonly template: string; readonly pattern: RegExp }[];

  constructor(document: OpenApiDocument) {
    this.document = document;
    this.#ajv.addSchema({ ...document, $id: 'openapi' }, 'openapi');
    // `/rest/jobs/stats` has priority over `/rest/jobs/{id}`.
    this.#templates = Object.keys(document.paths)
      .toSorted((a, b) => (a.replaceAll('{', '~') < b.replaceAll('{', '~') ? -1 : 1))
      .map((template) => ({ template, pattern: patternOf(template) }));
  }

  /** The template of a path, or undefined if the document has none. */
  templateOf(path: string): string | undefined {
    const bare = path.replace(/[?#].*$/, '');
    return this.#templates.find(({ pattern }) => pattern.test(bare))?.template;
  }

  /** Describes how an answer differs from its declaration; undefined if it does not. */
  objection(method: string, path: string, answer: SeenAnswer): string | undefined {
    const where = `${method} ${path} answered ${answer.status}`;
    const template = this.templateOf(path);
    const operation =
      template === undefined ? undefined : this.document.paths[template]?.[method.toLowerCase()];
    if (template === undefined || operation === undefined) {
      const allowed =
        !OURS.test(path) || UNDECLARED.has(answer.status) || method === 'OPTIONS' || method === 'HEAD';
      return allowed ? undefined : `${where}, but this operation is not declared in http/endpoints/.`;
    }
    const response = operation.responses[String(answer.status)];
    if (response === undefined)
      return `${where}, but ${operation.operationId} declares only ${Object.keys(operation.responses).join(', ')}.`;
    for (const header of Object.keys(response.headers ?? {}))
      if (!answer.headers.has(header)) return `${where} without the header ${header}.`;
    if (response['x-body-on-request'] === true && answer.text === '') return undefined;
    if (response.content === undefined)
      return answer.text === ''
        ? undefined
        : `${where} with a body where none is declared: ${excerpt(answer)}`;
    return this.#bodyObjection(
      where,
      [template, method.toLowerCase(), String(answer.status)],
      response.content,
      answer,
    );
  }

  /** Describes how a value differs from the schema at a place in the document; undefined if it is valid. */
  misfit(pointer: readonly string[], value: unknown): string | undefined {
    const ref = `openapi#/${pointer.map(escapeText).join('/')}`;
    const validate = this.#validators.get(ref) ?? this.#ajv.compile({ $ref: ref });
    this.#validators.set(ref, validate);
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors, { dataVar: 'body' });
  }

  #bodyObjection(
    where: string,
    [template, method, status]: readonly [string, string, string],
    content: Content,
    answer: SeenAnswer,
  ): string | undefined {
    const type = (answer.headers.get('content-type') ?? '').replace(/;.*$/, '').trim();
    // A media range such as text/* declares all types without their own entry.
    const declared = [type, `${type.split('/')[0]}/*`, ...(type === '' ? [] : ['*/*'])].find(
      (one) => content[one] !== undefined,
    );
    if (declared === undefined)
      return `${where} with the content type "${type}" instead of ${Object.keys(content).join(' or ')}: ${excerpt(answer)}`;
    const pointer = ['paths', template, method, 'responses', status, 'content', declared, 'schema'];
    const misfit = this.misfit(pointer, declared === 'application/json' ? answer.body : answer.text);
    return misfit === undefined
      ? undefined
      : `${where}, against its declaration: ${misfit}. It was ${excerpt(answer)}`;
  }
}

let check: Promise<OpenApiCheck> | undefined;

/** The check of this test run; the document is fetched once. */
export function checkOf(fetchDocument: () => Promise<OpenApiDocument>): Promise<OpenApiCheck> {
  check ??= fetchDocument().then(
    (document) => new OpenApiCheck(document),
    (error: unknown) => {
      check = undefined;
      throw error;
    },
  );
  return check;
}

const patternOf = (template: string) =>
  new RegExp(
    `^${template
      .split(/\{[^}]+\}/)
      .map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`))
      .join('[^/]+')}/?$`,
  );
const escapeText = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
const excerpt = ({ text }: SeenAnswer) => (text.length > 600 ? `${text.slice(0, 600)}…` : text);
