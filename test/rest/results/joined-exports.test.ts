/** Exports for training, reports and tables, and exports of many jobs, requested from the running service. */
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { cocoDocument } from '../../../http/schemas/jobs/detection-document.ts';
import { labelStudioTasks } from '../../../http/schemas/jobs/exports.ts';
import { allFound } from '../../results/exports/expected-exports.ts';
import { sampleUri, Service, type DetectionDocument } from '../../support/processes/service.ts';

const FACES = { pipelineName: 'FACE DETECTION PIPELINE' };

describe('Exports of jobs', function () {
  this.timeout(240_000);
  let service: Service;
  let faces: DetectionDocument;
  let picture: DetectionDocument;
  let sound: DetectionDocument;
  before(async () => {
    service = await Service.openShared();
    const video = { mediaUri: sampleUri('face_move.mp4'), frameRanges: [{ start: 0, stop: 24 }] };
    faces = await service.run({ ...FACES, media: [video], labels: ['batch:a'] }, 100_000);
    picture = await service.run({ ...FACES, media: [sampleUri('astronaut.png')], labels: ['batch:a'] });
    const speech = { pipelineName: 'SPEECH DETECTION PIPELINE', media: [sampleUri('green.wav')] };
    sound = await service.run({ ...speech, labels: ['batch:b'] }, 100_000);
  });
  after(() => service.close());

  const get = (path: string) =>
    fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${service.token}` } });
  const form = ({ jobId }: { readonly jobId: string }, query: string) =>
    get(`/rest/jobs/${jobId}/output/detection?${query}`);
  const messageOf = async (path: string) => {
    const { status, body } = await service.ask('GET', path);
    return [status, (body as { message: string }).message] as const;
  };
  const jobsOf = async (answer: Response) =>
    new Set(
      (await answer.text())
        .split('\n')
        .slice(0, -1)
        .map((line) => (JSON.parse(line) as { jobId: string }).jobId),
    );

  it('come as Parquet, Label Studio, YOLO and HTML, with their types and names', async () => {
    for (const [format, type, ending] of [
      ['parquet', 'application/vnd.apache.parquet', 'parquet'],
      ['labelstudio', 'application/json; charset=utf-8', 'labelstudio.json'],
      ['yolo', 'application/zip', 'yolo.zip'],
      ['html', 'text/html; charset=utf-8', 'html'],
    ] as const) {
      const answer = await form(faces, `format=${format}`);
      expect([answer.status, answer.headers.get('content-type')], format).to.deep.equal([200, type]);
      expect(answer.headers.get('content-disposition')).to.equal(
        `attachment; filename="${faces.jobId}.${ending}"`,
      );
      expect((await answer.arrayBuffer()).byteLength).to.be.above(100);
    }
    const file = await (await form(faces, 'format=parquet')).arrayBuffer();
    expect(await parquetReadObjects({ file })).to.have.length(allFound(faces).length);
    const tasks = labelStudioTasks.parse(await (await form(faces, 'format=labelstudio')).json());
    expect(tasks[0]!.predictions[0]!.result).to.have.length.above(0);
  });

  it('have real frames in a ZIP for YOLO when pictures are asked for', async () => {
    const zip = Buffer.from(await (await form(picture, 'format=yolo&pictures=true')).arrayBuffer());
    expect(zip.includes('labels/astronaut.txt')).to.equal(true);
    expect(zip.includes('images/astronaut.jpg')).to.equal(true);
    expect(zip.includes(Buffer.from([0xff, 0xd8, 0xff])), 'a JPEG').to.equal(true);
    const without = Buffer.from(await (await form(picture, 'format=yolo')).arrayBuffer());
    expect(without.includes(Buffer.from([0xff, 0xd8, 0xff]))).to.equal(false);
  });

  it('show pictures of the findings in a report, and go without them when the medium is gone', async () => {
    const report = await (await form(faces, 'format=html')).text();
    expect(report)
      .to.include('FACE')
      .and.to.match(/data:image\/(png|jpeg);base64,/);
    const path = join(service.mediaDir, 'leaving.png');
    await copyFile(fileURLToPath(sampleUri('astronaut.png')), path);
    const jobProperties = { ARTIFACT_EXTRACTION_POLICY: 'NONE' };
    const { jobId } = await service.run({ ...FACES, media: [pathToFileURL(path).href], jobProperties });
    await rm(path);
    const poor = await form({ jobId }, 'format=html');
    const text = await poor.text();
    expect([poor.status, text.includes('data:image')]).to.deep.equal([200, false]);
    expect(text).to.include('Some pictures are missing').and.to.include('FACE');
  });

  it('are refused in a sentence where they do not fit the media', async () => {
    for (const format of ['labelstudio', 'yolo', 'coco', 'cvat'])
      expect((await messageOf(`/rest/jobs/${sound.jobId}/output/detection?format=${format}`))[0]).to.equal(
        400,
      );
    expect(await messageOf(`/rest/jobs/${sound.jobId}/output/detection?format=yolo`)).to.deep.equal([
      400,
      'There are neither videos nor pictures, and yolo supports no other media.',
    ]);
  });

  it('answer 409 for a job that runs', async () => {
    const job = await service.submit({ media: [sampleUri('race.jpg')], pipelineName: 'ABSENT PIPELINE' });
    const [status, message] = await messageOf(`/rest/jobs/${job}/output/detection?format=csv`);
    expect(status).to.equal(409);
    expect(message).to.match(
      new RegExp(`^Job ${job} is in progress \\(\\w+\\). Export it when it has ended.$`),
    );
    expect((await service.ask('GET', `/rest/jobs/${job}/output/detection`)).status).to.equal(400);
    // An export of several jobs leaves out a running job.
    const answer = await get(`/rest/exports?format=ndjson&ids=${job},${faces.jobId}`);
    expect(answer.headers.get('exported-jobs')).to.equal('1');
    expect([...(await jobsOf(answer))]).to.deep.equal([faces.jobId]);
    await service.cancel(job);
    await service.terminal(job);
  });

  it('have many jobs in one file, by their ids or by a filter', async () => {
    const both = [faces.jobId, picture.jobId];
    for (const query of [`ids=${both.join(',')}`, `ids=${both[0]}&ids=${both[1]}`, 'label=batch:a']) {
      const answer = await get(`/rest/exports?format=ndjson&${query}`);
      expect([answer.status, answer.headers.get('exported-jobs')], query).to.deep.equal([200, '2']);
      expect(answer.headers.get('content-disposition')).to.include('"troupe-export.ndjson"');
      expect([...(await jobsOf(answer))], query).to.have.members(both);
    }
    const csv = await (await get('/rest/exports?format=csv&label=batch:a')).text();
    const count = allFound(faces).length + allFound(picture).length;
    expect(csv.match(/^job_id,/gm)).to.have.length(1);
    expect(csv.trimEnd().split('\r\n')).to.have.length(count + 1);
    const file = await (await get('/rest/exports?format=parquet&label=batch:a')).arrayBuffer();
    expect(await parquetReadObjects({ file })).to.have.length(count);
    const coco = cocoDocument.parse(await (await get('/rest/exports?format=coco&label=batch:a')).json());
    expect(new Set(coco.images.map(({ media_id: id }) => id)).size).to.equal(2);
    const tasks = await (await get('/rest/exports?format=labelstudio&label=batch:a')).json();
    expect(labelStudioTasks.parse(tasks)).to.have.length(2);
    const zip = Buffer.from(await (await get('/rest/exports?format=yolo&label=batch:a')).arrayBuffer());
    for (const name of ['labels/astronaut.txt', 'labels/face_move-0000', 'data.yaml'])
      expect(zip.includes(name), name).to.equal(true);
  });

  it('say which selection is wrong', async () => {
    expect(await messageOf('/rest/exports?format=csv&label=nobody')).to.deep.equal([
      400,
      'No job of this selection has ended with a document on this server.',
    ]);
    expect((await messageOf('/rest/exports?format=csv&ids=999999'))[0]).to.equal(404);
    for (const [query, words] of [
      ['', 'format: must be'],
      ['format=vtt', 'format: must be'],
      ['format=csv&ids=7&label=a', 'ids: cannot be given together with a filter'],
      ['format=csv&ids=', 'must be the id of a job'],
      ['format=csv&status=NO', 'status'],
      ['format=csv&colour=red', 'colour'],
    ] as const) {
      const [status, message] = await messageOf(`/rest/exports?${query}`);
      expect(status, query).to.equal(400);
      expect(message, query).to.include(words);
    }
  });
});
