/** Agents that create and cancel jobs (MCP_WRITE). */
import { expect } from 'chai';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeVideo } from '../media/support/make-video.ts';
import { pathToFileURL } from 'node:url';
import { heldJob } from '../support/held-job.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { Agent, saidIn } from './agent.ts';

describe('With MCP_WRITE=true, an agent', () => {
  let service: Service;
  let video: string;
  before(async () => {
    service = await Service.here({ MCP_WRITE: 'true' });
    const file = join(service.mediaDir, 'short.mp4');
    makeVideo(file, { frames: 10 });
    video = pathToFileURL(file).href;
  });
  after(() => service.close());

  const withAgent = async (era: 'legacy' | 'auto', work: (agent: Agent) => Promise<void>) => {
    const agent = await Agent.overHttp(service.url, service.token, era);
    try {
      await work(agent);
    } finally {
      await agent.close();
    }
  };

  it('sees which tools change something', () =>
    withAgent('legacy', async ({ client }) => {
      const { tools } = await client.listTools();
      const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
      expect(tools).to.have.length(8);
      expect(writing.map(({ name, annotations }) => [name, annotations?.destructiveHint])).to.deep.equal([
        ['analyze', false],
        ['cancel', true],
      ]);
    }));

  it('lists the pipelines', () =>
    withAgent('legacy', async (agent) => {
      const { text } = await agent.call('analyze');
      expect(text)
        .to.match(/^"LIGHT PIPELINE": /m)
        .and.to.match(/^"FACE DETECTION PIPELINE": /m);
    }));

  it('analyzes a picture and reads what was found', () =>
    withAgent('auto', async (agent) => {
      const args = { media: [sampleUri('hello-world.png')], pipeline: 'TEXT DETECTION PIPELINE', wait: 50 };
      const { text } = await agent.call('analyze', args);
      const id = /^Job (\S+): COMPLETE,/.exec(text)?.[1];
      expect(id, text).to.be.a('string');
      expect((await agent.call('transcript', { job: id })).text).to.include('"Hello, World!"');
    }));

  it('is told which pipeline it may have meant', () =>
    withAgent('legacy', async (agent) => {
      const args = { media: [sampleUri('hello-world.png')], pipeline: 'LIGTH PIPELINE' };
      const { isError, text } = await agent.call('analyze', args);
      expect(isError).to.equal(true);
      expect(text).to.include('LIGTH PIPELINE');
    }));

  for (const era of ['legacy', 'auto'] as const)
    it(`gets progress when it asks for it, in the mode ${era}`, () =>
      withAgent(era, async ({ client }) => {
        const go = join(service.mediaDir, `${era}.go`);
        const seen: number[] = [];
        const result = await client.callTool(
          {
            name: 'analyze',
            arguments: {
              media: [video],
              pipeline: 'STAGED PIPELINE',
              properties: { HOLD_FROM: '0', HOLD_FILE: go },
              wait: 30,
            },
          },
          {
            onprogress({ progress, total, message }) {
              seen.push(progress);
              expect([total, message?.startsWith('Job test-host-')]).to.deep.equal([100, true]);
              if (!existsSync(go)) writeFileSync(go, '');
            },
          },
        );
        expect(saidIn(result).text).to.match(/^Job \S+: COMPLETE,/);
        expect(seen.length).to.be.greaterThan(0);
        expect(seen).to.deep.equal(seen.toSorted((a, b) => a - b));
      }));

  it('does not wait longer than it wants, and cancels the job', () =>
    withAgent('legacy', async (agent) => {
      const { job } = await heldJob(service, 'held.mp4');
      await until('the job runs', async () => (await service.job(job))?.jobStatus === 'IN_PROGRESS');
      const shown = await agent.call('job', { id: job });
      expect(shown.text).to.match(/^Job \S+: IN_PROGRESS, \d+ %/);
      const cancelled = await agent.call('cancel', { id: job });
      expect([cancelled.isError, cancelled.text.split('\n')[0]]).to.deep.equal([
        false,
        `Job ${job} is being cancelled.`,
      ]);
      expect((await service.terminal(job)).jobStatus).to.equal('CANCELLED');
      const again = await agent.call('cancel', { id: job });
      expect([again.isError, again.text.includes(job)], again.text).to.deep.equal([true, true]);
    }));

  it('that leaves while it waits does not end the job', async () => {
    const agent = await Agent.overHttp(service.url, service.token);
    const go = join(service.mediaDir, 'left.go');
    const args = {
      media: [video],
      pipeline: 'STAGED PIPELINE',
      labels: ['left'],
      properties: { HOLD_FROM: '0', HOLD_FILE: go },
      wait: 600,
    };
    const asked = agent.call('analyze', args).catch(() => 'left');
    const created = async () => {
      const { body } = await service.ask('GET', '/rest/jobs?label=left');
      return (body as { jobs: readonly { jobId: string }[] }).jobs[0]?.jobId;
    };
    const id = (await until('the job is created', created))!;
    await agent.close();
    await asked;
    writeFileSync(go, '');
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(service.log('a tool of /mcp failed')).to.deep.equal([]);
  });
});
