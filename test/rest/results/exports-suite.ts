/** Shared by the tests of export formats: jobs of real detectors, and checks that hold for every document. */
import { expect } from 'chai';
import { isExemplar } from '../../../domain/tracks/exemplar.ts';
import { cocoDocument } from '../../../http/schemas/jobs/detection-document.ts';
import { readCsv } from '../../results/exports/csv-reader.ts';
import { readSrt, readVtt } from '../../results/exports/cue-reader.ts';
import { allFound, lineOf } from '../../results/exports/expected-exports.ts';
import { sampleUri, Service, type Answer, type DetectionDocument } from '../../support/processes/service.ts';

/** Only the first second of a long video. */
const mediumOf = (name: string) => ({
  mediaUri: sampleUri(name),
  ...(name === 'face_move.mp4' ? { frameRanges: [{ start: 0, stop: 24 }] } : {}),
});

export const messageOf = ({ body }: Answer) => (body as { readonly message: string }).message;

export class ExportSuite<Job extends string> {
  readonly names: readonly Job[];
  readonly documents = new Map<Job, DetectionDocument>();
  #service: Service | undefined;

  /** Use in a `describe`. `jobs`: pipelines with their media. */
  constructor(jobs: Readonly<Record<Job, readonly [pipeline: string, ...media: readonly string[]]>>) {
    this.names = Object.keys(jobs) as Job[];
    before(async () => {
      this.#service = await Service.openShared();
      for (const name of this.names) {
        const [pipelineName, ...media] = jobs[name];
        const jobProperties = { ARTIFACT_EXTRACTION_POLICY: 'NONE' };
        const request = { media: media.map(mediumOf), pipelineName, jobProperties };
        this.documents.set(name, await this.service.run(request, 100_000));
      }
    });
    after(() => this.#service?.close());
  }

  get service(): Service {
    return this.#service!;
  }

  form(job: Job, query: string, headers = {}): Promise<Answer> {
    const path = `/rest/jobs/${this.documents.get(job)!.jobId}/output/detection?${query}`;
    return this.service.ask('GET', path, undefined, headers);
  }
}

export function tellsAll<Job extends string>(suite: ExportSuite<Job>, name: Job): void {
  it(`tell all that was found of ${name} as NDJSON and as CSV`, async () => {
    const document = suite.documents.get(name)!;
    const expected = allFound(document).map(lineOf(document));
    expect(expected.length).to.be.above(0);
    const { status, headers, text } = await suite.form(name, 'format=ndjson');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('application/x-ndjson; charset=utf-8');
    expect(headers.get('content-disposition')).to.equal(`attachment; filename="${document.jobId}.ndjson"`);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).to.deep.equal(expected);
    const csv = await suite.form(name, 'format=csv');
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

export function tellsAsCoco<Job extends string>(suite: ExportSuite<Job>, name: Job): void {
  it(`tell as COCO where ${name} are`, async () => {
    const found = allFound(suite.documents.get(name)!).filter(
      ({ medium, track, detection }) => medium.mediaType === 'IMAGE' || isExemplar(detection, track.exemplar),
    );
    const { images, annotations } = cocoDocument.parse((await suite.form(name, 'format=coco')).body);
    expect(annotations.map(({ bbox, attributes }) => [bbox, attributes['track_id']])).to.deep.equal(
      found.map(({ detection: { x, y, width, height }, track }) => [[x, y, width, height], track.id]),
    );
    const frames = new Map(images.map((image) => [image.id, [image.media_id, image.frame]]));
    expect(annotations.map(({ image_id: image }) => frames.get(image))).to.deep.equal(
      found.map(({ medium, detection }) => [medium.mediaId, detection.offsetFrame]),
    );
  });
}

/** `text`: expected text of the first cue. */
export function hasCues<Job extends string>(suite: ExportSuite<Job>, name: Job, text: string): void {
  it(`have ${name} as cues, with their times`, async () => {
    const tracks = new Set(allFound(suite.documents.get(name)!).map(({ track }) => track));
    const { FPS: fps } = suite.documents.get(name)!.media[0]!.mediaMetadata;
    const last = fps === undefined ? 0 : 1_000 / Number(fps);
    for (const [format, read, type] of [
      ['vtt', readVtt, 'text/vtt'],
      ['srt', readSrt, 'application/x-subrip'],
    ] as const) {
      const answer = await suite.form(name, `format=${format}`);
      expect(answer.headers.get('content-type')).to.equal(`${type}; charset=utf-8`);
      const cues = read(answer.text);
      expect(cues[0]!.text).to.equal(text);
      expect(cues.map(({ startMs }) => startMs)).to.deep.equal([...tracks].map((one) => one.startOffsetTime));
      for (const [at, { stopOffsetTime }] of [...tracks].entries())
        expect(cues[at]!.stopMs).to.be.closeTo(stopOffsetTime + last, 1);
    }
  });
}
