import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FetchLimits } from '../../../protocol/media-work.ts';
import { checkAddress, checkHost } from '../../../egress/http/addresses.ts';
import { retrieve } from '../../../media/fetch/fetch-medium.ts';
import { checkFileUri, shownUri } from '../../../media/fetch/file-uris.ts';
import { mediumError, scratchFolder } from '../support/samples.ts';

const PUBLIC = { allowPrivate: false, settings: 'the setting FETCH_PRIVATE' };
const ANY = { ...PUBLIC, allowPrivate: true };
let folder = '';
const inside = (...names: string[]): string => join(folder, 'media', ...names);
before(async () => {
  folder = await realpath(scratchFolder());
  await mkdir(inside('below'), { recursive: true });
  await mkdir(inside('data'));
  await mkdir(join(folder, 'media-beside'));
  await writeFile(inside('a b.txt'), 'hello');
  await writeFile(inside('data', 'own.db'), 'own');
  await writeFile(join(folder, 'secret'), 'secret');
  await writeFile(join(folder, 'media-beside', 'x'), 'x');
  await symlink(join(folder, 'secret'), inside('link-out'));
  await symlink(inside('a b.txt'), inside('below', 'link-in'));
  await symlink(folder, inside('below', 'up'));
});
after(() => rm(folder, { recursive: true, force: true }));

function limits(changed: Partial<FetchLimits> = {}): FetchLimits {
  const usual = {
    mediaRoots: [inside()],
    excluded: [inside('data')],
    maxBytes: 1_000_000,
    timeoutMs: 20_000,
    allowPrivate: true,
  };
  return { ...usual, ...changed };
}

describe('file: URIs of media', () => {
  const check = (uri: string): Promise<string> => checkFileUri(uri, [inside()], [inside('data')]);
  const refusalOf = async (uri: string): Promise<string> => {
    const { code, message } = await mediumError(check(uri));
    expect(code, uri).to.equal('MEDIA_INITIALIZATION');
    return message;
  };

  it('resolve to the real path of a file below a root', async () => {
    expect(await check(`file://${inside('a%20b.txt')}`)).to.equal(inside('a b.txt'));
    expect(await check(`file:${inside('a%20b.txt')}`)).to.equal(inside('a b.txt'));
    expect(await check(`file://localhost${inside('a%20b.txt')}`)).to.equal(inside('a b.txt'));
    expect(await check(`file://${inside('below', 'link-in')}`)).to.equal(inside('a b.txt'));
  });

  it('may lie in a root inside of the data folder, and in nothing else of it', async () => {
    const [roots, data] = [[inside(), inside('data', 'uploads')], [inside('data')]];
    await mkdir(inside('data', 'uploads', '1'), { recursive: true });
    await writeFile(inside('data', 'uploads', '1', 'medium'), 'text');
    await writeFile(inside('data', 'uploads-not'), 'text');
    const uploaded = inside('data', 'uploads', '1', 'medium');
    expect(await checkFileUri(`file://${uploaded}`, roots, data)).to.equal(uploaded);
    for (const path of [inside('data', 'uploads-not'), inside('data', 'uploads', '..', 'uploads-not')]) {
      const { message } = await mediumError(checkFileUri(`file://${path}`, roots, data));
      expect(message, path).to.include('in DATA_DIR');
    }
    // A folder as deep as the data folder is not inside it.
    const { message } = await mediumError(checkFileUri(`file://${uploaded}`, data, data));
    expect(message).to.include('in DATA_DIR');
  });

  it('are refused outside the roots, with the setting that changes that', async () => {
    const outside = [
      `file://${join(folder, 'secret')}`,
      `file://${inside()}/../secret`,
      `file://${inside()}/%2e%2e/secret`,
      `file://${inside('link-out')}`,
      `file://${inside('below', 'up', 'secret')}`,
      `file://${join(folder, 'media-beside', 'x')}`,
      'file:///dev/zero',
    ];
    for (const uri of outside) expect(await refusalOf(uri), uri).to.match(/MEDIA_ROOTS/);
  });

  it('do not tell whether a file outside the roots exists', async () => {
    const message = await refusalOf(`file://${join(folder, 'secret')}`);
    expect(await refusalOf(`file://${join(folder, 'no-such')}`)).to.equal(message);
    expect(await refusalOf('file:///no/such/folder/file')).to.equal(message);
    expect(await refusalOf(`file://${inside('below', 'up', 'no-such')}`)).to.equal(message);
  });

  it("are refused in the service's own data folder", async () => {
    expect(await refusalOf(`file://${inside('data', 'own.db')}`)).to.match(/in DATA_DIR/);
  });

  it('are refused when they are malformed or name another host', async () => {
    expect(await refusalOf(`file://elsewhere${inside('a%20b.txt')}`)).to.match(/this host/);
    expect(await refusalOf(`file://${inside()}/below%2flink-in`)).to.match(/malformed/);
    expect(await refusalOf(`file://${inside('a%00b')}`)).to.match(/malformed/);
    expect(await refusalOf(`file://${inside('a%20b.txt')}?x=1`)).to.match(/no query/);
    expect(await refusalOf(inside('a b.txt'))).to.match(
      /^URI scheme not defined: write file:\/\/\/\S+a%20b\.txt for the file of this path$/,
    );
    expect(await refusalOf('ftp://host/x')).to.equal('Unsupported URI scheme');
  });

  it('must name a readable regular file', async () => {
    expect(await refusalOf(`file://${inside('no-such')}`)).to.equal('File does not exist');
    expect(await refusalOf(`file://${inside('a%20b.txt')}/x`)).to.equal('File does not exist');
    expect(await refusalOf(`file://${inside('below')}`)).to.match(/regular file/);
  });

  it('must be readable', async function () {
    // Root may read every file.
    if (process.getuid?.() === 0) this.skip();
    await writeFile(inside('closed'), 'x');
    await chmod(inside('closed'), 0);
    expect(await refusalOf(`file://${inside('closed')}`)).to.equal('File is not readable');
  });
});

