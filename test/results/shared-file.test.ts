import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { answerName, answerPlace } from '../../results/answer-place.ts';
import { ResultChecker } from '../../results/check/check.ts';
import { feedIndexLine, readFeedPiece, readSmallPiece } from '../../results/feed-index.ts';
import { readLines } from '../../results/lines.ts';
import { placesOf, trackLines, typesIn } from '../../results/document/track-lines.ts';
import { trackLine } from './document/document-parts.ts';
import { temporaryFolder } from './folder.ts';

const TRACK = {
  startFrame: 0,
  stopFrame: 0,
  confidence: 0.5,
  properties: {},
  detections: [{ frame: 0, x: 1, y: 2, width: 10, height: 20, confidence: 0.5, properties: {} }],
};

describe('Answers that share a file', () => {
  const path = temporaryFolder();

  /** Writes answers one after the other and returns their names. */
  async function writeShared(name: string, answers: readonly string[]): Promise<readonly string[]> {
    const file = path(`${name}.ndjson`);
    await writeFile(file, answers.join(''));
    let offset = 0;
    return answers.map((answer) => {
      const bytes = Buffer.byteLength(answer);
      offset += bytes;
      return answerName(file, offset - bytes, bytes);
    });
  }
  const textsOf = async (lines: AsyncIterable<string | { readonly text: string }>) => {
    const texts: string[] = [];
    for await (const line of lines) texts.push(typeof line === 'string' ? line : line.text);
    return texts;
  };

  it('are told apart from files by their names alone', () => {
    expect(answerPlace('/spool/a.ndjson')).to.deep.equal({
      path: '/spool/a.ndjson',
      offset: 0,
      bytes: undefined,
    });
    expect(answerPlace('/spool/a.ndjson@3+4')).to.deep.equal({
      path: '/spool/a.ndjson',
      offset: 3,
      bytes: 4,
    });
    expect(answerPlace('/media/photo@3+4')).to.include({ path: '/media/photo@3+4', bytes: undefined });
  });

  it('are read each on its own, also one that is empty', async () => {
    const [first, none, last] = await writeShared('lines', ['é\nb\n', '', 'c\n\nd']);
    expect(await textsOf(readLines(first!))).to.deep.equal(['é', 'b']);
    expect(await textsOf(readLines(none!))).to.deep.equal([]);
    expect(await textsOf(readLines(last!))).to.deep.equal(['c', 'd']);
  });

  it('tell the places of their tracks, as a document reads them', async () => {
    const [a, b] = [trackLine('A', 0, 2), trackLine('B', 0, 1)];
    const summary = '{"summary":{"tracks":0}}\n';
    const [, second] = await writeShared('tracks', [`${b}\n${summary}`, `${a}\n${b}\n${summary}`]);
    expect(await textsOf(trackLines(second!))).to.deep.equal([a, b]);
    const index = await typesIn(second!, 0, Infinity);
    expect(await textsOf(trackLines(second!, placesOf(index, 'B')))).to.deep.equal([b]);
  });

  it('tell where the pieces lie that are fed from one of them', async () => {
    const piece = { offset: 0, bytes: 6, start: 1, stop: 2, selector: -1 };
    const [, fed] = await writeShared('fed', ['something else\n', `track\n${feedIndexLine(piece)}`]);
    expect(await readFeedPiece(fed!, 6, 0)).to.deep.equal({ ...piece, offset: 15 });
    expect(await readSmallPiece(fed!, 6, 0, 100)).to.include({ lines: 'track\n' });
  });
});

describe('Small answers that come together', () => {
  it('are checked each on its own: one that is refused is refused alone', async () => {
    const checker = new ResultChecker();
    const good = `${JSON.stringify(TRACK)}\n`;
    const results = await checker.checkResults([good, '{"broken', `${good}${good}`, ''].map(expectedOf));
    expect(
      results.map((result) => (result.ok ? 'tracks' in result && result.tracks : 'refused')),
    ).to.deep.equal([1, 'refused', 2, 0]);
    await checker.close();
  });

  it('are refused alone even when one of them makes the checker die', async () => {
    const dying = new ResultChecker({ worker: new URL('./check/dying-worker.js', import.meta.url) });
    const good = `${JSON.stringify(TRACK)}\n`;
    const results = await dying.checkResults([good, 'killer\n', good].map(expectedOf));
    expect(results.map(({ ok }) => ok)).to.deep.equal([true, false, true]);
    await dying.close();
  });

  const expectedOf = (text: string) => ({ kind: 'DETECT', expectations: {}, text }) as const;
});
