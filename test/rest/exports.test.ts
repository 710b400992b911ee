/** Other forms of what real detectors have found, asked of the running service and read back. */
import { expect } from 'chai';
import { allFound, lineOf } from '../results/exports/expected.ts';
import { readCsv } from '../results/exports/csv-reader.ts';
import { isExemplar } from '../../domain/exemplar.ts';
import { cocoDocument } from '../../http/schemas/detection-document.ts';
import { readSrt, readVtt } from '../results/exports/cue-reader.ts';
import { readCvat, seenFrames } from '../results/exports/cvat-reader.ts';
import { sampleUri, Service, type Answer, type DetectionDocument } from '../support/service.ts';

/** Pipelines with the media that they are asked about. */
const JOBS = {
  faces: ['FACE DETECTION PIPELINE', 'face_move.mp4'],
  pictures: ['FACE DETECTION PIPELINE', 'astronaut.png', 'coffee.png'],
  text: ['TEXT DETECTION PIPELINE', 'gen_text.png'],
  scenes: ['SCENE CHANGE DETECTION PIPELINE', 'scenes_pd.mp4'],
  speech: ['SPEECH DETECTION PIPELINE', 'vad_groundtruth.wav'],
  documents: ['DOCUMENT TEXT DETECTION PIPELINE', 'sections.docx', 'text-embedded-and-images.pdf'],
} as const;
type Job = keyof typeof JOBS;
/** Of a long video the first second. */
const mediumOf = (name: string) => ({
  mediaUri: sampleUri(name),
  ...(name === 'face_move.mp4' ? { frameRanges: [{ start: 0, stop: 24 }] } : {}),
});

