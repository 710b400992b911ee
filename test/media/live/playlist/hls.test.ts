import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseHls } from '../../../../media/live/playlist/hls-playlist.ts';
import { bestOf } from '../../../../media/live/playlist/playlist.ts';
import { transportStream, type TimedBytes } from '../../../support/media/coded-media.ts';
import { makeVideo } from '../../support/make-video.ts';
import { scratchFolder } from '../../support/samples.ts';
import { closeServers, http, smallClip, watch } from '../live-watching.ts';
import { closePlaylists, expectAll, servePlaylist as serve } from './playlist-server.ts';

/** Frames per segment: one second. */
const SEGMENT = 25;

describe('A stream by an HLS playlist', function () {
  this.timeout(60_000);
  let folder: string;
  let file: string;
  let pieces: readonly TimedBytes[];
  before(() => {
    folder = scratchFolder();
    file = smallClip(folder);
    pieces = transportStream(file);
  });
  afterEach(async () => {
    closePlaylists();
    await closeServers();
  });
  after(() => rmSync(folder, { recursive: true }));

  const segments = () =>
    Array.from({ length: Math.ceil(pieces.length / SEGMENT) }, (_, n) =>
      Buffer.concat(pieces.slice(n * SEGMENT, (n + 1) * SEGMENT).map(({ data }) => data)),
    );
  const listOf = (from: number, to: number, isWhole: boolean) =>
    [
      '#EXTM3U',
      '#EXT-X-TARGETDURATION:1',
      `#EXT-X-MEDIA-SEQUENCE:${from}`,
      ...Array.from({ length: to - from }, (_, n) => `#EXTINF:1.0,\nsegment-${from + n}.ts`),
      ...(isWhole ? ['#EXT-X-ENDLIST'] : []),
    ].join('\n');

  const segmentAt = (path: string): Buffer | undefined => segments()[Number(/segment-(\d+)/.exec(path)?.[1])];

  it('is read picture by picture from the best variant to its end', async () => {
    const main = [
      '#EXTM3U',
      '#EXT-X-STREAM-INF:BANDWIDTH=100,RESOLUTION=64x32\nsmall.m3u8',
      '#EXT-X-STREAM-INF:BANDWIDTH=900,RESOLUTION=192x112,CODECS="avc1"\nlarge/list.m3u8',
    ].join('\n');
    const { url, asked } = await serve((path) =>
      path === '/main.m3u8' ? main : path.endsWith('list.m3u8') ? listOf(0, 4, true) : segmentAt(path),
    );
    const { frames, end, counts } = await watch(`${url}/main.m3u8`);
    expect(asked).to.include('/large/segment-3.ts');
    await expectAll(file, frames, counts);
    expect(end.reason).to.equal('ended');
  });

  it('is followed while segments come and old ones go', async () => {
    let lists = 0;
    const { url } = await serve((path) => {
      if (!path.endsWith('.m3u8')) return segmentAt(path);
      const newest = Math.min(4, 2 + Math.floor(lists++ / 2));
      return listOf(Math.max(0, newest - 3), newest, newest === 4 && lists > 6);
    });
    const { frames, end, counts } = await watch(`${url}/live.m3u8`);
    await expectAll(file, frames, counts);
    expect(end.reason).to.equal('ended');
  });

  it('continues where its format changes, without a segment twice', async () => {
    const formats = [
      ['a', 192, 112],
      ['b', 128, 64],
    ] as const;
    const files = new Map<string, Buffer>();
    const lines = ['#EXTM3U', '#EXT-X-TARGETDURATION:1'];
    for (const [name, width, height] of formats) {
      const [map, ...parts] = fragments(join(folder, `${name}.mp4`), width, height);
      files.set(`/${name}-map.mp4`, map!);
      lines.push(`#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI="${name}-map.mp4"`);
      for (const [n, part] of parts.entries()) {
        files.set(`/${name}-${n}.mp4`, part);
        lines.push(`#EXTINF:1.0,\n${name}-${n}.mp4`);
      }
    }
    const list = [...lines, '#EXT-X-ENDLIST'].join('\n');
    const { url, asked } = await serve((path) => (path.endsWith('.m3u8') ? list : files.get(path)));
    const { counts, end, events } = await watch(`${url}/list.m3u8`);
    expect([end.reason, end.detail]).to.deep.equal(['ended', 'The sender has ended the stream.']);
    expect(counts).to.include({ decoded: 2 * 50, damaged: 0, reconnects: 0 });
    expect(asked).to.deep.equal(['/list.m3u8', ...files.keys()]);
    expect(events).to.have.length(2);
    expect(events[0]).to.include({ type: 'opened', width: 192, height: 112 });
    expect(events[1]).to.include({ type: 'opened', width: 128, height: 64 });
  });

  it('is STALLED and ends by the rules of the stream when it names nothing new any more', async () => {
    const { url, asked } = await serve((path) =>
      path.endsWith('.m3u8') ? listOf(0, 1, false) : segmentAt(path),
    );
    const { end, events, counts } = await watch(`${url}/live.m3u8`, {
      stall: { alertMs: 1_500, timeoutMs: 3_000 },
      reconnect: { firstMs: 500, longestMs: 500 },
    });
    expect(end.reason).to.equal('stalled');
    expect(events.map(({ type }) => type)).to.include('stalled');
    // The stream was reopened over a second connection, but no frame arrived twice. The decoder buffers a few
    // frames.
    expect(counts.decoded).to.be.within(SEGMENT - 5, SEGMENT);
    expect(asked.filter((path) => path.includes('segment'))).to.deep.equal(['/segment-0.ts']);
  });

  it('continues after the segment at which its connection broke', async () => {
    let isBroken = false;
    const { url, asked } = await serve((path) => {
      if (path.endsWith('.m3u8')) return listOf(0, 4, true);
      if (!path.includes('segment-1') || isBroken) return segmentAt(path);
      isBroken = true;
      return undefined;
    });
    const { end, counts } = await watch(`${url}/list.m3u8`, { stall: { alertMs: 20_000, timeoutMs: -1 } });
    expect(end.reason).to.equal('ended');
    // The decoder buffered a few frames when the connection broke.
    expect(counts.decoded).to.be.within(3 * SEGMENT - 5, 3 * SEGMENT);
    const segmentsAsked = asked.filter((path) => path.includes('segment'));
    expect(segmentsAsked).to.deep.equal([0, 1, 2, 3].map((n) => `/segment-${n}.ts`));
  });

  it('is not read any further when it does not end', async () => {
    for (const [beginning, type] of [
      ['#EXTM3U\n', 'application/vnd.apple.mpegurl'],
      ['<MPD>', 'application/dash+xml'],
    ] as const) {
      const [first, more] = [Buffer.from(beginning), Buffer.alloc(1_000_000, ' ')];
      const pieces = [first, more, more, more, more, more].map((data) => ({ dueMs: 0, data }));
      const headers = { 'content-type': type };
      const { url } = await http(() => ({ headers, pieces, speed: Infinity, after: 'stall' }));
      const { end } = await watch(url);
      expect(end.detail).to.match(/^The playlist of the stream has more than \d+ bytes\.$/);
    }
  });

  it('is not opened where a segment leads to an address that is never connected to', async () => {
    for (const target of ['http://169.254.169.254/latest/meta-data', 'file:///etc/passwd']) {
      const list = listOf(0, 1, true).replace('segment-0.ts', target);
      const { url } = await serve((path) => (path.endsWith('.m3u8') ? list : undefined));
      const { end } = await watch(`${url}/list.m3u8`);
      expect([end.reason, end.fault], target).to.deep.equal(['failed', 'FORBIDDEN']);
    }
    const { url } = await serve((path) =>
      path.endsWith('.m3u8') ? listOf(0, 1, true) : 'http://169.254.169.254/latest/meta-data',
    );
    expect((await watch(`${url}/list.m3u8`)).end.fault).to.equal('FORBIDDEN');
  });

  it('says why it is not read: too many variants, too long, encrypted', async () => {
    const many = `#EXTM3U\n${'#EXT-X-STREAM-INF:BANDWIDTH=1\nlist.m3u8\n'.repeat(10_000)}`;
    const long = `#EXTM3U\n${'#'.repeat(5_000_000)}`;
    const locked = '#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="key"\n#EXTINF:1,\nsegment-0.ts';
    for (const [list, pattern] of [
      [many, /500 variants/],
      [long, /more than \d+ bytes/],
      [locked, /encrypted/],
    ] as const) {
      const { url } = await serve(() => list);
      expect((await watch(`${url}/list.m3u8`)).end.detail).to.match(pattern);
    }
  });
});

