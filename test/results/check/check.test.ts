import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import type { ReportedTrack } from '../../../domain/types.ts';
import { ResultChecker, type CheckedResult } from '../../../results/check/check.ts';
import { temporaryFolder } from '../folder.ts';

const DETECTION = { frame: 3, x: 1, y: 2, width: 10, height: 20, confidence: 0.5, properties: {} };
const TRACK: ReportedTrack = {
  startFrame: 3,
  stopFrame: 9,
  confidence: 0.5,
  properties: {},
  detections: [DETECTION],
};
const PREPARED = {
  facts: {
    mediaType: 'VIDEO',
    mimeType: 'video/mp4',
    sha256: 'ab',
    length: 3,
    metadata: { FPS: '30' },
    frameTimes: { fps: 30, constantRate: false, startTime: 0, times: [0, 30, 70] },
  },
  inspected: true,
  path: '/media/a.mp4',
  warnings: [{ code: 'OTHER', message: 'odd' }],
  ranges: [{ start: 0, stop: 2 }],
};
const SUMMARY = {
  tracks: 1,
  detections: 2,
  types: { FACE: 1 },
  warnings: [],
  ranges: [{ start: 0, stop: 5 }],
};

describe('The check of a result', () => {
  const path = temporaryFolder();
  const checker = new ResultChecker();
  after(() => checker.close());

  async function detect(
    content: string | Buffer,
    range = { start: 0, stop: 9 },
  ): Promise<CheckedResult<'DETECT'>> {
    await writeFile(path('result'), content);
    return checker.checkResult(path('result'), 'DETECT', { range });
  }
  const withTrack = (change: object): string => `${JSON.stringify({ ...TRACK, ...change })}\n`;
  const withDetection = (change: object): string => withTrack({ detections: [{ ...DETECTION, ...change }] });

  it('counts the tracks and detections of a good one', async () => {
    const two = withTrack({
      detections: [DETECTION, { ...DETECTION, frame: 4, time: 133 }],
      laterField: { a: [1] },
    });
    expect(await detect(withTrack({}) + two)).to.deep.equal({
      ok: true,
      kind: 'DETECT',
      tracks: 2,
      detections: 3,
      derived: 0,
      warnings: 0,
    });
    expect(await detect('')).to.deep.equal({
      ok: true,
      kind: 'DETECT',
      tracks: 0,
      detections: 0,
      derived: 0,
      warnings: 0,
    });
  });

  it('counts lines that warn of what could not be looked at, and refuses those that say nothing', async () => {
    const warning = (change: object = {}) => `${JSON.stringify({ warning: 'No page 3.', ...change })}\n`;
    const result = await detect(warning({ later: 1 }) + withTrack({ warning: 'ignored' }) + warning());
    expect(result).to.include({ ok: true, tracks: 1, detections: 1, warnings: 2 });
    for (const text of [5, null, ' ', ['x']]) {
      const refused = await detect(warning() + warning({ warning: text }));
      expect(refused.ok ? 'accepted' : refused.reason).to.contain('Warning 2 has a warning without text');
    }
  });

  it('refuses whatever is not a track within the range, and says why', async () => {
    const cases: readonly (readonly [string | Buffer, string])[] = [
      ['Segmentation fault\n', 'Track 1 is not JSON'],
      [withTrack({}) + withTrack({}).slice(0, 60), 'Track 2 is not JSON'],
      ['[]\n', 'is not an object'],
      ['null\n', 'is not an object'],
      [Buffer.from([0xff, 0xfe, 0x00]), 'is not UTF-8'],
      [withTrack({ startFrame: -1 }), 'no startFrame'],
      [withTrack({ startFrame: 1.5 }), 'no startFrame'],
      [withTrack({ stopFrame: 10 }), 'outside of 0 to 9'],
      [withTrack({ stopFrame: 2 }), 'before it starts'],
      [withTrack({ stopTime: 'soon' }), 'startTime or stopTime'],
      [withTrack({ type: 7 }), 'type that is not a name'],
      [withTrack({ confidence: null }), 'confidence'],
      [withTrack({ properties: { A: 1 } }), 'properties'],
      [withTrack({ properties: ['A'] }), 'properties'],
      [withTrack({ detections: [] }), 'no detections'],
      [withTrack({ detections: [DETECTION, DETECTION] }), 'do not ascend'],
      [withDetection({ frame: 2 }), 'outside of its track'],
      [withDetection({ x: '1' }), 'no number as its x'],
      [withDetection({ width: null }), 'no number as its width'],
      [withDetection({ time: true }), 'time that is not a number'],
      [withTrack({}).replace('0.5', '1e999'), 'confidence'],
      [`{"x":${'['.repeat(50)}${']'.repeat(50)}}\n`, 'levels deep'],
      [`{"x":[${'{},'.repeat(100_000)}{}]}\n`, 'far more lists'],
    ];
    for (const [content, reason] of cases) {
      const result = await detect(content);
      expect(result.ok ? 'accepted' : result.reason).to.contain(reason);
    }
  });

  it('expects no frames in particular of a medium that has none', async () => {
    const sound = withTrack({ startTime: 830, stopTime: 2530 });
    expect(await detect(sound, { start: 0, stop: -1 })).to.have.property('ok', true);
  });

  it('bounds the length of a line', async () => {
    await writeFile(path('long'), withTrack({ properties: { TEXT: 'x'.repeat(2000) } }));
    const result = await checker.checkResult(path('long'), 'DETECT', { maxLineBytes: 1000 });
    expect(result).to.deep.equal({ ok: false, reason: 'Line 1 is longer than 1000 bytes.' });
  });

  it('gives back a prepared medium without its table of frame times', async () => {
    await writeFile(path('prepared'), `${JSON.stringify(PREPARED)}\n`);
    const { times: _, ...rule } = PREPARED.facts.frameTimes;
    expect(await checker.checkResult(path('prepared'), 'PREPARE')).to.deep.equal({
      ok: true,
      kind: 'PREPARE',
      prepared: { ...PREPARED, facts: { ...PREPARED.facts, frameTimes: rule } },
    });
    for (const content of [
      '',
      '{}\n',
      `${JSON.stringify(PREPARED)}\n`.repeat(2),
      '{"facts":{"mediaType":"FILM"}}',
    ]) {
      await writeFile(path('prepared'), content);
      expect(await checker.checkResult(path('prepared'), 'PREPARE')).to.have.property('ok', false);
    }
  });

  it('gives back the summary that ends a finished result', async () => {
    await writeFile(path('finished'), `{"id":"a"}\n${JSON.stringify({ summary: SUMMARY })}\n`);
    expect(await checker.checkResult(path('finished'), 'FINISH')).to.deep.equal({
      ok: true,
      kind: 'FINISH',
      summary: SUMMARY,
    });
    for (const content of ['', '{"id":"a"}\n', '{"summary":{"tracks":-1}}\n', '{"summary":{"tracks":1,']) {
      await writeFile(path('finished'), content);
      expect(await checker.checkResult(path('finished'), 'FINISH')).to.have.property('ok', false);
    }
  });

  it('takes a document that is whole', async () => {
    for (const [content, ok] of [
      ['{"jobId":"h-1"}', true],
      ['{"jobId":"h-1"}\n', true],
      ['{}', true],
      ['{"jobId":', false],
      ['{', false],
      ['}', false],
      ['', false],
    ] as const) {
      await writeFile(path('document'), content);
      expect(await checker.checkResult(path('document'), 'DOCUMENT'), content).to.have.property('ok', ok);
    }
  });

  it('rejects when the file cannot be read, which is no fault of the component', async () => {
    const failure = await checker.checkResult(path('nowhere'), 'DETECT').catch(String);
    expect(failure).to.contain('ENOENT');
  });

  it('refuses a result that makes its thread die, and goes on with the others', async () => {
    const dying = new ResultChecker({ worker: new URL('./dying-worker.js', import.meta.url) });
    await writeFile(path('killer'), withTrack({}));
    await writeFile(path('good'), withTrack({}));
    const results = await Promise.all([
      dying.checkResult(path('killer'), 'DETECT'),
      dying.checkResult(path('good'), 'DETECT'),
    ]);
    expect(results[0]).to.deep.equal({
      ok: false,
      reason: 'The result could not be checked: Error: exit code 9',
    });
    expect(results[1]).to.have.property('ok', true);
    await dying.close();
  });

  it('is rejected when the checker is closed', async () => {
    const closed = new ResultChecker();
    const waiting = closed.checkResult(path('good'), 'DETECT').catch(String);
    await closed.close();
    expect(await waiting).to.contain('closed');
    expect(await closed.checkResult(path('good'), 'DETECT').catch(String)).to.contain('closed');
  });
});
