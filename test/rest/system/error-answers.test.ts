/** The common format of error responses: a message, a stable code, and a link to its documentation. */
import { expect } from 'chai';
import { endpoints } from '../../../http/endpoints/index.ts';
import { answersOf } from '../../../http/openapi/common.ts';
import { ERROR_CODES } from '../../../http/routing/error-codes.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';

const LIGHT = { media: [{ mediaUri: sampleUri('hello-world.png') }], pipelineName: 'LIGHT PIPELINE' };

interface Problem {
  readonly message: string;
  readonly code: string;
  readonly help: string;
}

/** Invalid requests: method, path, body, status, code. */
const REFUSED: readonly (readonly [string, string, unknown, number, string])[] = [
  ['GET', '/rest/queues/X', undefined, 404, 'queue-not-found'],
  ['GET', '/rest/no/such/path', undefined, 404, 'path-not-found'],
  ['GET', '/no/such/path', undefined, 404, 'path-not-found'],
  ['DELETE', '/rest/info', undefined, 405, 'method-not-allowed'],
  ['GET', '/rest/jobs?limit=x', undefined, 400, 'invalid-parameter'],
  ['POST', '/rest/jobs', { ...LIGHT, priority: 77 }, 400, 'invalid-body'],
  ['POST', '/rest/jobs', { ...LIGHT, pipelineName: 'NO SUCH' }, 400, 'pipeline-not-found'],
  [
    'POST',
    '/rest/jobs',
    { ...LIGHT, media: [{ mediaUri: 'file:///etc/passwd' }] },
    400,
    'media-outside-roots',
  ],
  ['POST', '/rest/jobs', { ...LIGHT, media: [{ mediaUri: 'x:y' }] }, 400, 'media-unusable'],
  ['POST', '/rest/jobs/987654/cancel', undefined, 400, 'job-not-found'],
  ['POST', '/rest/jobs/987654/resubmit', undefined, 400, 'job-not-found'],
  ['POST', '/rest/jobs/archiverepost', [987654], 500, 'archive-repost-failed'],
  ['DELETE', '/rest/jobs/987654', undefined, 404, 'job-not-found'],
  ['POST', '/rest/streaming/jobs/987654/cancel', undefined, 400, 'job-not-found'],
  ['POST', '/worker/v1/leases/x/release', undefined, 409, 'lease-lost'],
];

describe('Error answers', () => {
  let service: Service;
  before(async () => {
    service = await Service.here();
  });
  after(() => service.close());

  for (const [method, path, body, status, code] of REFUSED)
    it(`have a code and a link: ${method} ${path} ${code}`, async () => {
      const answer = await service.ask(method, path, body);
      const problem = answer.body as Problem;
      expect([answer.status, problem.code]).to.deep.equal([status, code]);
      expect(problem.message).to.match(/\w{3}/);
      expect(problem.help).to.equal(`${service.url}/docs/reference/rest-errors#${code}`);
    });

  it('have a code also without a token', async () => {
    for (const path of ['/rest/info', '/worker/v1/claim', '/metrics']) {
      const method = path.startsWith('/worker') ? 'POST' : 'GET';
      const response = await fetch(`${service.url}${path}`, { method });
      const { code, help } = (await response.json()) as Problem;
      expect([path, response.status, code]).to.deep.equal([path, 401, 'unauthorized']);
      expect(help).to.include('#unauthorized');
    }
  });

  it('link to a page that describes each code', async () => {
    const response = await fetch(`${service.url}/docs/reference/rest-errors`);
    const text = await response.text();
    expect(response.status).to.equal(200);
    for (const [code, { advice }] of Object.entries(ERROR_CODES)) {
      expect(text).to.include(code);
      expect(advice, code).to.match(/\.$/);
    }
  });

  it('have no body where the specification defines none', async () => {
    for (const path of [
      '/rest/jobs/987654',
      '/rest/jobs/x/output/detection',
      '/rest/streaming/jobs/987654',
    ]) {
      const { status, text } = await service.ask('GET', path);
      expect([path, status, text]).to.deep.equal([path, 400, '']);
    }
  });

  it('declare message, code and help in the OpenAPI document, or no body', () => {
    const bare = endpoints.flatMap((endpoint) =>
      Object.entries(answersOf(endpoint))
        .filter(([status, { content }]) => Number(status) >= 400 && content !== undefined)
        .filter(([, { content }]) => !hasMembers(content!.schema))
        .map(([status]) => `${endpoint.id} ${status}`),
    );
    expect(bare).to.deep.equal([]);
  });
});

function hasMembers(schema: unknown): boolean {
  const { shape = {}, options = [] } = schema as {
    shape?: Readonly<Record<string, unknown>>;
    options?: readonly unknown[];
  };
  if (options.length > 0) return options.every(hasMembers);
  return ['message', 'code', 'help'].every((name) => name in shape);
}
