/**
 * Export formats of real results, requested from the running service and parsed again. For more detectors,
 * see exports.long.ts.
 */
import { expect } from 'chai';
import { allFound } from '../../results/exports/expected-exports.ts';
import { readCvat, seenFrames } from '../../results/exports/cvat-reader.ts';
import { sampleUri } from '../../support/processes/service.ts';
import { ExportSuite, hasCues, messageOf, tellsAll, tellsAsCoco } from './exports-suite.ts';

describe('Other forms of the detection document', function () {
  this.timeout(240_000);
  const suite = new ExportSuite({
    faces: ['FACE DETECTION PIPELINE', 'face_move.mp4'],
    pictures: ['FACE DETECTION PIPELINE', 'astronaut.png', 'coffee.png'],
    scenes: ['SCENE CHANGE DETECTION PIPELINE', 'scenes_pd.mp4'],
  });

  for (const name of suite.names) tellsAll(suite, name);

  for (const name of ['faces', 'scenes'] as const)
    it(`show ${name} in CVAT in the frames in which they were found`, async () => {
      const document = suite.documents.get(name)!;
      const { status, headers, text } = await suite.form(name, 'format=cvat');
      expect([status, headers.get('content-type')]).to.deep.equal([200, 'application/xml; charset=utf-8']);
      const file = readCvat(text);
      expect(file.size).to.equal(document.media[0]!['length']);
      const tracks = Object.values(document.media[0]!.output).flatMap((entries) =>
        entries.flatMap(({ tracks = [] }) => tracks),
      );
      const places = tracks.map(({ detections }) =>
        detections
          .filter(({ width, height }) => width > 0 && height > 0)
          .map(({ offsetFrame, x, y, width, height }) => [offsetFrame, [x, y, x + width, y + height]]),
      );
      expect(file.tracks.map((track) => [...seenFrames(track, file.size)])).to.deep.equal(
        places.filter(({ length }) => length > 0),
      );
    });

  it('have all pictures in a file for CVAT', async () => {
    const { images } = readCvat((await suite.form('pictures', 'format=cvat')).text);
    expect(images.map(({ name }) => name)).to.deep.equal(['astronaut.png', 'coffee.png']);
    const found = allFound(suite.documents.get('pictures')!);
    expect(images.flatMap(({ boxes }) => boxes)).to.have.lengthOf(found.length);
  });

  for (const name of ['faces', 'pictures'] as const) tellsAsCoco(suite, name);

  hasCues(suite, 'scenes', 'Scene 1');

  it('are had of one medium, and by the Accept header of those who do not take JSON before', async () => {
    const document = suite.documents.get('pictures')!;
    const { mediaId } = document.media[0]!;
    const one = await suite.form('pictures', `format=ndjson&media=${mediaId}`);
    expect(one.text.trimEnd().split('\n')).to.have.lengthOf(
      allFound(document).filter(({ medium }) => medium.mediaId === mediaId).length,
    );
    expect(one.headers.get('content-disposition')).to.include(`-medium-${mediaId}.ndjson"`);
    for (const [accept, type] of [
      ['text/csv', 'text/csv'],
      ['application/x-ndjson, application/json;q=0.5', 'application/x-ndjson'],
      ['*/*', 'application/json'],
      ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
      ['image/png', 'application/json'],
    ] as const)
      expect((await suite.form('pictures', '', { accept })).headers.get('content-type'), accept).to.include(
        type,
      );
  });

  it('are refused in sentences', async () => {
    for (const format of ['xls', '', 'JSON']) {
      const unknown = await suite.form('faces', `format=${format}`);
      expect(unknown.status).to.equal(400);
      expect(messageOf(unknown)).to.match(/^format: must be json, .*ndjson.* or \w+; it is/);
    }
    for (const media of ['-1', 'a', '9'.repeat(16), ''])
      expect(messageOf(await suite.form('faces', `format=csv&media=${media}`)), media).to.match(
        /^media: must be/,
      );
    expect(messageOf(await suite.form('faces', 'format=csv&media=999999'))).to.equal(
      'The document of this job has no medium 999999.',
    );
    expect(messageOf(await suite.form('faces', 'media=1'))).to.include(
      'Use the parameter media with another format',
    );
  });

  it('are refused with a message as subtitles of a medium without cues', async () => {
    const { mediaId } = suite.documents.get('faces')!.media[0]!;
    for (const format of ['vtt', 'srt']) {
      const answer = await suite.form('faces', `format=${format}`);
      expect([answer.status, messageOf(answer)]).to.deep.equal([
        400,
        `Medium ${mediaId} has no speech, text or scenes to write as cues. The formats csv and ndjson have all of its tracks.`,
      ]);
    }
    const cuesOf = async (name: 'faces' | 'scenes') => {
      const path = `/rest/jobs/${suite.documents.get(name)!.jobId}/media`;
      const { media } = (await suite.service.ask('GET', path)).body as { media: readonly { cues: number }[] };
      return media[0]!.cues;
    };
    expect(await cuesOf('faces')).to.equal(0);
    expect(await cuesOf('scenes')).to.be.above(0);
  });

  it('are answered without a body, like the document, where there is none', async () => {
    const none = await suite.service.submit({
      media: [sampleUri('coffee.png')],
      pipelineName: 'LIGHT PIPELINE',
      buildOutput: false,
    });
    await suite.service.terminal(none);
    for (const id of [none, 'test-host-99999', 'nonsense']) {
      const { status, text } = await suite.service.ask('GET', `/rest/jobs/${id}/output/detection?format=csv`);
      expect([status, text]).to.deep.equal([400, '']);
    }
  });
});
