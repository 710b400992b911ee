/**
 * Warnings about settings of a job that have no effect: in the response, the status and the document. The job
 * still runs.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { sampleUri, Service, type JobRequest } from '../../support/processes/service.ts';

const IMAGE = sampleUri('camera.png');
const LIGHT = { media: [{ mediaUri: IMAGE }], pipelineName: 'LIGHT PIPELINE' };
const MISSPELLED =
  'jobProperties: the property FRAME_INTERVALL is not known here (did you mean FRAME_INTERVAL?); it is passed on and has no other effect.';
const NO_VALUE =
  'jobProperties: the property MIN_TRACK_LENGTH is "short", but it takes a whole number (INT); the value is passed on as it is.';

describe('A job that asks for something without effect', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  interface Created {
    readonly jobId: string;
    readonly coreResponse: { readonly responseCode: number; readonly message: string | null };
  }
  const createJob = async (request: JobRequest, headers = {}): Promise<Created> => {
    const { status, body } = await service.ask('POST', '/rest/jobs', request, headers);
    expect(status).to.equal(201);
    return body as Created;
  };

  it('is told so by a coreResponse with code 2, runs, and ends with the same warnings', async () => {
    const jobProperties = { FRAME_INTERVALL: '5', MIN_TRACK_LENGTH: 'short', MERGE_TRACKS: 'TRUE' };
    const { jobId, coreResponse } = await createJob({ ...LIGHT, jobProperties });
    expect(coreResponse).to.deep.equal({ responseCode: 2, message: `${MISSPELLED}\n${NO_VALUE}` });
    expect((await service.terminal(jobId)).jobStatus).to.equal('COMPLETE_WITH_WARNINGS');
    const { warnings, errors, status, media } = await service.document(jobId);
    expect(status).to.equal('COMPLETE_WITH_WARNINGS');
    expect(errors).to.deep.equal([]);
    expect(warnings).to.deep.equal([
      {
        details: [MISSPELLED, NO_VALUE].map((message) => ({
          source: 'WORKFLOW_MANAGER',
          code: 'OTHER',
          message,
        })),
      },
    ]);
    expect(Object.keys(media[0]!.output)).to.deep.equal(['LIGHT']);

    expect((await service.resubmit(jobId)).status).to.equal(200);
    expect((await service.terminal(jobId)).jobStatus).to.equal('COMPLETE_WITH_WARNINGS');
    expect((await service.document(jobId)).warnings).to.deep.equal(warnings);
  });

  it('is told so again when it is repeated under its Idempotency-Key', async () => {
    const request = { ...LIGHT, algorithmProperties: { LIGHTS: { LABEL: 'x' } } };
    const key = { 'idempotency-key': 'twice-with-warnings' };
    const first = await createJob(request, key);
    expect(first.coreResponse).to.deep.equal({
      responseCode: 2,
      message:
        'algorithmProperties.LIGHTS: the pipeline has no such algorithm, only LIGHT; properties for it have no effect.',
    });
    expect(await createJob(request, key)).to.deep.equal(first);
  });

  it('is told so of an output action for media selectors that are not there', async () => {
    const media = [{ mediaUri: IMAGE, mediaSelectorsOutputAction: 'LIGHT ACTION' }];
    expect((await createJob({ ...LIGHT, media })).coreResponse).to.deep.equal({
      responseCode: 2,
      message: 'media[0]: mediaSelectorsOutputAction has no effect without mediaSelectors.',
    });
  });

  it('is empty for a job of known properties, on every level and in every form of value', async () => {
    writeFileSync(join(service.mediaDir, 'words.json'), '{"a":"b"}');
    const { jobId, coreResponse } = await createJob({
      media: [
        { mediaUri: IMAGE, properties: { ROTATION: 0, AUTO_FLIP: false }, metadata: { ROTATION: 0 } },
        {
          mediaUri: pathToFileURL(join(service.mediaDir, 'words.json')).href,
          mediaSelectorsOutputAction: 'OWN',
          mediaSelectors: [
            {
              type: 'JSON_PATH',
              expression: '$.a',
              resultDetectionProperty: 'LABEL',
              selectionProperties: { QUALITY_SELECTION_THRESHOLD: -0.5 },
            },
          ],
        },
      ],
      pipelineDefinition: {
        pipeline: ['OWN'],
        tasks: [{ name: 'OWN', actions: ['OWN'] }],
        actions: [
          {
            name: 'OWN',
            algorithm: 'LIGHT',
            properties: [
              { name: 'LABEL', value: 12.5 },
              { name: 'MERGE_TRACKS', value: true },
            ],
          },
        ],
      },
      jobProperties: { FRAME_INTERVAL: 5, MERGE_TRACKS: true },
      algorithmProperties: { LIGHT: { MIN_OVERLAP: 0.25 } },
    });
    expect(coreResponse).to.deep.equal({ responseCode: 0, message: null });
    await service.terminal(jobId);
    const { jobProperties, algorithmProperties, media, pipeline } = await service.document(jobId);
    expect(jobProperties).to.deep.equal({ FRAME_INTERVAL: '5', MERGE_TRACKS: 'true' });
    expect(algorithmProperties).to.deep.equal({ LIGHT: { MIN_OVERLAP: '0.25' } });
    expect(media[0]!.mediaProperties).to.deep.equal({ ROTATION: '0', AUTO_FLIP: 'false' });
    const { tasks } = pipeline as { tasks: readonly { actions: readonly { properties: unknown }[] }[] };
    expect(tasks[0]!.actions[0]!.properties).to.deep.equal({ LABEL: '12.5', MERGE_TRACKS: 'true' });
  });

  it('is refused when a value is neither text nor a number nor a boolean', async () => {
    for (const value of [null, [], {}]) {
      const { status, text } = await service.ask('POST', '/rest/jobs', {
        ...LIGHT,
        jobProperties: { FRAME_INTERVAL: value },
      });
      expect(status).to.equal(400);
      expect(text).to.include('jobProperties.FRAME_INTERVAL: must be a text, a number or a boolean');
    }
  });
});

describe('A boolean in a query', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  for (const query of ['TRUE', 'True', 'fAlse', 'FALSE'])
    it(`may be written ${query}`, async () => {
      expect((await service.ask('GET', `/rest/jobs?terminal=${query}`)).status).to.equal(200);
      expect((await service.ask('GET', `/rest/streaming/jobs?isActive=${query}`)).status).to.equal(200);
    });

  it('may be nothing else', async () => {
    for (const query of ['yes', '1', ''])
      expect((await service.ask('GET', `/rest/jobs?terminal=${query}`)).status).to.equal(400);
  });
});