describe('Other forms of the detection document', function () {
  this.timeout(240_000);
  let service: Service;
  const ids = new Map<Job, string>();
  const documents = new Map<Job, DetectionDocument>();
  before(async () => {
    service = await Service.shared();
    for (const name of Object.keys(JOBS) as Job[]) {
      const [pipelineName, ...media] = JOBS[name];
      const jobProperties = { ARTIFACT_EXTRACTION_POLICY: 'NONE' };
      const id = await service.submit({ media: media.map(mediumOf), pipelineName, jobProperties });
      await service.terminal(id, 100_000);
      ids.set(name, id);
      documents.set(name, await service.document(id));
    }
  });
  after(() => service.close());

  const pathOf = (job: Job) => `/rest/jobs/${ids.get(job)}/output/detection`;
  const form = (job: Job, query: string, headers = {}) =>
    service.ask('GET', `${pathOf(job)}?${query}`, undefined, headers);
  const messageOf = ({ body }: Answer) => (body as { readonly message: string }).message;
  const jobNumber = (job: Job) => ids.get(job)!.replace('test-host-', '');

  for (const name of Object.keys(JOBS) as Job[]) {
    it(`tell all that was found of ${name} as NDJSON and as CSV`, async () => {
      const document = documents.get(name)!;
      const expected = allFound(document).map(lineOf(document));
      expect(expected.length).to.be.above(0);
      const { status, headers, text } = await form(name, 'format=ndjson');
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.equal('application/x-ndjson; charset=utf-8');
      expect(headers.get('content-disposition')).to.equal(
        `attachment; filename="job-${jobNumber(name)}.ndjson"`,
      );
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
      expect(lines).to.deep.equal(expected);
      const csv = await form(name, 'format=csv');
      expect(csv.headers.get('content-type')).to.equal('text/csv; charset=utf-8; header=present');
      const [names = [], ...rows] = readCsv(csv.text);
      const column = (of: string) => rows.map((row) => row[names.indexOf(of)]);
      expect(column('track_id')).to.deep.equal(expected.map(({ trackId }) => trackId));
      expect(column('track_properties').map((cell) => JSON.parse(cell!) as unknown)).to.deep.equal(
        expected.map(({ trackProperties }) => trackProperties),
      );
      for (const field of ['x', 'y', 'width', 'height', 'frame', 'confidence'] as const)
        expect(column(field).map(Number)).to.deep.equal(expected.map((line) => line[field]));
    });
  }

  for (const name of ['faces', 'scenes'] as const)
    it(`show ${name} in CVAT in the frames in which they were found`, async () => {
      const document = documents.get(name)!;
      const { status, headers, text } = await form(name, 'format=cvat');
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

  it('have all pictures in a file for CVAT, and none of what cannot be seen', async () => {
    const { images } = readCvat((await form('pictures', 'format=cvat')).text);
    expect(images.map(({ name }) => name)).to.deep.equal(['astronaut.png', 'coffee.png']);
    const found = allFound(documents.get('pictures')!);
    expect(images.flatMap(({ boxes }) => boxes)).to.have.lengthOf(found.length);
    const refused = await form('speech', 'format=cvat');
    expect([refused.status, messageOf(refused)]).to.deep.equal([
      400,
      'The job has neither videos nor pictures: cvat knows no other media.',
    ]);
  });

  for (const name of ['faces', 'pictures', 'text'] as const)
    it(`tell as COCO where ${name} are`, async () => {
      const found = allFound(documents.get(name)!).filter(
        ({ medium, track, detection }) =>
          medium.mediaType === 'IMAGE' || isExemplar(detection, track.exemplar),
      );
      const { images, annotations } = cocoDocument.parse((await form(name, 'format=coco')).body);
      expect(annotations.map(({ bbox, attributes }) => [bbox, attributes['track_id']])).to.deep.equal(
        found.map(({ detection: { x, y, width, height }, track }) => [[x, y, width, height], track.id]),
      );
      const frames = new Map(images.map((image) => [image.id, [image.media_id, image.frame]]));
      expect(annotations.map(({ image_id: image }) => frames.get(image))).to.deep.equal(
        found.map(({ medium, detection }) => [medium.mediaId, detection.offsetFrame]),
      );
    });

  for (const [name, text] of [
    ['speech', '[Speech]'],
    ['scenes', 'Scene 1'],
  ] as const)
    it(`have ${name} as cues, with their times`, async () => {
      const tracks = new Set(allFound(documents.get(name)!).map(({ track }) => track));
      const { FPS: fps } = documents.get(name)!.media[0]!.mediaMetadata;
      const last = fps === undefined ? 0 : 1_000 / Number(fps);
      for (const [format, read, type] of [
        ['vtt', readVtt, 'text/vtt'],
        ['srt', readSrt, 'application/x-subrip'],
      ] as const) {
        const answer = await form(name, `format=${format}`);
        expect(answer.headers.get('content-type')).to.equal(`${type}; charset=utf-8`);
        const cues = read(answer.text);
        expect(cues[0]!.text).to.equal(text);
        expect(cues.map(({ startMs }) => startMs)).to.deep.equal(
          [...tracks].map((one) => one.startOffsetTime),
        );
        for (const [at, { stopOffsetTime }] of [...tracks].entries())
          expect(cues[at]!.stopMs).to.be.closeTo(stopOffsetTime + last, 1);
      }
    });

  it('are had of one medium, and by the Accept header of those who do not take JSON before', async () => {
    const document = documents.get('pictures')!;
    const { mediaId } = document.media[0]!;
    const one = await form('pictures', `format=ndjson&media=${mediaId}`);
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
      expect((await form('pictures', '', { accept })).headers.get('content-type'), accept).to.include(type);
  });

  it('are refused in sentences', async () => {
    for (const format of ['xls', '', 'JSON']) {
      const unknown = await form('faces', `format=${format}`);
      expect(unknown.status).to.equal(400);
      expect(messageOf(unknown)).to.match(/^format: must be json, .*ndjson.* or \w+; it is/);
    }
    for (const media of ['-1', 'a', '9'.repeat(16), ''])
      expect(messageOf(await form('faces', `format=csv&media=${media}`)), media).to.match(/^media: must be/);
    expect(messageOf(await form('faces', 'format=csv&media=999999'))).to.equal(
      'The document of this job has no medium 999999.',
    );
    expect(messageOf(await form('faces', 'media=1'))).to.include('media needs another format');
  });

  it('are answered without a body, like the document, where there is none', async () => {
    const none = await service.submit({
      media: [sampleUri('coffee.png')],
      pipelineName: 'FACE DETECTION PIPELINE',
      buildOutput: false,
    });
    await service.terminal(none);
    for (const id of [none, 'test-host-99999', 'nonsense']) {
      const { status, text } = await service.ask('GET', `/rest/jobs/${id}/output/detection?format=csv`);
      expect([status, text]).to.deep.equal([400, '']);
    }
  });
});
