/** Agents of two users: the tools show exactly what the REST interface shows to the same user. */
import { ClientCredentialsProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TestProvider } from '../access/support/provider.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { settingsOf } from '../support/roles.ts';
import { until } from '../support/until.ts';
import { Agent, newClient, saidIn } from './agent.ts';

const SECRET = 'confidential';
const USERS = {
  anna: { sub: 'anna', groups: ['media-users'] },
  bob: { sub: 'bob', groups: ['media-users'] },
  admin: { sub: 'root', groups: ['media-admins'] },
} as const;
type Name = keyof typeof USERS;

describe('Agents of several users', () => {
  let provider: TestProvider;
  let service: Service;
  let job: string;
  let medium: number;
  const agents = {} as Record<Name, Agent>;
  const token = (user: Name) => provider.forge({ claims: USERS[user] });

  before(async () => {
    provider = await TestProvider.start();
    const settings = {
      ...settingsOf(provider),
      JOB_VISIBILITY: 'own',
      MCP_WRITE: 'true',
      USER_LIMITS: 'jobs=1',
    };
    service = await Service.here(settings, () => token('admin'));
    for (const user of Object.keys(USERS) as Name[])
      agents[user] = await Agent.overHttp(service.url, await token(user));
    const file = join(service.mediaDir, `${SECRET}.png`);
    copyFileSync(fileURLToPath(sampleUri('hello-world.png')), file);
    const { text } = await agents.anna.call('analyze', {
      media: [pathToFileURL(file).href],
      pipeline: 'LIGHT PIPELINE',
      properties: { CAPTION: SECRET },
    });
    job = /^Job (\S+): COMPLETE/.exec(text)?.[1] ?? text;
    await until('Anna finds her job', async () =>
      (await agents.anna.call('search', { query: SECRET })).text.includes(job),
    );
    const page = await agents.anna.call('job', { id: job });
    medium = Number(/^medium (\d+) /m.exec(page.text)?.[1]);
  });
  after(async () => {
    for (const agent of Object.values(agents)) await agent.close();
    await service.close();
    await provider.close();
  });

  const questions = (): readonly (readonly [string, object])[] => [
    ['search', { query: SECRET }],
    ['search', { medium: SECRET }],
    ['search', { job }],
    ['search', {}],
    ['job', {}],
    ['job', { id: job }],
    ['findings', { job, medium }],
    ['transcript', { job, medium }],
    ['frame', { job, medium, frame: 0 }],
  ];

  it('show a job to its owner and to an ADMIN', async () => {
    for (const user of ['anna', 'admin'] as const)
      for (const [name, args] of questions()) {
        const { isError, text } = await agents[user].call(name, { ...args });
        expect(isError, `${user}: ${name}: ${text}`).to.equal(false);
        expect(text, `${user}: ${name}`).to.include(SECRET);
      }
  });

  it('show nothing of it to another user, as if it did not exist', async () => {
    for (const [name, args] of questions()) {
      const { text, pictures } = await agents.bob.call(name, { ...args });
      expect(text.replaceAll(JSON.stringify(SECRET), ''), name).to.not.include(SECRET);
      expect(pictures, name).to.have.length(0);
      if (!('job' in args) && !('id' in args)) continue;
      const other = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, value === job ? 'test-host-99999' : value])); // oxfmt-ignore
      const unknown = await agents.bob.call(name, other);
      expect(text.replaceAll(job, 'ID'), name).to.equal(unknown.text.replaceAll('test-host-99999', 'ID'));
    }
  });

  it('do not cancel a job of another user', async () => {
    const { isError } = await agents.bob.call('cancel', { id: job });
    expect(isError).to.equal(true);
  });

  it('are refused what REST refuses, with its reason', async () => {
    const { isError, text } = await agents.anna.call('analyze', {
      media: ['file:///etc/passwd'],
      pipeline: 'LIGHT PIPELINE',
    });
    expect([isError, /MEDIA_ROOTS|folder/.test(text)], text).to.deep.equal([true, true]);
  });

  it('appear in the audit trail under their users', async () => {
    const { body } = await service.ask('GET', '/rest/audit?path=/rest/jobs&user=anna');
    const { entries } = body as {
      entries: readonly { path: string; user: string; ip: string; status: number }[];
    };
    expect(entries.map(({ path }) => path)).to.include('/rest/jobs');
    expect(entries[0]).to.include({ user: 'anna' });
    expect(entries[0]!.ip).to.match(/127\.0\.0\.1$/);
  });

  it('find the provider by the metadata of the resource', async () => {
    const refused = await fetch(`${service.url}/mcp`, { method: 'POST', body: '{}' });
    expect(refused.status).to.equal(401);
    const address = `${service.url}/.well-known/oauth-protected-resource`;
    expect(refused.headers.get('www-authenticate')).to.equal(`Bearer resource_metadata="${address}"`);
    for (const path of [address, `${address}/mcp`]) {
      const answer = await fetch(path);
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
      expect(await answer.json()).to.deep.include({
        resource: `${service.url}/mcp`,
        authorization_servers: [provider.issuer],
      });
    }
  });

  it('log in at the provider by themselves', async () => {
    const authProvider = new ClientCredentialsProvider({
      clientId: 'user',
      clientSecret: 'secret of user',
      expectedIssuer: provider.issuer,
    });
    const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { authProvider });
    const client = newClient();
    await client.connect(transport);
    const { text } = saidIn(await client.callTool({ name: 'job', arguments: {} }));
    expect(text).to.equal('There are no such jobs.');
    await client.close();
  });

  it('need a role', async () => {
    const stranger = await provider.forge({ claims: { sub: 'eve', groups: ['staff'] } });
    const answer = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stranger}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).to.equal(403);
  });
});
