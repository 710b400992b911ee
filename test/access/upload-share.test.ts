/** The upload limit of one user is below that of all users together. */
import { once } from 'node:events';
import { request, type ClientRequest } from 'node:http';
import { expect } from 'chai';
import { ServiceWithRoles, type Client } from '../support/roles.ts';
import { until } from '../support/until.ts';

const MOST_BYTES = 1_000;
const MOST = 8;
const REMEDY = 'Delete some of them, or wait until they expire.';

describe('Uploads of one user', () => {
  let roles: ServiceWithRoles;
  const open: ClientRequest[] = [];
  before(async () => {
    roles = await ServiceWithRoles.here({
      ...{ MAX_UPLOAD_BYTES: String(MOST_BYTES), MAX_UPLOADS_BYTES: String(MOST_BYTES) },
      MAX_UPLOADS: String(MOST),
    });
  });
  afterEach(async () => {
    for (const sending of open.splice(0)) sending.destroy();
    await until('nothing is under way', files, (names) => names.length === 0);
  });
  after(() => roles.close());

  const files = () => roles.service.files('uploads');
  const send = async (client: Client, bytes: number) => {
    const { status, body } = await roles.as(client, 'POST', '/rest/media', 'x'.repeat(bytes));
    const { id = '', message } = body as { id?: string; message?: string };
    return { status, message, id };
  };
  const remove = (client: Client, { id }: { id: string }) => roles.as(client, 'DELETE', `/rest/media/${id}`);

  /** Starts an upload with this announced size, and sends one byte. */
  async function begin(client: Client, bytes: number): Promise<void> {
    const before = (await files()).length;
    const headers = { authorization: `Bearer ${await roles.token(client)}`, 'content-length': bytes };
    const sending = request(`${roles.service.url}/rest/media`, { method: 'POST', agent: false, headers });
    sending.on('error', () => undefined);
    open.push(sending);
    sending.write('x');
    await until('it is under way', files, (names) => names.length === before + 1);
  }

  it('that are under way leave room for those of others', async () => {
    await begin('user', MOST_BYTES / 4);
    const more = await send('user', 1);
    expect([more.status, more.message]).to.deep.equal([
      413,
      `Your other uploads have 250 of the 250 bytes that one user may keep (a quarter of MAX_UPLOADS_BYTES). ${REMEDY}`,
    ]);
    const other = await send('colleague', MOST_BYTES / 4);
    expect(other.status).to.equal(201);
    await remove('colleague', other);
  });

  it('that announce too much are refused before a byte comes', async () => {
    const headers = { authorization: `Bearer ${await roles.token('user')}`, 'content-length': 251 };
    const sending = request(`${roles.service.url}/rest/media`, { method: 'POST', agent: false, headers });
    open.push(sending.on('error', () => undefined));
    sending.flushHeaders();
    const [answer] = (await once(sending, 'response')) as [{ statusCode: number }];
    expect(answer.statusCode).to.equal(413);
  });

  it('may be as many as the share of MAX_UPLOADS', async () => {
    const kept = [await send('user', 1), await send('user', 1)];
    const third = await send('user', 1);
    expect([third.status, third.message]).to.deep.equal([
      413,
      `You have 2 uploads, as many as one user may keep (a quarter of MAX_UPLOADS). ${REMEDY}`,
    ]);
    for (const one of kept) await remove('user', one);
    const again = await send('user', 1);
    expect(again.status).to.equal(201);
    await remove('user', again);
  });

  it('count after a restart as well', async () => {
    const kept = await send('user', 200);
    await roles.service.stop();
    await roles.service.startHere();
    expect((await send('user', 100)).status).to.equal(413);
    await remove('user', kept);
  });

  it('have no share of their own when the user is an ADMIN', async () => {
    const all = await send('admin', MOST_BYTES);
    expect(all.status).to.equal(201);
    expect((await send('user', 1)).status, 'nothing is left').to.equal(507);
    await remove('admin', all);
  });
});
