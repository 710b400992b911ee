import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { openLive, type LiveOptions } from '../../../media/live/live-frames.ts';
import type { RecordedFragment } from '../../../protocol/stream-fragments.ts';
import { clipOf } from '../../../results/recording/clip.ts';
import { fragmentPath } from '../../../results/recording/fragment-files.ts';
import {
  accessUnits,
  jpegPictures,
  transportStream,
  type CodedClip,
} from '../../support/media/coded-media.ts';
import { makeVideo } from '../support/make-video.ts';
import { multipart } from '../../support/servers/stream-server.ts';
import { scratchFolder } from '../support/samples.ts';
import { closeServers, http, OPTIONS, rtsp, smallClip } from './live-watching.ts';

interface Recorded extends RecordedFragment {
  readonly clip: CodedClip;
  readonly bytes: Uint8Array;
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
      fragments.push({
        ...fragment,
        bytes,
        get clip() {
          return accessUnits(path);
        },
      });
    };
    const listener = { fragment: keep, warn: (message: string) => warnings.push(message) };
    const { signal } = new AbortController();
    const source = openLive(uri, { ...OPTIONS, ...options, recording }, signal, undefined, listener);
    for await (const _ of source.frames());
    return { fragments, warnings, end: await source.ended };
  }

  /** The data of a frame as the camera sent it, without parameter sets, which may be repeated. */
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

  /** A clip of these fragments. `from`: start of the first fragment in milliseconds since the epoch. */
  async function clipFrom(fragments: readonly Recorded[], from: number, to: number): Promise<CodedClip> {
    const into = scratchFolder();
    for (const one of fragments) {
      const path = fragmentPath(into, one);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, one.bytes);
    }
    const found = await clipOf(into, { from, to });
    const path = join(into, 'clip.mp4');
    writeFileSync(path, await buffer(found!.file.stream()));
    const clip = accessUnits(path);
    rmSync(into, { recursive: true });
    return clip;
  }
  /** Like a camera that repeats its parameter sets before each key frame. */
  const withSets = ({ units, parameterSets }: CodedClip): CodedClip['units'] =>
    units.map((unit) =>
      unit.nals.some((nal) => (nal[0]! & 0x1f) === 5)
        ? { ...unit, nals: [...parameterSets, ...unit.nals] }
        : unit,
    );
  const inTurn = (...parts: readonly CodedClip['units'][]) =>
    parts.flat().map((unit, n) => ({ ...unit, dueMs: n * 40, ptsMs: n * 40 }));
  const plain = () => {
    const path = join(folder, 'plain.mp4');
    makeVideo(path, { frames: 50, width: 192, height: 112, gop: 25 });
    return accessUnits(path);
  };

  it('begins another format in place when the camera changes its size, and clips have one', async () => {
    const other = join(folder, 'other.mp4');
    makeVideo(other, { frames: 50, width: 128, height: 96, gop: 25 });
    const [first, second] = [plain(), accessUnits(other)];
    const units = inTurn(withSets(first), withSets(second));
    const { url } = await rtsp({ ...first, units });
    const { fragments, warnings } = await recorded(url);
    expect(warnings).to.deep.equal([]);
    expect(fragments.flatMap((one) => picturesOf(one.clip))).to.deep.equal(units.map(pictureOf));
    const sets = (of: CodedClip) => of.parameterSets.map((set) => set.toString('base64'));
    expect(sets(fragments[0]!.clip)).to.include.members(sets(first));
    expect(sets(fragments.at(-1)!.clip)).to.include.members(sets(second));
    expect(sets(fragments[0]!.clip)).to.not.include.members(sets(second));
    expect(fragments.every(({ isKey }) => isKey)).to.equal(true);
    const last = fragments.at(-1)!;
    const clipOfLast = await clipFrom(fragments, last.at, last.at + last.durationMs);
    expect(picturesOf(clipOfLast).at(-1)).to.deep.equal(pictureOf(units.at(-1)!));
    expect(sets(clipOfLast)).to.deep.equal(sets(last.clip));
  });

  it('records the codec that the camera has after it connects again', async () => {
    const pictures = await jpegPictures(file, 40);
    const { url } = await http((visit) =>
      visit === 0
        ? { pieces: transportStream(file), speed: 8, after: 'drop' as const }
        : { ...multipart(pictures), speed: 8 },
    );
    const stall = { alertMs: 20_000, timeoutMs: -1 };
    const { fragments } = await recorded(url, {}, { stall });
    const { run } = fragments.at(-1)!;
    expect(fragments[0]!.run).to.not.equal(run);
    const ofLast = fragments.filter((one) => one.run === run);
    expect(ofLast.reduce((sum, one) => sum + one.frames, 0)).to.equal(100);
  });

  for (const [what, jump] of [
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ] as const)
    it(`begins a run of its own when the clock of the camera jumps ${what}`, async () => {
      const half = plain();
      const later = inTurn(half.units, half.units).map((unit, n) =>
        n < half.units.length ? { ...unit, ptsMs: unit.ptsMs + 7_200_000 } : { ...unit, ptsMs: unit.ptsMs + 7_200_000 + jump },
      ); // oxfmt-ignore
      const { url } = await rtsp({ ...half, units: later });
      const { fragments, warnings } = await recorded(url);
      expect(warnings).to.deep.equal([]);
      expect(new Set(fragments.map(({ run }) => run))).to.have.lengthOf(2);
      expect(fragments.flatMap((one) => picturesOf(one.clip))).to.deep.equal(later.map(pictureOf));
      expect(fragments.every(({ durationMs }) => durationMs < 5_000)).to.equal(true);
    });

  it('counts by its own clock when the clock of the camera stops', async () => {
    const half = plain();
    const units = inTurn(half.units, half.units, half.units).map((unit, n) => ({ ...unit, ptsMs: Math.min(n, 30) * 40 })); // oxfmt-ignore
    const { url } = await rtsp({ ...half, units }, () => ({ speed: 1 }));
    const { fragments, warnings } = await recorded(url);
    expect(warnings).to.deep.equal([]);
    const pictures = fragments.flatMap((one) => picturesOf(one.clip));
    // Frames before the first key frame of the new run cannot be decoded.
    expect(pictures.length).to.be.within(units.length - 25, units.length);
    expect(pictures.slice(0, 62)).to.deep.equal(units.slice(0, 62).map(pictureOf));
    expect(pictures.slice(-75)).to.deep.equal(units.slice(-75).map(pictureOf));
    const own = fragments.filter(({ run }) => run !== fragments[0]!.run);
    expect(own.reduce((sum, one) => sum + one.durationMs, 0)).to.be.within(2_500, 10_000);
  });

  it('gives a clip of the end of a minute without key pictures', async () => {
    const [first, ...rest] = plain().units;
    const others = rest.filter(({ nals }) => nals.every((nal) => (nal[0]! & 0x1f) !== 5));
    const units = inTurn([first!], ...Array.from({ length: 48 }, () => others));
    const { url } = await rtsp({ ...plain(), units }, () => ({ speed: 10 }));
    const { fragments, warnings } = await recorded(url);
    expect(warnings).to.deep.equal([]);
    expect(fragments.filter(({ isKey }) => isKey)).to.have.length(1);
    const seconds = fragments.reduce((sum, one) => sum + one.durationMs, 0) / 1_000;
    expect(seconds).to.be.greaterThan(60);
    // Sets the arrival times to the pace of the camera.
    const [{ at }] = fragments as [Recorded];
    const paced = fragments.map((one) => ({ ...one, at: at + Math.round(one.position / 90) }));
    const last = paced.at(-1)!;
    const found = await clipFrom(paced, last.at + 500, last.at + last.durationMs);
    expect(picturesOf(found)).to.deep.equal(units.map(pictureOf));
  });
});
