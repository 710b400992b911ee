/** A Whisper model that the operator supplies, run by the whole service. */
import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { detectionCodes, sampleUri, Service, tracksOf } from '../../support/processes/service.ts';
import { writeWhisperModel } from '../../support/media/whisper-model.ts';

const PIPELINE = 'WHISPER SPEECH DETECTION PIPELINE';

describe('WHISPER SPEECH DETECTION PIPELINE', () => {
  let service: Service;
  let models: string;
  before(async () => {
    service = await Service.openShared();
    models = join(service.dataDir, 'models');
    mkdirSync(models, { recursive: true });
    await writeWhisperModel(join(models, 'ggml-base.bin'), { words: ['alpha', 'bravo'], language: 2 });
    await writeWhisperModel(join(models, 'ggml-dying.bin'), { words: ['x'], language: 2, textHeads: 3 });
    writeFileSync(join(models, 'ggml-tiny.bin'), 'no model');
  });
  after(async () => {
    for (const name of ['base', 'dying', 'tiny']) rmSync(join(models, `ggml-${name}.bin`));
    await service.close();
  });

  const run = (size: string) =>
    service.run({
      media: [sampleUri('vad_groundtruth.wav')],
      pipelineName: PIPELINE,
      jobProperties: { WHISPER_MODEL_SIZE: size },
    });

  it('ends in a file of cues with what was said', async () => {
    const id = await service.submit({ media: [sampleUri('vad_groundtruth.wav')], pipelineName: PIPELINE });
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const [medium] = (await service.document(id)).media;
    const tracks = tracksOf(medium, 'SPEECH');
    expect(tracks).to.have.length.above(1);
    expect(tracks[0]!.trackProperties).to.include({ TRANSCRIPT: 'alpha bravo', DETECTED_LANGUAGE: 'de' });
    const cues = await service.ask('GET', `/rest/jobs/${id}/output/detection?format=vtt`);
    expect(cues.text).to.match(/^WEBVTT\n\n(1\n)?00:00:0[12]\.\d{3} --> 00:00:\d\d\.\d{3}\nalpha bravo\n/);
  });

  it('fails with a sentence that names the file, at the first attempt, when it is bad', async () => {
    for (const [size, code, said] of [
      ['tiny', 'COULD_NOT_READ_DATAFILE', /another format/],
      ['dying', 'DETECTION_FAILED', /SIGABRT/],
    ] as const) {
      const document = await run(size);
      expect(detectionCodes(document), size).to.deep.equal([code]);
      expect(JSON.stringify(document)).to.include(`ggml-${size}.bin`).and.to.match(said);
    }
    const detecting = service.handedOut().filter(({ subJob }) => /^test-host-\d+(\.\d+){5}$/.test(subJob));
    expect(detecting.map(({ attempt }) => attempt)).to.deep.equal([1, 1, 1]);
  });

  it('hears a long recording in pieces when it is told to, and its document is as one', async () => {
    const COPIES = 2;
    const recorded = await readFile(join('samples', 'vad_groundtruth.wav'));
    const data = recorded.subarray(recorded.indexOf('data') + 8);
    const head = Buffer.from(recorded.subarray(0, recorded.indexOf('data') + 8));
    head.writeUInt32LE(data.length * COPIES, head.length - 4);
    const file = join(service.mediaDir, 'long.wav');
    writeFileSync(file, Buffer.concat([head, ...Array.from({ length: COPIES }, () => data)]));
    const before = service.handedOut().length;
    const document = await service.run({
      media: [pathToFileURL(file).href],
      pipelineName: PIPELINE,
      jobProperties: { AUDIO_TARGET_SEGMENT_LENGTH: '13' },
    });
    const detecting = service
      .handedOut()
      .slice(before)
      .filter(({ subJob }) => /(\.\d+){5}$/.test(subJob));
    expect(detecting, '33.8 s in pieces of 13 s').to.have.length(3);
    const tracks = tracksOf(document.media[0], 'SPEECH');
    const times = tracks.map(
      ({ startOffsetTime, stopOffsetTime }) => [startOffsetTime, stopOffsetTime] as const,
    );
    expect(
      times.every(([start], n) => n === 0 || start >= times[n - 1]![1]),
      JSON.stringify(times),
    ).to.equal(true);
    for (let copy = 0; copy < COPIES; copy++) {
      const from = copy * 16_886;
      const own = times.filter(([start, stop]) => stop > from && start < from + 16_886);
      expect(own[0]![0] - from, 'somebody speaks from 2.0 s on').to.be.within(1_000, 2_500);
      expect(own.at(-1)![1] - from, 'and until 14.9 s').to.be.within(14_000, 16_000);
    }
  });
});
