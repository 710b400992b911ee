/** `troupe mcp` with a service that is stopped and started. */
import { expect } from 'chai';
import { Service, withoutRedis } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { Agent } from './agent.ts';

describe('troupe mcp', function () {
  this.timeout(60_000);
  let service: Service;
  before(withoutRedis);
  before(() => (service = new Service()));
  after(() => service.close());

  it('finds a service that starts after it, also at another address', async () => {
    const agent = await Agent.overTool({ DATA_DIR: service.dataDir });
    try {
      const early = await agent.call('job');
      expect([early.isError, early.text.includes('troupe serve')], early.text).to.deep.equal([true, true]);
      for (let n = 0; n < 2; n++) {
        await service.startHere();
        const { isError, text } = await agent.call('job');
        expect([isError, text]).to.deep.equal([false, 'There are no such jobs.']);
        await service.stop();
      }
    } finally {
      await agent.close();
    }
  });

  it('offers tools that write only with --write', async () => {
    const names = async (...args: readonly string[]) => {
      const agent = await Agent.overTool({ DATA_DIR: service.dataDir }, args);
      const { tools } = await agent.client.listTools();
      await agent.close();
      return tools.map(({ name }) => name);
    };
    expect(await names()).to.not.include('analyze');
    expect(await names('--write')).to.include.members(['analyze', 'cancel']);
  });

  it('ends when its client has left', async () => {
    const agent = await Agent.overTool({ DATA_DIR: service.dataDir });
    const { pid } = agent;
    process.kill(pid, 0);
    await agent.close();
    await until('the process has ended', () => !isAlive(pid));
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