describe('URIs in messages', () => {
  it('show no secrets and no data', () => {
    expect(shownUri('https://user:pass@host/a/b.mp4?X-Amz-Signature=1234#x')).to.equal(
      'https://<hidden>@host/a/b.mp4?<hidden>',
    );
    expect(shownUri('data:image/png;base64,AAAA')).to.equal('data:image/png;base64,<truncated>');
    expect(shownUri(`data:${'x'.repeat(500)}`)).to.have.length.below(120);
    expect(shownUri('file:///media/a.mp4')).to.equal('file:///media/a.mp4');
  });

  it('show no part of a password that was not encoded', () => {
    for (const password of ['12/hunter2', 'a/hunter2', 'a?hunter2', 'a#hunter2', 'a@hunter2', 'a@b/hunter2'])
      expect(shownUri(`https://user:${password}@host/a.mp4`)).to.not.include('hunter2');
  });
});

describe('addresses that media are fetched from', () => {
  it('are public ones, and private ones only when that is allowed', () => {
    for (const address of ['93.184.216.34', '2606:2800:220:1::1']) checkAddress(address, PUBLIC);
    for (const address of [
      '127.0.0.1',
      '::1',
      '10.1.2.3',
      '192.168.0.1',
      '172.16.0.1',
      'fd12::1',
      '100.64.0.1',
      '::ffff:127.0.0.1',
    ]) {
      expect(() => checkAddress(address, PUBLIC), address).to.throw(/FETCH_PRIVATE/);
      checkAddress(address, ANY);
    }
  });

  it('are never link-local ones, cloud metadata or other special ones', () => {
    const never = [
      '169.254.169.254',
      '169.254.1.1',
      'fe80::1',
      '::ffff:169.254.169.254',
      '100.100.100.200',
      '168.63.129.16',
      'fd00:ec2::254',
      '0.0.0.0',
      '::',
      '224.0.0.1',
      '255.255.255.255',
      '64:ff9b::a9fe:a9fe',
      '2002:a9fe:a9fe::1',
      '::7f00:1',
      '198.18.0.1',
    ];
    for (const address of never)
      expect(() => checkAddress(address, ANY), address).to.throw(/never connected to/);
  });

  it('are checked in every notation of a URL', () => {
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '[::1]',
      '[::ffff:7f00:1]',
      '127.0.0.1.',
    ])
      expect(() => checkHost(new URL(`http://${host}/`), PUBLIC), host).to.throw();
  });
});

