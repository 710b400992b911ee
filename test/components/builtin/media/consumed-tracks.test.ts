import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { feed } from '../../../../components/builtin/media/finish/feed.ts';
import { finish } from '../../../../components/builtin/media/finish/finish.ts';
import { readMarks } from '../../../../components/builtin/markup/read-marks.ts';
import { markupSettings } from '../../../../components/builtin/markup/settings.ts';
import type { FedTrack } from '../../../../protocol/detection-work.ts';
import type { FinishSummary, FinishWork, TrackSource } from '../../../../protocol/track-work.ts';
import { trackLines } from '../../../../results/document/track-lines.ts';
import { context, detection, finishWork, textOf, track } from './media-parts.ts';

describe('A track that a task has taken because of its TRIGGER', () => {
  let folder: string;
  const path = (name: string) => join(folder, name);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-consumed-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const trackOf = (KIND: string, frame: number) =>
    track([detection(frame, [10, 10, 20, 20])], { properties: { KIND } });

  async function write(name: string, text: string): Promise<string> {
    await writeFile(path(name), text);
    return text;
  }

  const summaryOf = (text: string) =>
    (JSON.parse(text.trimEnd().split('\n').at(-1)!) as { summary: FinishSummary }).summary;

  async function fedFrom(sources: readonly TrackSource[], work: FinishWork): Promise<readonly FedTrack[]> {
    const answer = await write(
      'fed',
      await textOf(feed({ medium: work.medium, properties: {}, sources, maxPieces: 100 }, context())),
    );
    const lines = answer.split('\n').filter((line) => line.startsWith('{"startFrame"'));
    return lines.map((line) => JSON.parse(line) as FedTrack);
  }

  /** A car consumed by a triggered task, and a van that an annotator renamed to car. */
  async function renameTracks(): Promise<{ readonly work: FinishWork; readonly after: TrackSource }> {
    const work = await finishWork(path, { parts: [[trackOf('car', 0), trackOf('van', 10)]] });
    await write('task-0', await textOf(finish(work, context())));
    const before = { task: 0, path: path('task-0'), first: 0, count: 2, consumedBy: ['KIND=car'] };
    expect((await fedFrom([before], work)).map(({ properties }) => properties['KIND'])).to.deep.equal([
      'van',
    ]);
    const bytes = (await textOf(feed({ medium: work.medium, properties: {}, sources: [before], maxPieces: 9 }, context()))).split('\n')[0]!.length + 1; // oxfmt-ignore
    await write('said', `${JSON.stringify({ ...trackOf('car', 10), fed: 0 })}\n`);
    const annotating: FinishWork = {
      ...work,
      task: 2,
      annotated: [before],
      parts: [
        {
          path: path('said'),
          range: { start: 10, stop: 10 },
          fed: { path: path('fed'), offset: 0, bytes },
        },
      ],
    };
    const text = await write('task-2', await textOf(finish(annotating, context())));
    expect(summaryOf(text).sections?.map(({ task, count }) => [task, count])).to.deep.equal([[0, 2]]);
    return { work, after: { ...before, path: path('task-2'), consumedBy: [] } };
  }

  it('stays taken, and no other becomes so by what an annotator says of it later', async () => {
    const { work, after } = await renameTracks();
    const fed = await fedFrom([after], work);
    expect(fed.map(({ startFrame, properties }) => [startFrame, properties['KIND']])).to.deep.equal([
      [10, 'car'],
    ]);
    const settings = markupSettings(work.properties, true);
    const marks = (await readMarks([after], settings, new AbortController().signal)).byFrame();
    expect([marks(0).length, marks(10).length]).to.deep.equal([0, 1]);
  });

  it('is told in the document like any other', async () => {
    const { after } = await renameTracks();
    const kinds: unknown[] = [];
    for await (const line of trackLines(after.path))
      kinds.push((JSON.parse(line) as { trackProperties: unknown }).trackProperties);
    expect(kinds).to.deep.equal([{ KIND: 'car' }, { KIND: 'car' }]);
  });
});
