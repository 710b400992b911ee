/** Unknown members of request bodies: reported with a similar known name, or refused with STRICT_REQUESTS. */
import { expect } from 'chai';
import { sampleUri, Service } from '../../support/processes/service.ts';

const LIGHT = { media: [{ mediaUri: sampleUri('hello-world.png') }], pipelineName: 'LIGHT PIPELINE' };
const CALLBACK = 'callbackUrl is not a member of a job. Did you mean callbackURL?';

interface Created {
  readonly coreResponse: { readonly responseCode: number; readonly message: string | null };
  readonly code?: string;
}

describe('Unknown members of a request', () => {
  let service: Service;
  before(async () => {
    service = await Service.here();
  });
  after(() => service.close());
  const ask = async (path: string, body: unknown) => {
    const answer = await service.ask('POST', path, body);
    return { ...answer, body: answer.body as Created };
  };

  it('are reported by the answer of a job, which is created', async () => {
    const body = {
      ...LIGHT,
      callbackUrl: 'http://x',
      media: [{ ...LIGHT.media[0], metadat: {}, properties: { NO_MEMBER: 'x' } }],
      jobProperties: { ANY_NAME: 'x' },
    };
    const created = await ask('/rest/jobs', body);
    expect([created.status, created.body.coreResponse.responseCode]).to.deep.equal([201, 2]);
    const lines = created.body.coreResponse.message!.split('\n');
    expect(lines).to.include(CALLBACK);
    expect(lines).to.include('media[0].metadat is not a member of a job. Did you mean metadata?');
    expect(lines.filter((line) => line.includes('is not a member'))).to.have.length(2);
    const plan = await ask('/rest/jobs?dryRun=true', body);
    expect(plan.body.coreResponse.message).to.include(CALLBACK);
  });

  it('are at most 20 lines', async () => {
    const more = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`unknown${n}`, n]));
    const { status, body } = await ask('/rest/jobs', { ...LIGHT, ...more });
    expect([status, body.coreResponse.message!.split('\n').length]).to.deep.equal([201, 20]);
  });

  it('are reported in headers by what else is created', async () => {
    const task = { name: 'X', description: 'd', actions: ['LIGHT ACTION'], action: [] };
    const { status, headers } = await service.ask('POST', '/rest/tasks', task);
    expect([status, headers.get('warning')]).to.deep.equal([
      200,
      '299 - "action is not a member of a task. Did you mean actions?"',
    ]);
  });

  it('are refused with 400 with STRICT_REQUESTS=true, and nothing is stored', async () => {
    const strict = await Service.here({ STRICT_REQUESTS: 'true' });
    try {
      const { status, body } = await strict.ask('POST', '/rest/jobs', { ...LIGHT, callbackUrl: 'http://x' });
      const { code, coreResponse } = body as Created;
      expect([status, code]).to.deep.equal([400, 'unknown-member']);
      expect(coreResponse.message).to.include(CALLBACK);
      expect((await strict.ask('POST', '/rest/jobs', LIGHT)).status).to.equal(201);
      const list = (await strict.ask('GET', '/rest/jobs')).body as { jobs: unknown[] };
      expect(list.jobs).to.have.length(1);
    } finally {
      await strict.close();
    }
  });
});

describe('A misspelt name', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  it('gets a suggestion in a job', async () => {
    const { body } = await service.ask('POST', '/rest/jobs', { ...LIGHT, pipelineName: 'LIHGT PIPELINE' });
    expect((body as Created).coreResponse.message).to.equal(
      'Failure creating job. No pipeline named: LIHGT PIPELINE. Did you mean LIGHT PIPELINE?',
    );
    const pipelineDefinition = { pipeline: ['LIGTH TASK'] };
    const other = await service.ask('POST', '/rest/jobs', { media: LIGHT.media, pipelineDefinition });
    expect((other.body as Created).coreResponse.message).to.include(
      'The following tasks are missing: LIGTH TASK. Did you mean LIGHT TASK instead of LIGTH TASK?',
    );
  });

  for (const [path, meant] of [
    ['pipelines/LIHGT%20PIPELINE', 'LIGHT PIPELINE'],
    ['tasks/LIHGT%20TASK', 'LIGHT TASK'],
    ['actions/LIHGT%20ACTION', 'LIGHT ACTION'],
    ['algorithms/LIHGT', 'LIGHT'],
    ['queues/TROUPE.DETECTION_LIHGT_REQUEST', 'TROUPE.DETECTION_LIGHT_REQUEST'],
  ] as const)
    it(`gets a suggestion at /rest/${path}`, async () => {
      const { status, body } = await service.ask('GET', `/rest/${path}`);
      expect(status).to.equal(404);
      expect((body as { message: string }).message).to.match(new RegExp(`Did you mean ${meant}\\?$`));
    });

  it('gets a suggestion when a component is removed', async () => {
    const { status, body } = await service.ask('DELETE', '/rest/components/TestLigth');
    expect(status).to.equal(404);
    expect((body as { message: string }).message).to.include('Did you mean TestLight?');
  });
});
