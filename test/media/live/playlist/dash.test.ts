import { readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parseDash } from '../../../../media/live/playlist/dash-manifest.ts';
import { dashManifest } from '../../../support/media/coded-media.ts';
import { scratchFolder } from '../../support/samples.ts';
import { smallClip, watch } from '../live-watching.ts';
import { closePlaylists, expectAll, servePlaylist } from './playlist-server.ts';

const BEGAN = Date.UTC(2026, 0, 2, 9);
const OPTIONS = { maxPixels: 1e9, now: BEGAN + 20_500 };
const base = new URL('http://camera.example/live/main.mpd');

describe('A stream by a DASH manifest', function () {
  this.timeout(60_000);
  let folder: string;
  let file: string;
  before(() => {
    folder = scratchFolder();
    file = smallClip(folder);
  });
  afterEach(closePlaylists);
  after(() => rmSync(folder, { recursive: true }));

  /** A manifest as FFmpeg writes it, with segments of one second. */
  function written(name: string, options: Readonly<Record<string, string>>) {
    const into = scratchFolder();
    const manifest = path.join(into, 'main.mpd');
    dashManifest(file, manifest, { seg_duration: '1', ...options });
    const files = new Map(
      readdirSync(into).map((one) => [`/${name}/${one}`, readFileSync(path.join(into, one))]),
    );
    rmSync(into, { recursive: true });
    return files;
  }

  for (const [what, options] of [
    ['times', {}],
    ['numbers', { use_timeline: '0' }],
    ['a list', { use_template: '0', use_timeline: '0' }],
    ['one file', { single_file: '1' }],
  ] as const)
    it(`is read picture by picture to its end by ${what}`, async () => {
      const files = written('vod', options);
      const { url } = await servePlaylist((asked) => files.get(asked));
      const { frames, end, counts } = await watch(`${url}/vod/main.mpd`);
      expect(end.reason, end.detail).to.equal('ended');
      await expectAll(file, frames, counts);
    });

  it('is followed while segments come, and ends when the manifest is complete', async () => {
    const files = written('live', {});
    const whole = String(files.get('/live/main.mpd'));
    const entries = /<SegmentTimeline>([^]*)<\/SegmentTimeline>/.exec(whole)![1]!;
    const ticks = Number(/ d="(\d+)"/.exec(entries)![1]);
    const live = (from: number, to: number) =>
      whole
        .replace('type="static"', `type="dynamic" availabilityStartTime="${new Date().toISOString()}"`)
        .replace(/startNumber="1"/, `startNumber="${from + 1}"`)
        .replace(entries, `<S t="${from * ticks}" d="${ticks}" r="${to - from - 1}"/>`);
    let lists = 0;
    const { url, asked } = await servePlaylist((wanted) => {
      if (!wanted.endsWith('.mpd')) return files.get(wanted);
      const newest = 2 + Math.floor(lists++ / 2);
      return newest >= 4 ? whole : live(Math.max(0, newest - 2), newest);
    });
    const { frames, end, counts } = await watch(`${url}/live/main.mpd`);
    expect(end.reason, end.detail).to.equal('ended');
    await expectAll(file, frames, counts);
    const segments = asked.filter((one) => one.includes('chunk'));
    expect(segments).to.have.length(new Set(segments).size);
  });

  it('is not opened where a segment leads to an address that is never connected to', async () => {
    const manifest = (home: string) =>
      `<?xml version="1.0"?><MPD><BaseURL>${home}</BaseURL><Period><AdaptationSet mimeType="video/mp4"><Representation id="1"/></AdaptationSet></Period></MPD>`;
    for (const target of ['http://169.254.169.254/latest/', 'file:///etc/passwd']) {
      const { url } = await servePlaylist(() => manifest(target));
      const { end } = await watch(`${url}/main.mpd`);
      expect([end.reason, end.fault], target).to.deep.equal(['failed', 'FORBIDDEN']);
    }
    const { url } = await servePlaylist((wanted) =>
      wanted.endsWith('.mpd') ? manifest('video.mp4') : 'http://169.254.169.254/latest/meta-data',
    );
    expect((await watch(`${url}/main.mpd`)).end.fault).to.equal('FORBIDDEN');
  });

  it('says why it is not read, whatever it repeats', async () => {
    const of = (inner: string, mpd = '', more = '') =>
      `<MPD ${mpd}><Period>${more}<AdaptationSet mimeType="video/mp4">${inner}</AdaptationSet></Period></MPD>`;
    const template = (attributes: string, timeline = '') =>
      of(
        `<SegmentTemplate media="$Number$" ${attributes}>${timeline}</SegmentTemplate><Representation id="1"/>`,
      );
    const times = (entry: string) => template('', `<SegmentTimeline>${entry}</SegmentTimeline>`);
    for (const [manifest, pattern] of [
      [of('<Representation id="1"/>'.repeat(10_000)), /more than 500 variants/],
      [of('<S/>'.repeat(60_000)), /more than 50000 elements/],
      [`<MPD>${' '.repeat(5_000_000)}</MPD>`, /more than \d+ bytes/],
      [times('<S d="1" r="999999999"/>'), /more than 20000 segments/],
      [times('<S d="0" r="5"/>'), /a segment has no length/],
      [times('<S t="0" d="1" r="-1"/><S t="9007199254740990" d="1"/>'), /more than 20000 segments/],
      [template('duration="1"'), /the length of its stream is missing/],
      [of('<ContentProtection/><Representation id="1"/>'), /encrypted/],
      [of('').replace('video', 'audio'), /names no video/],
      ['<MPD><Period/><Period/></MPD>', /2 periods/],
      ['<MPD><Period>', /it is not valid XML/],
      ['<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aa">]><MPD>&a;</MPD>', /it is not valid XML/],
    ] as const) {
      const { url } = await servePlaylist(() => manifest);
      expect((await watch(`${url}/main.mpd`)).end.detail).to.match(pattern);
    }
  });
});

