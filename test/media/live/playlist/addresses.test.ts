/** URLs in playlists of a public server must pass the same address check as every other URL. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { follow } from '../../../../egress/http/follow.ts';
import { HttpClient } from '../../../../egress/http/http-client.ts';
import { ByteFeed } from '../../../../media/live/input/byte-feed.ts';
import { LiveError, networkError } from '../../../../media/live/input/live-error.ts';
import { openPlaylist } from '../../../../media/live/playlist/playlist-input.ts';
import { LIVE_DEFAULTS } from '../../../../media/live/options.ts';

const REFUSED =
  'FORBIDDEN: The stream cannot be opened: the address is in a private network, which the setting FETCH_PRIVATE can permit.';
const NEVER = /^FORBIDDEN: The stream cannot be opened: .* never connected to\.$/;

describe('A playlist of a public server', () => {
  let inside: Server;
  let asked: number;
  beforeEach(async () => {
    asked = 0;
    inside = createServer((_, response) => {
      asked++;
      response.end('secret');
    });
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    inside.close();
    inside.closeAllConnections();
  });

  /** The result for a playlist of camera.example. */
  async function outcome(text: string, name: string): Promise<string> {
    const client = new HttpClient({ allowPrivate: false, settings: 'the setting FETCH_PRIVATE' });
    const { signal } = new AbortController();
    const { connectMs, maxPixels } = LIVE_DEFAULTS;
    try {
      const input = await openPlaylist({
        feed: new ByteFeed(bytesOf(text)),
        url: new URL(`https://camera.example/${name}`),
        fetch: (wanted) =>
          follow(client, { ...wanted, headMs: connectMs, signal }).catch((error: unknown) => {
            throw networkError(error);
          }),
        ...{ client, signal },
        connect: { allowPrivate: false, connectMs, maxPixels },
      });
      await input.close();
      return 'opened';
    } catch (error) {
      if (error instanceof LiveError) return `${error.fault}: ${error.message}`;
      throw error;
    } finally {
      await client.close();
    }
  }

  const KINDS: Readonly<Record<string, (target: string) => readonly [name: string, text: string]>> = {
    'a segment of HLS': (target) => ['list.m3u8', `#EXTM3U\n#EXTINF:1,\n${target}\n#EXT-X-ENDLIST`],
    'a variant of HLS': (target) => ['main.m3u8', `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${target}`],
    'the beginning of segments of HLS': (target) => [
      'list.m3u8',
      `#EXTM3U\n#EXT-X-MAP:URI="${target}"\n#EXTINF:1,\nhttps://camera.example/1.m4s\n#EXT-X-ENDLIST`,
    ],
    'a segment of DASH': (target) => [
      'main.mpd',
      `<MPD><Period><AdaptationSet mimeType="video/mp4"><Representation id="1"><BaseURL>${target}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
    ],
  };

  for (const [what, listTo] of Object.entries(KINDS))
    it(`is refused when ${what} has a private address`, async () => {
      const { port } = inside.address() as AddressInfo;
      for (const host of [
        `127.0.0.1:${port}`,
        `localhost:${port}`,
        '10.1.2.3',
        '192.168.0.9',
        '[::1]:9',
        '[fd00::1]',
      ]) {
        const [name, text] = listTo(`http://${host}/x.ts`);
        expect(await outcome(text, name), host).to.equal(REFUSED);
      }
      const [name, text] = listTo('http://169.254.169.254/latest/meta-data');
      expect(await outcome(text, name)).to.match(NEVER);
      expect(asked).to.equal(0);
    });
});

// eslint-disable-next-line @typescript-eslint/require-await
async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
