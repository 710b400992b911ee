/**
 * The Python SDK alone: its own tests, and that it reads pictures and places boxes like the server's
 * detectors.
 */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { viewsOf } from '../../components/host/views.ts';
import { packageRoot } from '../../config/info.ts';
import { frameTransform, type FrameTransform } from '../../media/picture/transform.ts';
import type { FedTrack } from '../../protocol/detection-work.ts';
import { needsPython, sdkFolder } from './support.ts';

/** Number of rotated pictures. `npm run test:long` tests all of them. */
const CASES = process.env['SHARE_OF_RUNS'] === '1' ? 300 : 60;

/** Excludes packages installed for the current user, because the SDK needs only the standard library. */
const ISOLATED = ['-B', '-s'];

function run(python: string, args: readonly string[], input = '', cwd = sdkFolder): string {
  const { status, stdout, stderr } = spawnSync(python, [...ISOLATED, ...args], {
    cwd,
    env: { ...process.env, PYTHONPATH: sdkFolder },
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
  return stdout + stderr;
}

/** Pseudo-random numbers below `limit`, the same in each run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

interface Case {
  readonly width: number;
  readonly height: number;
  readonly data: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly box: readonly [number, number, number, number];
  readonly tracks?: readonly FedTrack[];
  readonly type?: 'FRAME' | 'REGION' | 'SUPERSET_REGION';
}

function caseOf(seed: number): Case {
  const below = numbers(seed);
  const pick = <T>(...choices: readonly T[]): T => choices[below(choices.length)]!;
  const [width, height] = [8 + below(24), 8 + below(24)];
  const data = Buffer.from(Array.from({ length: width * height * 3 }, () => below(256))).toString('base64');
  const rotation = () => String(pick<number>(0, 90, 180, 270, below(360)));
  const properties = {
    ...(below(2) === 0 ? { ROTATION: rotation() } : { AUTO_ROTATE: 'true' }),
    ...(below(2) === 0 ? { HORIZONTAL_FLIP: pick('TRUE', 'false') } : { AUTO_FLIP: 'TRUE' }),
    ROTATION_THRESHOLD: '1',
    ...(below(2) === 0 ? {} : region(below)),
  };
  const metadata = { ROTATION: rotation(), HORIZONTAL_FLIP: pick('TRUE', 'FALSE') };
  const box = [below(20), below(20) / 3, below(9), below(20)] as const;
  const fed =
    below(2) === 0
      ? {}
      : { tracks: [track(below, 0), track(below, 1)], type: pick('FRAME', 'REGION', 'SUPERSET_REGION') };
  return { width, height, data, properties, metadata, box, ...(fed as object) };
}

const region = (below: (limit: number) => number) => ({
  SEARCH_REGION_ENABLE_DETECTION: 'true',
  SEARCH_REGION_TOP_LEFT_X_DETECTION: String(below(6) - 1),
  SEARCH_REGION_TOP_LEFT_Y_DETECTION: `${below(40)}%`,
  SEARCH_REGION_BOTTOM_RIGHT_X_DETECTION: '-1',
  SEARCH_REGION_BOTTOM_RIGHT_Y_DETECTION: `${60 + below(60)}%`,
});

function track(below: (limit: number) => number, line: number): FedTrack {
  const detections = [0, 1, 2].map((frame) => ({
    frame,
    x: below(30) - 4,
    y: below(30) - 4,
    width: 1 + below(16),
    height: 1 + below(16),
    confidence: 0.5,
    properties: {
      ROTATION: String([0, 90, 180, 270, below(360)][below(5)]),
      HORIZONTAL_FLIP: below(2) === 0 ? 'TRUE' : 'FALSE',
    },
  }));
  const times = { startFrame: 0, stopFrame: 2, startTime: 0, stopTime: 80 };
  return {
    task: 0,
    line,
    type: 'FACE',
    ...times,
    confidence: 0.5,
    properties: {},
    detections,
  } as unknown as FedTrack;
}

/** Compares with what the server's own detectors would get. */
function expectSeen({ width, height, data, properties, metadata, box, tracks, type }: Case) {
  const size = { width, height };
  const stored = Buffer.from(data, 'base64');
  const shownBy = (transform: FrameTransform, frame: number) => {
    const view = transform.apply({ index: frame, time: 0, ...size, data: stored, warmUp: false });
    const [x, y, w, h] = box;
    return {
      frame,
      size: [view.width, view.height],
      data: [...view.data],
      box: transform.toMedium({ x, y, width: w, height: h }),
    };
  };
  if (tracks === undefined) return [shownBy(frameTransform(properties, metadata, size), 0)];
  const views = viewsOf(tracks, type!, { properties, metadata, size });
  return views.frames.map((frame) => shownBy(views.of(frame), frame));
}

describe('The Python SDK', function () {
  this.timeout(240_000);

  it('has the version of the server, wherever it is told', () => {
    const { version } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as {
      version: string;
    };
    for (const file of [
      'pyproject.toml',
      'troupe_sdk/__init__.py',
      'troupe_client/__init__.py',
      '../python-reference/pyproject.toml',
    ])
      expect(readFileSync(path.join(sdkFolder, file), 'utf8'), file).to.match(
        new RegExp(`^(__)?version(__)? = "${version.replaceAll('.', '\\.')}"$`, 'm'),
      );
  });

  it('passes its own tests', function () {
    expect(run(needsPython(this), ['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'])).to.match(
      /Ran \d\d+ tests[^]*OK/,
    );
  });

  const turnsAsTheServer = (python: string) => {
    const cases = Array.from({ length: CASES }, (_, seed) => caseOf(seed));
    const answers = JSON.parse(run(python, ['-m', 'tests.view_cases'], JSON.stringify(cases))) as {
      frame: number;
      size: number[];
      data: string;
      box: object;
    }[][];
    for (const [index, each] of cases.entries()) {
      const wanted = expectSeen(each);
      const got = answers[index]!.map((one) => ({ ...one, data: [...Buffer.from(one.data, 'base64')] }));
      const told = `case ${index}: ${JSON.stringify({ ...each, data: '' })}`;
      expect(
        got.map(({ data: _, ...one }) => one),
        told,
      ).to.deep.equal(wanted.map(({ data: _, ...one }) => one));
      // Interpolated pixels may differ in the last bit.
      for (const [at, { data }] of wanted.entries())
        expect(
          data.every((value, i) => Math.abs(value - got[at]!.data[i]!) <= 1),
          `${told}: pixels of frame ${at}`,
        ).to.equal(true);
    }
  };

  it('passes those of the runner of reference components', function () {
    const folder = path.join(path.dirname(sdkFolder), 'python-reference');
    const said = run(needsPython(this), ['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'], '', folder);
    expect(said).to.match(/Ran \d+ tests[^]*OK/);
  });

  it('turns, mirrors and cuts pictures, and puts boxes back, as the detectors of the server do', function () {
    turnsAsTheServer(needsPython(this));
  });

  it('does the same with numpy', function () {
    const python = ['python3', '/usr/bin/python3'].find(
      (name) => spawnSync(name, [...ISOLATED, '-c', 'import numpy']).status === 0,
    );
    if (python === undefined) this.skip();
    turnsAsTheServer(python);
  });
});