/** Fragmented MP4 of 50 frames: the initialisation segment and the media segments. */
function fragments(file: string, width: number, height: number): readonly Buffer[] {
  const movflags = 'frag_keyframe+empty_moov+default_base_moof+skip_trailer';
  makeVideo(file, { frames: 50, width, height, gop: 25, muxerOptions: { movflags } });
  const bytes = readFileSync(file);
  const cuts = [0];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'moof') cuts.push(at);
  return cuts.map((cut, n) => bytes.subarray(cut, cuts[n + 1]));
}

describe('A playlist of HLS', () => {
  const base = new URL('http://camera.example/live/list.m3u8');

  it('names segments with their ranges and what comes before them', () => {
    const text =
      '#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:7\n#EXT-X-MAP:URI="init.mp4",BYTERANGE="100@0"\n#EXTINF:2.5,\n#EXT-X-BYTERANGE:50@100\na.mp4\n#EXTINF:2,\n#EXT-X-BYTERANGE:60\na.mp4\n';
    const parsed = parseHls(text, base);
    if (parsed.kind !== 'segments') throw new Error('It has segments.');
    expect(parsed.isWhole).to.equal(false);
    expect(
      parsed.segments.map(({ sequence, seconds, range }) => ({ sequence, seconds, range })),
    ).to.deep.equal([
      { sequence: 7, seconds: 2.5, range: { start: 100, bytes: 50 } },
      { sequence: 8, seconds: 2, range: { start: 150, bytes: 60 } },
    ]);
    expect(parsed.segments[0]!.map!.url.href).to.equal('http://camera.example/live/init.mp4');
  });

  it('gives the variant with the most pixels that may be decoded', () => {
    const url = new URL('http://camera.example/');
    const variants = [
      { url, bandwidth: 1, pixels: 100 },
      { url, bandwidth: 5, pixels: 400 },
      { url, bandwidth: 9, pixels: 900 },
    ];
    expect(bestOf(variants, 500).bandwidth).to.equal(5);
    expect(bestOf(variants, 1_000).bandwidth).to.equal(9);
  });
});
