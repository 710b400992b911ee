/** A model of one's own through the whole service: a file below MODEL_ROOTS, one job property. */
import { expect } from 'chai';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crashingModel, endlessModel } from '../support/onnx-model.ts';
import { detectionCodes, sampleUri, Service, tracksOf, type DetectionDocument } from '../support/service.ts';
import { NAMES, yoloModel } from '../components/own-model.ts';

describe('A model of one’s own', () => {
  let service: Service;
  let models: string;
  before(async () => {
    service = await Service.shared();
    models = path.join(service.dataDir, 'models');
    await mkdir(models, { recursive: true });
    await writeFile(path.join(models, 'pets.onnx'), yoloModel());
  });
  after(async () => {
    for (const name of (await readdir(models)).filter((one) => one.endsWith('.onnx')))
      await rm(path.join(models, name));
    await service.close();
  });

  const run = (medium: string, name: string, on = service): Promise<DetectionDocument> =>
    on.run({
      media: [sampleUri(medium)],
      pipelineName: 'ONNX DETECTION PIPELINE',
      jobProperties: { MODEL_NAME: name },
    });

  it('finds things in images and follows them through videos, with nothing set but its name', async () => {
    for (const [medium, frames] of [
      ['coffee.png', 1],
      ['face_move.mp4', undefined],
    ] as const) {
      const document = await run(medium, 'pets');
      const tracks = tracksOf(document.media[0], 'CLASS');
      const classes = tracks.map(({ trackProperties }) => trackProperties['CLASSIFICATION']);
      expect(classes, medium).to.have.members(['cat', 'dog']);
      const length = frames ?? Number(document.media[0]!['length']);
      for (const { startOffsetFrame, stopOffsetFrame } of tracks)
        expect([startOffsetFrame, stopOffsetFrame]).to.deep.equal([0, length - 1]);
    }
  });

  it('looks at the regions that a task before it found', async () => {
    const document = await service.run({
      media: [sampleUri('astronaut.png')],
      jobProperties: { MODEL_NAME: 'pets.onnx' },
      pipelineDefinition: {
        pipeline: ['FACE DETECTION TASK', 'OWN'],
        tasks: [{ name: 'OWN', actions: ['OWN'] }],
        actions: [
          { name: 'OWN', algorithm: 'ONNX', properties: [{ name: 'FEED_FORWARD_TYPE', value: 'REGION' }] },
        ],
      },
    });
    const [face] = tracksOf(document.media[0], 'FACE');
    const found = tracksOf(document.media[0], 'CLASS');
    expect(found).to.have.length(2);
    const { x, width } = face!.exemplar;
    for (const { exemplar } of found) expect(exemplar.x).to.be.within(x, x + width - exemplar.width);
  });

  it('that never ends is an error of its medium that names it, after one attempt; the component goes on', async () => {
    // What is endless computes until MODEL_CHECK_MS is over, so it has a server where that is short.
    const hasty = await Service.here({ MODEL_CHECK_MS: '1500' });
    try {
      const own = path.join(hasty.dataDir, 'models');
      await mkdir(own, { recursive: true });
      await writeFile(path.join(own, 'endless.onnx'), endlessModel({ name: 'images', dims: [1, 3, 8, 8] }));
      const [document, attempts] = await attempted('endless', hasty);
      expect(JSON.stringify(document.media[0])).to.include(
        'The model endless had not answered within 1500 ms (MODEL_CHECK_MS)',
      );
      expect(attempts).to.deep.equal([1]);
      const [next] = await attempted('not there', hasty);
      expect(JSON.stringify(next.media[0])).to.include('There is no model');
    } finally {
      await hasty.close();
    }
  });

  describe('that ends the process it is computed in', () => {
    before(async function () {
      if (process.arch !== 'x64') this.skip();
      for (const when of ['loaded', 'not black'] as const) {
        const model = crashingModel({ name: 'images', dims: [1, 3, 8, 8] }, when, NAMES);
        await writeFile(path.join(models, `crashes when ${when}.onnx`), model);
      }
    });

    it('when it is tried is an error of its medium that names it, after one attempt', async () => {
      const [document, attempts] = await attempted('crashes when loaded');
      expect(detectionCodes(document)).to.deep.equal(['DETECTION_NOT_INITIALIZED']);
      expect(JSON.stringify(document.media[0])).to.include(
        'The model crashes when loaded ended the process that tried it (SIGFPE)',
      );
      expect(attempts).to.deep.equal([1]);
      await goesOn();
    });

    it('only when it sees a picture fails it after three attempts, and takes nothing else with it', async () => {
      const [document, attempts] = await attempted('crashes when not black');
      expect(detectionCodes(document)).to.deep.equal(['DEAD_LETTER']);
      expect(attempts).to.deep.equal([1, 2, 3]);
      await goesOn();
    });
  });

  /** With the attempts at its one picture. */
  async function attempted(name: string, on = service): Promise<[DetectionDocument, readonly number[]]> {
    const before = on.handedOut().length;
    const document = await run('coffee.png', name, on);
    const detecting = on
      .handedOut()
      .slice(before)
      .filter(({ subJob }) => /(\.\d+){5}$/.test(subJob));
    return [document, detecting.map(({ attempt }) => attempt)];
  }

  async function goesOn(): Promise<void> {
    const after = await run('coffee.png', 'pets');
    expect(tracksOf(after.media[0], 'CLASS')).to.have.length(2);
  }
});
