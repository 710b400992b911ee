import { expect } from 'chai';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { accessUnits, jpegOf, transportStream } from '../../support/media/coded-media.ts';
import { type RtspBehaviour, type RtspServer } from '../../support/servers/rtsp-server.ts';
import { multipart, streamServer, type StreamAnswer } from '../../support/servers/stream-server.ts';
import { shownUri } from '../../../media/fetch/file-uris.ts';
import { closeServers, http, keep, rtsp as rtspOf, smallClip, watch, withLogin } from './live-watching.ts';
import { sample, scratchFolder } from '../support/samples.ts';

/** The second is an MP4 file with its index at the end. */
const SOUNDS = ['green.wav', 'video_02_audio_only.mp4', 'silence.mp3', 'amrnb.amr'];
const folder = scratchFolder();
const file = smallClip(folder);
const whole = accessUnits(file);
/** Up to the third I-frame: two seconds are enough to show that a stream opened. */
const clip = { ...whole, units: whole.units.slice(0, 50) };
const stream = transportStream(file);
const rtsp = (of: (connection: number) => Partial<RtspBehaviour>): Promise<RtspServer> => rtspOf(clip, of);
/** `isLong`: includes larger variations and other values of the same cases. */
export function liveFaults({ isLong }: { readonly isLong: boolean }): void {
  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(closeServers);

  const page = (type: string, body: string): StreamAnswer => ({
    headers: { 'content-type': type },
    pieces: [{ dueMs: 0, data: Buffer.from(body) }],
  });
  describe('a live stream that cannot be opened says why', () => {
    const fault = async (uri: string, options = {}): Promise<string> => {
      const { end, frames } = await watch(uri, options);
      expect(frames).to.have.length(0);
      expect(end.reason).to.equal('failed');
      return `${end.fault}: ${end.detail}`;
    };

    for (const scheme of ['rtsp', 'http'])
      it(`over ${scheme}: unknown host, refused port, silent server, forbidden address`, async () => {
        if (isLong || scheme === 'rtsp') {
          expect(await fault(`${scheme}://camera.invalid/x`)).to.match(/^UNREACHABLE: The (host|name)/);
          expect(await fault(`${scheme}://127.0.0.1:1/x`)).to.equal(
            'UNREACHABLE: The host of the stream refuses connections at this port (ECONNREFUSED).',
          );
        }
        const silent = createServer(() => undefined);
        await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
        const { port } = silent.address() as AddressInfo;
        expect(await fault(`${scheme}://127.0.0.1:${port}/x`, { connectMs: 200 })).to.match(/answer in time/);
        silent.close();
        const refused =
          'FORBIDDEN: The stream cannot be opened: the address is in a private network, which the setting FETCH_PRIVATE can permit.';
        for (const host of isLong ? ['127.0.0.1:9', 'localhost:9', '127.1:9', '[::1]:9'] : ['localhost:9'])
          expect(await fault(`${scheme}://${host}/x`, { allowPrivate: false }), host).to.equal(refused);
        expect(await fault(`${scheme}://169.254.169.254/x`)).to.match(/^FORBIDDEN: .* never connected to\.$/);
      });

    it('over HTTP: web page, playlist, status, other bytes, sound alone', async () => {
      const answers: readonly (readonly [StreamAnswer, RegExp])[] = [
        [page('text/html; charset=utf-8', '<p>Camera</p>'), /^NOT_VIDEO: .* web page/],
        [page('video/mp2t', '<!doctype html><p>Camera</p>'), /^NOT_VIDEO: .* web page/],
        [page('application/vnd.apple.mpegurl', '#EXTM3U'), /^NOT_VIDEO: .* names no segments/],
        [page('application/octet-stream', '#EXTM3U\n#EXT'), /^NOT_VIDEO: .* names no segments/],
        [
          page('application/dash+xml', '<MPD/>'),
          /^REFUSED: The playlist of the stream cannot be read: it names no stream/,
        ],
        [{ ...page('video/mp2t', ''), status: 404 }, /^REFUSED: .* status 404/],
        [{ ...page('video/mp2t', ''), status: 401 }, /^UNAUTHORIZED: .* user and password/],
        [page('video/mp2t', 'no video at all '.repeat(20_000)), /^NOT_VIDEO: .* no supported video/],
        [page('video/mp2t', ''), /^NOT_VIDEO: /],
      ];
      for (const [answer, expected] of isLong ? answers : answers.filter((_, n) => n % 3 === 0)) {
        const { url } = await http(() => answer);
        expect(await fault(url)).to.match(expected);
      }
    });

    it('over HTTP: a file of sound alone has no video', async () => {
      for (const name of isLong ? SOUNDS : SOUNDS.slice(0, 2)) {
        const data = readFileSync(sample(name));
        const { url } = await http(() => ({
          headers: { 'content-type': 'application/octet-stream' },
          pieces: [{ dueMs: 0, data }],
        }));
        expect(await fault(url), name).to.equal('NOT_VIDEO: The stream has no video in it.');
      }
    });

    it('over HTTP: redirections to where nobody may go', async () => {
      for (const [location, expected] of [
        ['http://169.254.169.254/x', /^FORBIDDEN: /],
        ['file:///etc/passwd', /^REFUSED: .* scheme file:/],
      ] as const) {
        const { url } = await http(() => ({ status: 302, headers: { location } }));
        expect(await fault(url)).to.match(expected);
      }
    });

    it('over RTSP: status, other protocol, no video, unknown coding, forbidden redirection', async () => {
      const cases: readonly (readonly [Partial<RtspBehaviour>, RegExp])[] = [
        [{ instead: { DESCRIBE: '404 Not Found' } }, /^REFUSED: The camera has no stream at this path/],
        [{ instead: { SETUP: '461 Unsupported Transport' } }, /^UNSUPPORTED: .* over TCP/],
        [{ instead: { PLAY: '455 Not Now' } }, /^REFUSED: The camera answered PLAY with status 455/],
        [{ media: ['m=audio 0 RTP/AVP 0'] }, /^NOT_VIDEO: The stream has no video in it/],
        [{ media: ['m=video 0 RTP/AVP 96', 'a=rtpmap:96 H261/90000'] }, /^UNSUPPORTED: .* coded as H261/],
        [
          { instead: { DESCRIBE: '302 Moved\r\nLocation: rtsp://169.254.169.254/x' } },
          /^FORBIDDEN: .* never connected to/,
        ],
        [
          { instead: { DESCRIBE: '302 Moved\r\nLocation: http://127.0.0.1/' } },
          /^REFUSED: .* does not use RTSP/,
        ],
      ];
      for (const [behaviour, expected] of cases)
        expect(await fault((await rtsp(() => behaviour)).url)).to.match(expected);
      const web = await http(() => page('text/html', 'x'));
      expect(await fault(web.url.replace('http', 'rtsp'))).to.match(/^NOT_VIDEO: .* does not speak RTSP/);
    });

    it('of pictures that are too large, or damaged from the first on', async () => {
      const small = jpegOf(Buffer.alloc(64 * 48 * 3), 64, 48);
      const usual = Array.from({ length: 40 }, (_, n) => ({ dueMs: n, data: small }));
      const large = await http(() => ({ ...multipart(usual), after: 'stall' }));
      expect(await fault(large.url, { maxPixels: 3_000 })).to.match(
        /^UNSUPPORTED: .* too large: they have more than 3000 pixels/,
      );
      const huge = Buffer.from(small);
      const size = huge.indexOf(Buffer.from([0xff, 0xc0])) + 5;
      huge.writeUInt16BE(16_000, size);
      huge.writeUInt16BE(16_000, size + 2);
      const pictures = Array.from({ length: 40 }, (_, n) => ({ dueMs: n, data: huge }));
      const { url } = await http(() => ({ ...multipart(pictures), after: 'stall' }));
      // On a busy machine, no picture may have arrived within the shorter time.
      const hasty = await fault(url, { firstPictureMs: 2_000 });
      const said = hasty.startsWith('SILENT') ? await fault(url, { firstPictureMs: 20_000 }) : hasty;
      expect(said).to.match(/^DAMAGED: .* could not be decoded for 20? s/);
      const silent = await rtsp(() => ({ pictures: [], after: 'stall' }));
      expect(await fault(silent.url, { firstPictureMs: 300 })).to.match(/^SILENT: No picture came .* 300 ms/);
    });

    it('with schemes that are not supported', async () => {
      expect(await fault('rtmps://camera/x')).to.match(/^UNSUPPORTED: .* rtmps: are not supported/);
      expect(await fault('file:///etc/passwd')).to.match(/^UNSUPPORTED: /);
      expect(await fault('camera')).to.match(/^UNSUPPORTED: The URI of the stream is malformed/);
    });
  });

  describe('user and password of a live stream', () => {
    for (const scheme of ['Basic', 'Digest'] as const)
      it(`are given to a camera that asks for ${scheme}, and a wrong password is told as such`, async () => {
        const login = { scheme, user: 'admin', password: 'a:b/ü@"' };
        const server = await rtsp(() => ({ login }));
        const right = await watch(withLogin(server.url, `admin:${encodeURIComponent(login.password)}`));
        expect(right.end.reason).to.equal('ended');
        expect(right.counts.decoded).to.equal(clip.units.length);
        expect(server.requests.map(({ uri }) => uri).join(' ')).not.to.match(/admin|@/);
        const wrong = await watch(withLogin(server.url, 'admin:guess'));
        expect(wrong.end).to.include({ reason: 'failed', fault: 'UNAUTHORIZED' });
        const none = await watch(server.url);
        expect(none.end.detail).to.equal('The camera requires user and password, but the URI has none.');
        expect(server.requests.map(({ uri }) => uri).join(' ')).not.to.match(/admin|guess|@/);
      });

    it('are given to an HTTP camera that asks for Digest', async () => {
      const server = await streamServer((_, { headers }) =>
        headers.authorization?.startsWith('Digest username="admin"') === true
          ? { pieces: stream.slice(0, 40), speed: Infinity }
          : { status: 401, headers: { 'www-authenticate': 'Digest realm="cam", nonce="1", qop="auth"' } },
      );
      keep(server);
      const { end, counts } = await watch(withLogin(server.url, 'admin:secret'));
      expect(end.reason).to.equal('ended');
      expect(counts.decoded).to.be.greaterThan(30);
    });

    it('do not follow a redirection to another host', async () => {
      const other = await rtsp(() => ({}));
      const first = await rtsp(() => ({ instead: { DESCRIBE: `302 Moved\r\nLocation: ${other.url}` } }));
      const { counts } = await watch(withLogin(first.url, 'admin:secret'));
      expect(counts.decoded).to.equal(clip.units.length);
      const again = await rtsp(() => ({ login: { scheme: 'Basic', user: 'admin', password: 'secret' } }));
      const leads = await rtsp(() => ({ instead: { DESCRIBE: `302 Moved\r\nLocation: ${again.url}` } }));
      const { end } = await watch(withLogin(leads.url, 'admin:secret'));
      expect(end.detail).to.match(/the URI has none/);
      expect(again.requests.every(({ text }) => !text.includes('Authorization'))).to.equal(true);
    });

    it('never stand in events, errors and ends', async () => {
      const secret = 'hunter2';
      const told: string[] = [];
      const refused = await rtsp(() => ({ login: { scheme: 'Digest', user: 'u', password: 'other' } }));
      const lost = await rtsp(() => ({ after: 'drop' }));
      const web = await http(() => ({ status: 302, headers: { location: 'ftp://x' } }));
      const elsewhere = ['rtsp://127.0.0.1:1/x', 'http://127.0.0.1:1/x', 'rtsps://x/y'];
      for (const uri of [refused.url, lost.url, web.url, ...(isLong ? elsewhere : [])]) {
        const { events, end } = await watch(`${withLogin(uri, `u:${secret}`)}?password=${secret}`);
        told.push(JSON.stringify([events, end]));
      }
      expect(told.join()).not.to.include(secret);
      for (const uri of [
        'rtsp://u:hunter2@cam/a',
        'rtsp://u:hunter2/x@cam/a',
        'rtsp://u:h?hunter2@cam',
        'http://cam/a?p=hunter2#hunter2',
        'u:hunter2@cam',
        'rtsp://u:a@hunter2@cam/',
      ])
        expect(shownUri(uri)).not.to.include(secret);
      expect(shownUri('rtsp://u:p@cam:554/live/1?x=1')).to.equal('rtsp://<hidden>@cam:554/live/1?<hidden>');
      expect(shownUri('http://cam/live.ts')).to.equal('http://cam/live.ts');
    });
  });
}
