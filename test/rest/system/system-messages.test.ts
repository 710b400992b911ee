/** System messages: specification 2.5 and 4.5. */
import { expect } from 'chai';
import type { ErrorCode } from '../../../http/routing/error-codes.ts';
import { errorMembers } from '../../../http/routing/errors.ts';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { join } from 'node:path';
import { ServiceWithRoles, type Client } from '../../support/roles.ts';
import { sampleUri, type Service, withoutRedis } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

interface Message {
  readonly id: number;
  readonly msg: string;
  readonly datePosted: string;
  readonly msgType: string;
  readonly removeStrategy: string;
  readonly severity: string;
}

const ADDED = { responseCode: 0, message: 'Successfully added the system message.' };
const DELETED = { responseCode: 0, message: 'Successfully deleted the system message.' };

describe('System messages (specification 4.5)', () => {
  let roles: ServiceWithRoles;
  let service: Service;
  before(async () => {
    roles = await ServiceWithRoles.here({ MAX_SYSTEM_MESSAGES: '6' });
    service = roles.service;
  });
  after(() => roles.close());
  beforeEach(async () => {
    for (const { id } of await list()) await service.ask('DELETE', `/rest/system-message/${id}`);
  });

  const refusal = (code: ErrorCode, message: string) => ({
    responseCode: 1,
    ...errorMembers(code, message, `${service.url}/docs`),
  });
  const list = async (path = '') =>
    (await service.ask('GET', `/rest/system-message${path}`)).body as readonly Message[];
  const post = (text: unknown, query = '') =>
    service.ask('POST', `/rest/system-message${query}`, JSON.stringify(text));

  it('are posted by a string, with defaults for all else, and listed with their id and date', async () => {
    const before = Date.now();
    const { status, body } = await post('Hello "world" ☃');
    expect([status, body]).to.deep.equal([201, ADDED]);
    const [message, ...others] = await list();
    expect(others).to.deep.equal([]);
    const { id, datePosted, ...rest } = message!;
    expect(rest).to.deep.equal({
      msg: 'Hello "world" ☃',
      msgEnum: null,
      msgType: 'all',
      removeStrategy: 'manual',
      severity: 'info',
    });
    expect(id).to.be.greaterThan(0);
    expect(Date.parse(datePosted)).to.be.within(before - 1_000, Date.now() + 1_000);
  });

  it('may be posted as a plain text, which stands for itself', async () => {
    for (const [type, text] of [
      ['text/plain', 'The server goes down at "noon" ☃'],
      ['text/plain; charset=utf-8', '"in quotes"'],
    ] as const) {
      const { status, body } = await service.ask('POST', '/rest/system-message?severity=warning', text, {
        'content-type': type,
      });
      expect([status, body]).to.deep.equal([201, ADDED]);
      expect((await list()).at(-1)).to.include({ msg: text, severity: 'warning' });
    }
    const blank = await service.ask('POST', '/rest/system-message', ' ', { 'content-type': 'text/plain' });
    expect([blank.status, blank.body]).to.deep.equal([
      400,
      refusal('invalid-body', 'The message must not be blank.'),
    ]);
    const none = await service.ask('POST', '/rest/system-message', 'no JSON');
    expect([none.status, (none.body as { responseCode: number }).responseCode]).to.deep.equal([400, 1]);
  });

  it('are listed in the order in which they were posted, all or of one type', async () => {
    await post('for all');
    await post('for admins', '?msgType=admin&severity=warning');
    await post('for whoever logs in', '?msgType=login&severity=error');
    await post('for admins, too', '?msgType=admin&removeStrategy=atServerStartup');
    const texts = async (filter: string) => (await list(`/type/${filter}`)).map(({ msg }) => msg);
    expect(await texts('all')).to.deep.equal((await list()).map(({ msg }) => msg));
    expect(await texts('all')).to.have.lengthOf(4);
    expect(await texts('admin')).to.deep.equal(['for admins', 'for admins, too']);
    expect(await texts('login')).to.deep.equal(['for whoever logs in']);
    expect((await service.ask('GET', '/rest/system-message/type/nobody')).status).to.equal(400);
  });

  it('take an unknown msgType for all and an unknown removeStrategy for manual', async () => {
    expect((await post('text', '?msgType=everyone&removeStrategy=never')).status).to.equal(201);
    const [{ msgType, removeStrategy }] = (await list()) as [Message];
    expect([msgType, removeStrategy]).to.deep.equal(['all', 'manual']);
  });

  for (const [what, text, query] of [
    ['no string', { msg: 'text' }, ''],
    ['a number', 7, ''],
    ['blank', '  ', ''],
    ['too long', 'x'.repeat(10_001), ''],
    ['of an unknown severity', 'text', '?severity=fatal'],
    ['of two severities', 'text', '?severity=info&severity=error'],
  ] as const)
    it(`are refused with 400 and a CoreResponse when the message is ${what}`, async () => {
      const { status, body } = await post(text, query);
      expect([status, (body as { responseCode: number }).responseCode]).to.deep.equal([400, 1]);
      expect(await list()).to.deep.equal([]);
    });

  it('are refused with 400 when there are as many as there may be', async () => {
    for (let n = 1; n <= 6; n++) expect((await post(`message ${n}`)).status).to.equal(201);
    const { status, body } = await post('one too many');
    expect([status, body]).to.deep.equal([
      400,
      refusal(
        'too-many-system-messages',
        'There are 6 system messages, which is all there may be. Delete some first.',
      ),
    ]);
    expect(await list()).to.have.lengthOf(6);
  });

  it('are deleted by their id; to delete what is not there is no error', async () => {
    await post('one');
    await post('two');
    const [one, two] = await list();
    for (let times = 0; times < 2; times++) {
      const { status, body } = await service.ask('DELETE', `/rest/system-message/${one!.id}`);
      expect([status, body]).to.deep.equal([200, DELETED]);
    }
    expect(await list()).to.deep.equal([two]);
    expect((await service.ask('DELETE', '/rest/system-message/9007199254740991')).status).to.equal(200);
    for (const id of ['0', '-1', 'x', '1.5', '99999999999999999999'])
      expect([id, (await service.ask('DELETE', `/rest/system-message/${id}`)).status]).to.deep.equal([
        id,
        400,
      ]);
  });

  it('are read by every user, but posted and deleted by an ADMIN only', async () => {
    await post('one');
    const [{ id }] = (await list()) as [Message];
    expect((await roles.as('user', 'GET', '/rest/system-message')).status).to.equal(200);
    expect((await roles.as('nobody', 'GET', '/rest/system-message')).status).to.equal(403);
    const posted = await roles.as('user', 'POST', '/rest/system-message', '"two"');
    expect([posted.status, posted.body]).to.deep.equal([
      403,
      refusal('role-required', 'Only admins can add system messages.'),
    ]);
    const deleted = await roles.as('user', 'DELETE', `/rest/system-message/${id}`);
    expect([deleted.status, deleted.body]).to.deep.equal([
      403,
      refusal('role-required', 'Only admins can delete system messages.'),
    ]);
    expect(await list()).to.have.lengthOf(1);
  });

  it('shows messages of the type admin to an ADMIN only', async () => {
    for (const type of ['all', 'login', 'admin']) await post(`for ${type}`, `?msgType=${type}`);
    const seenBy = async (client: Client, path = '') => {
      const { status, body } = await roles.as(client, 'GET', `/rest/system-message${path}`);
      return [status, ...(body as readonly Message[]).map(({ msg }) => msg)];
    };
    for (const path of ['', '/type/all']) {
      expect(await seenBy('user', path)).to.deep.equal([200, 'for all', 'for login']);
      expect(await seenBy('admin', path)).to.deep.equal([200, 'for all', 'for login', 'for admin']);
    }
    expect(await seenBy('user', '/type/admin')).to.deep.equal([200]);
    expect(await seenBy('user', '/type/login')).to.deep.equal([200, 'for login']);
    expect(await seenBy('admin', '/type/admin')).to.deep.equal([200, 'for admin']);
  });

  it('tell the administrators of a job that cannot be read any more', async function () {
    withoutRedis.call(this);
    const id = await service.submit({ media: [sampleUri('astronaut.png')], pipelineName: 'ABSENT PIPELINE' });
    const number = id.slice(id.lastIndexOf('-') + 1);
    await service.stop();
    await spoil(service, number);
    await service.startHere();
    const [message] = await until(
      'a system message tells of it',
      () => list('/type/admin'),
      (seen) => seen.length > 0,
    );
    expect(message).to.include({ severity: 'error', removeStrategy: 'manual', msgType: 'admin' });
    expect(message!.msg).to.include(`${BATCH_JOB} ${number} cannot be read and was moved to quarantine`);
  });
});

/** Overwrites the snapshot of a job with invalid data. */
async function spoil({ dataDir }: Service, id: string): Promise<void> {
  const store = new SqliteStore(join(dataDir, 'troupe.db'));
  const actor = { kind: BATCH_JOB, id };
  const { version, owner, snapshot } = (await store.load(actor))!;
  await store.commit({
    actor,
    expected: version,
    owner,
    snapshot: { ...snapshot, body: { state: 'nonsense' } },
  });
  await store.close();
}
