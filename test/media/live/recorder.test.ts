import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openLive, type LiveOptions } from '../../../media/live/live-frames.ts';
import type { RecordedFragment } from '../../../protocol/stream-fragments.ts';
import { accessUnits, transportStream, type CodedClip } from '../../support/media/coded-media.ts';
import { scratchFolder } from '../support/samples.ts';
import { closeServers, http, OPTIONS, rtsp, smallClip } from './live-watching.ts';

interface Recorded extends RecordedFragment {
  readonly clip: CodedClip;
}

describe('the recorder of live streams', () => {
  let folder: string;
  let file: string;
  let clip: CodedClip;
  before(() => {
    folder = scratchFolder();
    file = smallClip(folder);
    clip = accessUnits(file);
  });
  afterEach(closeServers);
  after(() => rmSync(folder, { recursive: true }));

  /** Records a stream to its end. */
  async function recorded(
    uri: string,
    recording: { readonly uri?: string } = {},
    options: Partial<LiveOptions> = {},
  ) {
    const fragments: Recorded[] = [];
    const warnings: string[] = [];
    const keep = (fragment: RecordedFragment, bytes: Uint8Array) => {
      const path = join(folder, `${fragments.length}.mp4`);
      writeFileSync(path, bytes);
      fragments.push({ ...fragment, clip: accessUnits(path) });
    };
    const listener = { fragment: keep, warn: (message: string) => warnings.push(message) };
    const { signal } = new AbortController();
    const source = openLive(uri, { ...OPTIONS, ...options, recording }, signal, undefined, listener);
    for await (const _ of source.frames());
    return { fragments, warnings, end: await source.ended };
  }

  /** Of a picture, what the camera has sent: units without parameter sets, which may be repeated. */
  const pictureOf = ({ nals }: CodedClip['units'][number]) =>
    nals.filter((nal) => ![6, 7, 8, 9].includes(nal[0]! & 0x1f)).map((nal) => nal.toString('base64'));
  const picturesOf = ({ units }: CodedClip) => units.map(pictureOf);
  const steps = (clips: readonly CodedClip[]) =>
    clips.flatMap(({ units }) => units.map(({ ptsMs }) => ptsMs - units[0]!.ptsMs).map(Math.round));

  it('records an RTSP camera picture by picture with the times of the camera', async () => {
    const { url } = await rtsp(clip);
    const { fragments, warnings } = await recorded(url);
    expect(warnings).to.deep.equal([]);
    expect(fragments.flatMap((one) => picturesOf(one.clip))).to.deep.equal(picturesOf(clip));
    const [first] = fragments;
    expect(first).to.include({ isKey: true, firstFrame: 0, position: 0 });
    expect(steps([first!.clip])).to.deep.equal(
      steps([{ ...clip, units: clip.units.slice(0, first!.frames) }]),
    );
    expect(fragments.reduce((sum, { frames }) => sum + frames, 0)).to.equal(100);
  });

  it('records MPEG-TS over HTTP picture by picture', async () => {
    const { url } = await http(() => ({ pieces: transportStream(file), speed: 8 }));
    const { fragments, warnings } = await recorded(url);
    expect(warnings).to.deep.equal([]);
    expect(fragments.flatMap((one) => picturesOf(one.clip))).to.deep.equal(picturesOf(clip));
  });

  it('records another address of the camera than the one that is analyzed', async () => {
    const small = await rtsp(clip, () => ({ speed: 1 }));
    const large = await rtsp(clip, () => ({ speed: 8 }));
    const { fragments } = await recorded(small.url, { uri: large.url });
    const pictures = fragments.flatMap((one) => picturesOf(one.clip));
    expect(pictures.slice(0, 100)).to.deep.equal(picturesOf(clip));
    expect(fragments[0]).to.include({ firstFrame: null });
  });

  it('begins a run of its own when the camera connects again', async () => {
    const stall = { alertMs: 20_000, timeoutMs: -1 };
    const { url } = await rtsp(clip, (connection) => ({ after: connection === 0 ? 'drop' : 'bye' }));
    const { fragments } = await recorded(url, {}, { stall });
    expect(new Set(fragments.map(({ run }) => run))).to.have.lengthOf(2);
    expect(fragments.flatMap((one) => picturesOf(one.clip))).to.deep.equal([
      ...picturesOf(clip),
      ...picturesOf(clip),
    ]);
    expect(fragments.every(({ isKey }) => isKey)).to.equal(true);
  });

  it('cuts a stream that sends no more key pictures', async () => {
    const [first, ...rest] = clip.units;
    const others = rest.filter(({ nals }) => nals.every((nal) => (nal[0]! & 0x1f) !== 5));
    const units = [first!, ...Array.from({ length: 8 }, () => others).flat()];
    const long = units.map((unit, n) => ({ ...unit, dueMs: n * 40, ptsMs: n * 40 }));
    const { url } = await rtsp({ ...clip, units: long }, () => ({ speed: 100 }));
    const { fragments } = await recorded(url);
    expect(fragments.length).to.be.greaterThan(2);
    expect(fragments.map(({ isKey }) => isKey)).to.deep.equal([true, ...fragments.slice(1).map(() => false)]);
    expect(fragments.flatMap((one) => picturesOf(one.clip))).to.deep.equal(long.map(pictureOf));
    expect(fragments.every(({ durationMs }) => durationMs <= 10_100)).to.equal(true);
  });
});