describe('A manifest of DASH', () => {
  const live = (template: string, more = '') =>
    `<MPD type="dynamic" availabilityStartTime="${new Date(BEGAN).toISOString()}" ${more}><Period start="PT10S"><AdaptationSet contentType="video">${template}<Representation id="v1" bandwidth="9"/></AdaptationSet></Period></MPD>`;

  it('names the newest segments of a live stream by the clock', async () => {
    const template =
      '<SegmentTemplate media="$RepresentationID$/$Number%04d$-$Bandwidth$.m4s" initialization="i.mp4" duration="2000" timescale="1000" startNumber="7"/>';
    const { segments, isWhole, targetSeconds } = await parseDash(live(template), base, OPTIONS);
    expect(segments.map(({ url }) => url.pathname)).to.deep.equal(
      ['0007', '0008', '0009', '0010', '0011'].map((number) => `/live/v1/${number}-9.m4s`),
    );
    expect(segments[0]!.map!.url.pathname).to.equal('/live/i.mp4');
    expect([isWhole, targetSeconds]).to.deep.equal([false, 2]);
    const day = { ...OPTIONS, now: BEGAN + 86_400_000 };
    expect((await parseDash(live(template), base, day)).segments).to.have.length(50);
    const ended = await parseDash(live(template, 'mediaPresentationDuration="PT16S"'), base, day);
    expect([ended.segments.length, ended.isWhole]).to.deep.equal([3, true]);
  });

  it('inherits templates and addresses, and repeats times until the next one', async () => {
    const text = `<MPD mediaPresentationDuration="PT10S"><BaseURL>a/</BaseURL><Period><SegmentTemplate timescale="10" media="$Time$.m4s"/>
      <AdaptationSet mimeType="audio/mp4"><Representation id="sound"/></AdaptationSet>
      <AdaptationSet mimeType="video/mp4" width="640"><BaseURL>b/</BaseURL><EssentialProperty schemeIdUri="trick"/><Representation id="x" height="9999"/></AdaptationSet>
      <AdaptationSet mimeType="video/mp4"><BaseURL>v/</BaseURL>
        <SegmentTemplate><SegmentTimeline><S t="0" d="20" r="-1"/><S t="60" d="40"/></SegmentTimeline></SegmentTemplate>
        <Representation id="small" width="64" height="32"/><Representation id="large" width="640" height="320"><BaseURL>large/</BaseURL></Representation>
        <Representation id="huge" width="64000" height="32000"/></AdaptationSet></Period></MPD>`;
    const { segments } = await parseDash(text, base, { ...OPTIONS, maxPixels: 1_000_000 });
    expect(segments.map(({ url, seconds }) => [url.pathname, seconds])).to.deep.equal([
      ['/live/a/v/large/0.m4s', 2],
      ['/live/a/v/large/20.m4s', 2],
      ['/live/a/v/large/40.m4s', 2],
      ['/live/a/v/large/60.m4s', 4],
    ]);
  });
});
