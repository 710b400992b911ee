/** Uploads in parts (an extension): received data is kept when the connection breaks. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request, type ClientRequest } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { AUDIENCE, TestProvider } from '../../access/support/provider.ts';
import { sampleUri, Service, tracksOf } from '../../support/processes/service.ts';
import { settingsOf } from '../../support/roles.ts';
import { until } from '../../support/until.ts';

interface PieceUpload {
  readonly id: string;
  readonly bytes: number;
  readonly received: number;
  readonly mediaUri: string | null;
  readonly expires: string;
}
const DAY_MS = 86_400_000;
const LIMIT = 1_000_000;

describe('An upload in pieces', () => {
  let service: Service;
  let picture: Buffer;
  before(async () => {
    service = new Service({
      MAX_UPLOAD_BYTES: String(LIMIT),
      MAX_UPLOADS: '3',
      MAX_UPLOADS_BYTES: String(LIMIT),
    });
    await service.startHere();
    picture = await readFile(fileURLToPath(sampleUri('hello-world.png')));
  });
  after(() => service.close());

  const begin = async (bytes: number, name = 'a.bin') =>
    (await service.ask('POST', '/rest/media/pieces', { name, bytes })).body as PieceUpload;
  const put = async (id: string, offset: number, body: Buffer | string) => {
    const response = await fetch(`${service.url}/rest/media/${id}/pieces?offset=${offset}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(Buffer.from(body)),
    });
    return { status: response.status, body: (await response.json()) as PieceUpload & { message?: string } };
  };
  const look = async (id: string) =>
    (await service.ask('GET', `/rest/media/${id}/pieces`)).body as PieceUpload;
  const remove = async (id: string) => (await service.ask('DELETE', `/rest/media/${id}`)).status;
  /** Starts a part of an upload and sends only some of its bytes. */
  const sendPart = (id: string, part: string, length: number): ClientRequest => {
    const sending = request(`${service.url}/rest/media/${id}/pieces?offset=0`, {
      method: 'PUT',
      agent: false,
      headers: { authorization: `Bearer ${service.token}`, 'content-length': length },
    });
    sending.on('error', () => undefined);
    sending.write(part);
    return sending;
  };
  const receivedOf = (id: string, bytes: number) =>
    until(
      'the part is there',
      () => look(id),
      ({ received }) => received === bytes,
    );

  it('is a medium for jobs when all pieces are there', async () => {
    const half = Math.floor(picture.length / 2);
    const begun = await begin(picture.length, 'hello.png');
    expect(begun).to.include({ received: 0, bytes: picture.length, mediaUri: null });
    expect(Date.parse(begun.expires) - Date.now()).to.be.within(DAY_MS - 60_000, DAY_MS);
    const first = await put(begun.id, 0, picture.subarray(0, half));
    expect([first.status, first.body.received, first.body.mediaUri]).to.deep.equal([200, half, null]);
    const last = await put(begun.id, half, picture.subarray(half));
    expect(last.body.received).to.equal(picture.length);
    expect(await look(begun.id)).to.deep.equal(last.body);
    const document = await service.run({ media: [last.body.mediaUri!], pipelineName: 'LIGHT PIPELINE' });
    expect(tracksOf(document.media[0], 'LIGHT')).to.have.lengthOf(1);
    expect(await remove(begun.id)).to.equal(204);
    expect(existsSync(fileURLToPath(last.body.mediaUri!))).to.equal(false);
  });

  it('keeps what came before its connection broke, and says where to continue', async () => {
    const { id } = await begin(10);
    const sending = sendPart(id, '0123', 10);
    await receivedOf(id, 4);
    sending.destroy();
    const wrong = await put(id, 0, '0123456789');
    expect([wrong.status, wrong.body.message]).to.deep.equal([
      409,
      `The upload ${id} has 4 bytes. Send the next piece with offset=4.`,
    ]);
    const { body } = await put(id, 4, '456789');
    expect((await readFile(fileURLToPath(body.mediaUri!))).toString()).to.equal('0123456789');
    await remove(id);
  });

  it('ends a sender that is still open when another one continues', async () => {
    const { id } = await begin(10);
    const sending = sendPart(id, '0123', 10);
    const ended = new Promise((resolve) => sending.once('close', resolve));
    await receivedOf(id, 4);
    expect((await put(id, 4, '456789')).body.received).to.equal(10);
    await ended;
    await remove(id);
  });

  it('is refused where a piece ends behind the bytes that were announced', async () => {
    const { id } = await begin(4);
    expect((await put(id, 0, '01234')).status).to.equal(413);
    expect((await look(id)).mediaUri).to.equal(null);
    await remove(id);
    expect((await put(id, 0, '0123')).status).to.equal(404);
  });

  it('counts with all its bytes from the start, and gives them back when it is deleted', async () => {
    const { id } = await begin(LIMIT - 10);
    const { status } = await service.ask('POST', '/rest/media/pieces', { bytes: 11 });
    expect(status).to.equal(507);
    expect(await remove(id)).to.equal(204);
    const other = await begin(11);
    expect(other.received).to.equal(0);
    await remove(other.id);
    expect((await service.ask('POST', '/rest/media/pieces', { bytes: LIMIT + 1 })).status).to.equal(413);
  });

  it('continues after a restart of the server', async () => {
    const { id } = await begin(10, 'long.bin');
    await put(id, 0, '01234');
    await service.stop();
    await service.startHere();
    expect(await look(id)).to.include({ received: 5, bytes: 10 });
    const { body } = await put(id, 5, '56789');
    expect(body.mediaUri).to.match(/\/long\.bin$/);
    await remove(id);
  });
});

describe('An upload in pieces of a user', () => {
  it('is for nobody else to see or continue', async () => {
    const provider = await TestProvider.start();
    const service = await Service.here(settingsOf(provider), () => provider.token('admin'));
    const as = async (sub: string) => ({
      authorization: `Bearer ${await provider.forge({ claims: { aud: AUDIENCE, sub, groups: ['media-users'] } })}`,
    });
    const [alice, bob] = [await as('alice'), await as('bob')];
    const begun = await service.ask('POST', '/rest/media/pieces', { bytes: 4 }, alice);
    const path = `/rest/media/${(begun.body as PieceUpload).id}/pieces`;
    expect((await service.ask('GET', path, undefined, bob)).status).to.equal(403);
    expect((await service.ask('PUT', `${path}?offset=0`, 'abcd', bob)).status).to.equal(403);
    expect((await service.ask('GET', path, undefined, alice)).status).to.equal(200);
    expect((await service.ask('GET', path)).status).to.equal(200);
    await service.close();
    await provider.close();
  });
});
