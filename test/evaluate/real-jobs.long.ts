/**
 * `troupe evaluate` with jobs of a real service, from the media to the measures. Other tests check the
 * values.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Evaluation } from '../../evaluate/evaluation.ts';
import { Place, sample } from '../cli/support/support.ts';

const truth = (name: string): string => path.resolve('test/bench/media/truth', name);

describe('troupe evaluate, over real jobs', () => {
  let place: Place;
  before(async () => {
    place = new Place({ warm: true });
    await place.serve({ MEDIA_ROOTS: path.resolve('samples') });
  });
  after(() => place.leave());

  const runCommand = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await place.troupe(args);
    expect(code, stderr).to.equal(0);
    return stdout;
  };
  const idOf = async (pipeline: string, ...media: readonly string[]): Promise<string> => {
    const uris = media.map((name) => sample(name));
    const said = await runCommand('analyze', ...uris, '--pipeline', pipeline);
    return /^Job (\S+) /m.exec(said)?.[1] ?? '';
  };
  const runEvaluation = async (...args: readonly string[]): Promise<Evaluation> =>
    JSON.parse(await runCommand('evaluate', ...args, '--json')) as Evaluation;

  it('measures a face that moves through a video, by job id and by a document file', async () => {
    const id = await idOf('FACE DETECTION PIPELINE', 'face_move.mp4', 'chelsea.png');
    const byId = await runEvaluation(truth('face_move-face.txt'), id);
    expect(byId.document).to.deep.equal({ name: `Job ${id}`, jobId: id, status: 'COMPLETE' });
    expect(byId.boxes?.overall.ap50).to.be.at.least(0.95);
    expect(byId.tracking?.overall.mota).to.be.at.least(0.95);
    expect(byId.tracking?.overall).to.include({ objects: 80, switches: 0 });
    await runCommand('jobs', 'output', id, '--output', 'found.json');
    const byFile = await runEvaluation(truth('face_move-face.txt'), 'found.json');
    expect({ ...byFile, document: byId.document }).to.deep.equal(byId);
  });

  it('finds nothing to blame where the truth is what the job itself exports', async () => {
    const id = await idOf('OBJECT DETECTION PIPELINE', 'race.jpg', 'red-car.jpg');
    for (const format of ['coco', 'cvat']) {
      mkdirSync(path.join(place.folder, format), { recursive: true });
      await runCommand('jobs', 'output', id, '--format', format, '--output', `${format}/own`);
      const { boxes } = await runEvaluation(`${format}/own`, id);
      expect(boxes?.overall, format).to.include({ ap: 1, precision: 1, recall: 1 });
      expect(boxes?.overall.truths, format).to.be.greaterThan(3);
    }
  });

  it('measures who speaks when, and what is written', async () => {
    const spoken = await idOf('SPEECH DETECTION PIPELINE', 'vad_groundtruth.wav');
    const { speech } = await runEvaluation(truth('vad_groundtruth.rttm'), spoken, '--collar', '0.25');
    expect(speech?.overall.errorRate).to.be.below(0.1);
    const read = await idOf('TEXT DETECTION PIPELINE', 'gen_text.png');
    writeFileSync(path.join(place.folder, 'text.txt'), 'HELLO OPENMPF 2026 The quick brown fox jumps.');
    const { text } = await runEvaluation('text.txt', read);
    expect(text?.words).to.include({ wanted: 8, errorRate: 0 });
  });

  it('says which job there is not, and which job has nothing to measure yet', async () => {
    const { code, stderr } = await place.troupe(['evaluate', truth('faces.json'), 'host-999']);
    expect(code).to.equal(2);
    expect(stderr).to.include('There is no job host-999');
  });
});