describe('fetching a medium', () => {
  type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;
  let server: Server;
  let base = '';
  const handlers = new Map<string, Handler>();
  const counts = new Map<string, number>();
  before(async () => {
    server = createServer((request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      const count = (counts.get(path) ?? 0) + 1;
      counts.set(path, count);
      const handler = handlers.get(path);
      if (handler === undefined) response.writeHead(404).end();
      else handler(request, response, count);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const target = (): string => inside('fetched');
  const fetch = async (
    uri: string,
    changed: Partial<FetchLimits> = {},
    signal = new AbortController().signal,
  ): Promise<string> => {
    await rm(target(), { force: true });
    return (await retrieve(uri, target(), limits(changed), signal, { backOffMs: 5 })).path;
  };
  const on = (path: string, handler: Handler): string => {
    handlers.set(path, handler);
    counts.delete(path);
    return base + path;
  };
  const failureOf = async (attempt: Promise<unknown>): Promise<string> => {
    const { code, message } = await mediumError(attempt);
    expect(code).to.equal('REMOTE_STORAGE_DOWNLOAD');
    expect(message).to.match(/^Error retrieving media and saving it to temp file: /);
    expect(existsSync(target()) || existsSync(`${target()}.part`), 'something was left behind').to.equal(
      false,
    );
    return message;
  };

  it('leaves a local file where it lies', async () => {
    expect(await fetch(`file://${inside('a%20b.txt')}`)).to.equal(inside('a b.txt'));
    expect((await mediumError(fetch(`file://${inside('link-out')}`))).code).to.equal('MEDIA_INITIALIZATION');
  });

  it('writes what the server answers, and only when it is whole', async () => {
    const body = Buffer.alloc(300_000, 7);
    const path = await fetch(on('/whole', (_, response) => response.end(body)));
    expect(path).to.equal(target());
    expect((await readFile(path)).equals(body)).to.equal(true);
    const cut: Handler = (_, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('half');
      response.socket?.end();
    };
    await failureOf(fetch(on('/cut', cut)));
    expect(counts.get('/cut')).to.equal(4);
  });

  it('tries again after 5xx and broken connections, and not after 404', async () => {
    const uri = on('/shaky', (_, response, count) => {
      if (count === 1) response.writeHead(500).end('no');
      else if (count === 2) response.socket?.destroy();
      else response.end('yes');
    });
    expect(await readFile(await fetch(uri), 'utf8')).to.equal('yes');
    expect(counts.get('/shaky')).to.equal(3);
    expect(await failureOf(fetch(on('/down', (_, response) => response.writeHead(503).end())))).to.match(
      /status 503/,
    );
    expect(counts.get('/down')).to.equal(4);
    expect(await failureOf(fetch(`${base}/absent?key=secret`)))
      .to.match(/status 404/)
      .and.not.to.match(/secret/);
    expect(counts.get('/absent')).to.equal(1);
  });

  it('says that nothing listens there', async () => {
    const port = (server.address() as AddressInfo).port;
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const free = (gone.address() as AddressInfo).port;
    await new Promise((resolve) => gone.close(resolve));
    expect(free).not.to.equal(port);
    expect(await failureOf(fetch(`http://127.0.0.1:${free}/x`))).to.match(/ECONNREFUSED/);
  });

  it('follows redirects, five at the most', async () => {
    const uri = on('/a', (_, response) => response.writeHead(302, { location: '/b' }).end());
    on('/b', (_, response) => response.end('there'));
    expect(await readFile(await fetch(uri), 'utf8')).to.equal('there');
    const round = on('/round', (_, response) => response.writeHead(302, { location: '/round' }).end());
    expect(await failureOf(fetch(round))).to.match(/more than 5 redirections/);
    expect(counts.get('/round')).to.equal(6);
  });

  it('follows no redirect to where it must not go', async () => {
    const to =
      (location: string): Handler =>
      (_, response) =>
        response.writeHead(302, { location }).end();
    for (const location of [
      'http://169.254.169.254/latest/meta-data/',
      'http://[fe80::1]/',
      'http://0xa9fea9fe/',
    ])
      expect(await failureOf(fetch(on('/lead', to(location))))).to.match(/never connected to/);
    for (const location of ['file:///etc/passwd', 'gopher://x/', 'http://'])
      await failureOf(fetch(on('/lead', to(location))));
  });

  it('goes to private addresses only when that is allowed, by number and by name', async () => {
    const port = new URL(base).port;
    handlers.set('/hit', (_, response) => response.end('hit'));
    counts.delete('/hit');
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]', '0x7f000001'])
      expect(await failureOf(fetch(`http://${host}:${port}/hit`, { allowPrivate: false })), host).to.match(
        /FETCH_PRIVATE/,
      );
    expect(counts.get('/hit')).to.equal(undefined);
    expect(await readFile(await fetch(`http://localhost:${port}/hit`), 'utf8')).to.equal('hit');
  });

  it('ends an endless answer at the limit', async () => {
    const endless: Handler = (_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    expect(await failureOf(fetch(on('/endless', endless)))).to.match(/larger than the 1000000 bytes/);
    const announceLength: Handler = (_, response) =>
      response.writeHead(200, { 'content-length': 2_000_000 }).end();
    expect(await failureOf(fetch(on('/announced', announceLength)))).to.match(/larger than/);
  });

  it('ends a slow answer at the time limit', async () => {
    const slow: Handler = (_, response) => {
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    };
    const began = Date.now();
    expect(await failureOf(fetch(on('/slow', slow), { timeoutMs: 300 }))).to.match(/longer than 0.3 s/);
    expect(Date.now() - began).to.be.at.least(250);
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    const uri = on('/hang', () => controller.abort(new Error('cancelled')));
    const outcome = await fetch(uri, {}, controller.signal).catch((error: unknown) => error);
    expect(outcome).to.have.property('message', 'cancelled');
  });

  it('sends the credentials of the URL to its own host and shows them to nobody', async () => {
    const seen: (string | undefined)[] = [];
    const uri = on('/private', (request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(403).end();
    }).replace('http://', 'http://me:my%20word@');
    const message = await failureOf(fetch(uri));
    expect(seen).to.deep.equal([`Basic ${Buffer.from('me:my word').toString('base64')}`]);
    expect(message).not.to.match(/word/);
  });

  it('sends a token only to the host of the URL, and only if the URL has no credentials', async () => {
    const seen: (string | undefined)[] = [];
    const take =
      (end: (response: ServerResponse) => void): Handler =>
      (request, response) => {
        seen.push(request.headers.authorization);
        end(response);
      };
    const elsewhere = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('there');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const other = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/x`;
    const uri = on(
      '/away',
      take((response) => response.writeHead(302, { location: other }).end()),
    );
    on(
      '/here',
      take((response) => response.writeHead(302, { location: '/away' }).end()),
    );
    const send = (to: string) =>
      retrieve(to, target(), limits(), new AbortController().signal, { bearer: 'a.b.c' });
    try {
      await send(uri.replace('/away', '/here'));
      expect(seen.splice(0)).to.deep.equal(['Bearer a.b.c', 'Bearer a.b.c', undefined]);
      await send(uri.replace('http://', 'http://me:word@'));
      expect(seen).to.deep.equal([`Basic ${Buffer.from('me:word').toString('base64')}`, undefined]);
    } finally {
      await new Promise((resolve) => elsewhere.close(resolve));
    }
  });

  it('decodes data: URIs within the limit', async () => {
    const cases = {
      'data:;base64,aGVsbG8=': 'hello',
      'data:,hi%20%C3%BC': 'hi ü',
      'data:text/plain;charset=utf-8;base64,aGVs%0AbG8%3D': 'hello',
    };
    for (const [uri, text] of Object.entries(cases))
      expect(await readFile(await fetch(uri), 'utf8')).to.equal(text);
    for (const uri of [
      'data:nothing',
      'data:;base64,*!',
      `data:,${'x'.repeat(11)}`,
      `data:;base64,${'A'.repeat(16)}`,
    ])
      expect((await mediumError(fetch(uri, { maxBytes: 10 }))).code, uri).to.equal('MEDIA_INITIALIZATION');
  });

  it('refuses other schemes', async () => {
    expect((await mediumError(fetch('ftp://host/x'))).message).to.equal('Unsupported URI scheme');
    expect((await mediumError(fetch('no scheme'))).message).to.equal('URI scheme not defined');
  });
});
