import { expect } from 'chai';
import { temporaryFolder } from '../../../results/folder.ts';
import { detection, finishAll, finishWork, span, track, type Given } from './media-parts.ts';

describe('Finishing a track', () => {
  const path = temporaryFolder();
  const finishGiven = async (given: Given): ReturnType<typeof finishAll> =>
    finishAll(await finishWork(path, given));
  const spans = (tracks: readonly { startOffsetFrame: number; stopOffsetFrame: number }[]): string[] =>
    tracks.map(({ startOffsetFrame, stopOffsetFrame }) => `${startOffsetFrame}-${stopOffsetFrame}`);

  it('drops ill-formed detections with a warning that names the frames', async () => {
    const raw = track([
      detection(1, [700, 10, 20, 20]),
      detection(2, [10, 10, 20, 20]),
      detection(3, [10, 10, 20, 20]),
      detection(4, [10, 10, 0, 20]),
    ]);
    const gone = track([detection(5, [10, 10, 0.2, 20]), detection(6, [10, 10, 5, -1])]);
    const speech = { ...track([detection(7, [0, 0, 0, 0])]), type: 'SPEECH' };
    const { tracks, summary } = await finishGiven({ parts: [[raw, gone, speech]] });
    expect(spans(tracks)).to.deep.equal(['2-3', '7-7']);
    expect(tracks[0]).to.include({ startOffsetTime: 80, stopOffsetTime: 120 });
    const dropped = 'Dropped one or more ill-formed detection regions with';
    expect(summary.warnings).to.deep.equal([
      { code: 'INVALID_DETECTION', message: `${dropped} width or height equal to 0. (Frames: 4 - 6)` },
      { code: 'INVALID_DETECTION', message: `${dropped} bounding box completely outside frame. (Frames: 1)` },
    ]);
  });

  it('gathers what the component warned of: equal warnings once, and no more than 20', async () => {
    const dark = { warning: 'Frame 3 is too dark.' };
    const raw = track([detection(2, [10, 10, 20, 20])]);
    const few = await finishGiven({
      parts: [[dark, raw], [dark], [{ warning: 'Frame 150 is missing.' }, dark]],
    });
    expect(few.summary).to.include({ tracks: 1, detections: 1 });
    expect(few.summary.warnings).to.deep.equal([
      { code: 'OTHER', message: 'Frame 3 is too dark.' },
      { code: 'OTHER', message: 'Frame 150 is missing.' },
    ]);
    const part = Array.from({ length: 30 }, (_, n) => ({ warning: `${n}${'x'.repeat(5000)}` }));
    const { warnings } = (await finishGiven({ parts: [part, part] })).summary;
    expect(warnings).to.have.length(21);
    for (const { message } of warnings) expect(message.length).to.be.at.most(4000);
    expect(warnings[20]?.message).to.equal(
      'There are more than 20 different warnings; the others are left out.',
    );
  });

  it('drops detections that are narrower or lower than asked for, but none without a box', async () => {
    const raw = track([
      detection(1, [10, 10, 19, 40]),
      detection(2, [10, 10, 20, 30]),
      detection(3, [10, 10, 40, 30]),
      detection(4, [10, 10, 40, 29]),
    ]);
    const gone = track([detection(5, [10, 10, 1, 1])]);
    const speech = { ...track([detection(7, [0, 0, 0, 0])]), type: 'SPEECH' };
    const parts = [[raw, gone, speech]];
    const properties = { MIN_DETECTION_WIDTH: '20', MIN_DETECTION_HEIGHT: '30', DETECTION_PADDING_X: '10' };
    const { tracks, summary } = await finishGiven({ parts, properties });
    expect(spans(tracks)).to.deep.equal(['2-3', '7-7']);
    expect(tracks[0]?.exemplar.width, 'after padding').to.be.above(20);
    expect(summary.warnings).to.deep.equal([]);
    expect(spans((await finishGiven({ parts })).tracks)).to.deep.equal(['1-4', '5-5', '7-7']);
  });

  it('keeps a warning of very many frames short', async () => {
    const bad = Array.from({ length: 5000 }, (_, i) => track([detection(2 * i, [0, 0, 0, 0])]));
    const { summary } = await finishGiven({ parts: [bad] });
    expect(summary.warnings[0]?.message)
      .to.have.length.below(4010)
      .and.match(/, \d+, \.\.\.\)$/);
  });

  it('pads detections inside the frame, and warns of those that shrink to nothing', async () => {
    const parts = [[track([detection(1, [600, 10, 40, 40])])]];
    const grown = await finishGiven({
      parts,
      properties: { DETECTION_PADDING_X: '25%', DETECTION_PADDING_Y: '5' },
    });
    expect(grown.tracks[0]?.exemplar).to.include({ x: 590, y: 5, width: 50, height: 50 });
    const shrunk = await finishGiven({ parts, properties: { DETECTION_PADDING_X: '-20' } });
    expect(shrunk.tracks[0]?.exemplar).to.deep.include({
      width: 1,
      detectionProperties: { SHRUNK_TO_NOTHING: 'TRUE' },
    });
    expect(shrunk.summary.warnings).to.deep.equal([
      {
        code: 'PADDING',
        message:
          'Shrunk one or more detection regions to nothing. 1-pixel detection regions used instead. (Frames: 1)',
      },
    ]);
  });

  it('labels what moves, and keeps only that when told to', async () => {
    const still = span(0, 9);
    const runner = track([0, 1, 2].map((i) => detection(i, [i * 200, 10, 50, 60])));
    const properties = { MOVING_TRACK_LABELS_ENABLED: 'TRUE' };
    const labelled = await finishGiven({ parts: [[still, runner]], properties });
    expect(labelled.tracks.map(({ trackProperties }) => trackProperties)).to.deep.equal([
      { MOVING: 'TRUE' },
      { MOVING: 'FALSE' },
    ]);
    const only = await finishGiven({
      parts: [[still, runner]],
      properties: { ...properties, MOVING_TRACKS_ONLY: 'TRUE' },
    });
    expect(spans(only.tracks)).to.deep.equal(['0-2']);
  });

  it('has the exemplar that the policy chooses', async () => {
    const raw = track(
      [1, 2, 3].map((frame) => detection(frame, [frame, 0, 9, 9], { confidence: frame === 2 ? 0.9 : 0.1 })),
    );
    for (const [policy, frame] of Object.entries({ FIRST: 1, LAST: 3, MIDDLE: 2, QUALITY: 2 })) {
      const { tracks } = await finishGiven({
        parts: [[raw]],
        properties: { EXEMPLAR_POLICY: policy },
      });
      expect(tracks[0]?.exemplar.offsetFrame).to.equal(frame);
    }
  });
});
