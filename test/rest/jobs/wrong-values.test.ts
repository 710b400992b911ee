/**
 * Property values of the wrong type, or outside the allowed values, are refused everywhere. Values that the
 * reference implementation tolerates are accepted.
 */
import { expect } from 'chai';
import { sampleUri, Service } from '../../support/processes/service.ts';

const IMAGE = sampleUri('camera.png');
const LIGHT = { media: [{ mediaUri: IMAGE }], pipelineName: 'LIGHT PIPELINE' };
const SELECTOR = { type: 'JSON_PATH', expression: '$.a', resultDetectionProperty: 'LABEL' };
const own = (name: string, value: unknown) => ({
  media: [{ mediaUri: IMAGE }],
  pipelineDefinition: {
    pipeline: ['OWN TASK'],
    tasks: [{ name: 'OWN TASK', actions: ['OWN ACTION'] }],
    actions: [{ name: 'OWN ACTION', algorithm: 'LIGHT', properties: [{ name, value }] }],
  },
});

const WORDS = 'but its values are NONE, FRAME, REGION and SUPERSET_REGION.';
const NUMBER = 'but it takes a whole number (INT).';

describe('A property value of the wrong type', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  const askFor = async (request: object, query = '') => {
    const { status, body } = await service.ask('POST', `/rest/jobs${query}`, request);
    const { coreResponse } = body as { readonly coreResponse: { readonly message: string | null } };
    return { status, message: coreResponse.message ?? '' };
  };

  for (const [where, request, property, problem] of [
    [
      'jobProperties',
      { ...LIGHT, jobProperties: { FRAME_INTERVAL: 'abc' } },
      'FRAME_INTERVAL in jobProperties is "abc"',
      NUMBER,
    ],
    [
      'algorithmProperties',
      { ...LIGHT, algorithmProperties: { light: { FEED_FORWARD_TYPE: 'REGIONS' } } },
      'FEED_FORWARD_TYPE in algorithmProperties.light is "REGIONS"',
      WORDS,
    ],
    [
      'the properties of a medium',
      {
        ...LIGHT,
        media: [{ mediaUri: IMAGE }, { mediaUri: IMAGE, properties: { AUTO_ROTATE: 'perhaps' } }],
      },
      'AUTO_ROTATE in media[1].properties is "perhaps"',
      'but its values are TRUE and FALSE.',
    ],
    [
      'the properties of a media selector',
      {
        ...LIGHT,
        media: [
          {
            mediaUri: IMAGE,
            mediaSelectorsOutputAction: 'LIGHT ACTION',
            mediaSelectors: [SELECTOR, { ...SELECTOR, selectionProperties: { ROTATION: 'left' } }],
          },
        ],
      },
      'ROTATION in media[0].mediaSelectors[1].selectionProperties is "left"',
      'but it takes a number (DOUBLE).',
    ],
  ] as const)
    it(`is refused in ${where}, by the job and by its dry run`, async () => {
      const { status, message } = await askFor(request);
      expect([status, message]).to.deep.equal([
        400,
        `Failure creating job. Property validation failed due to: The property ${property}, ${problem} Correct the value, or leave the property out.`,
      ]);
      expect(await askFor(request, '?dryRun=true')).to.deep.equal({ status, message });
    });

  for (const [name, value, problem] of [
    ['FRAME_INTERVAL', 'abc', '"abc", which is not a valid "INT".'],
    ['FEED_FORWARD_TYPE', 'REGIONS', `"REGIONS", ${WORDS}`],
    ['AUTO_FLIP', 'perhaps', '"perhaps", but its values are TRUE and FALSE.'],
  ] as const)
    it(`is refused of an action: ${name}=${value}`, async () => {
      const { status, message } = await askFor(own(name, value));
      expect([status, message]).to.deep.equal([
        400,
        `Failure creating job. The "${name}" property from the "OWN ACTION" action has a value of ${problem}`,
      ]);
    });

  it('runs with a warning where the reference forgives it', async () => {
    const jobProperties = {
      MIN_GAP_BETWEEN_SEGMENTS: 'x',
      VFR_TARGET_SEGMENT_LENGTH: 'x',
      MIN_TRACK_LENGTH: 'x',
      MIN_OVERLAP: 'x',
      ARTIFACT_EXTRACTION_POLICY_EXEMPLAR_FRAME_PLUS: 'x',
      FEED_FORWARD_TOP_QUALITY_COUNT: 'x',
      QUALITY_SELECTION_THRESHOLD: 'x',
      EXEMPLAR_POLICY: 'x',
    };
    const { status, message } = await askFor({ ...LIGHT, jobProperties }, '?dryRun=true');
    expect(status).to.equal(200);
    for (const name of Object.keys(jobProperties))
      expect(message).to.include(`jobProperties: the property ${name} is "x", but `);
    expect((await askFor({ ...LIGHT, jobProperties })).status).to.equal(201);
  });

  it('is no blank one, no number out of its range and none in another case', async () => {
    const jobProperties = {
      FRAME_INTERVAL: '-3',
      ROTATION: '',
      FEED_FORWARD_TYPE: 'none',
      FRAME_RATE_CAP: '1.25',
      AUTO_FLIP: 'False',
    };
    expect(await askFor({ ...LIGHT, jobProperties }, '?dryRun=true')).to.deep.equal({
      status: 200,
      message: '',
    });
  });

  it('is told before twenty warnings are', async () => {
    const names = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`NO_SUCH_${n}`, 'x']));
    const media = [{ mediaUri: IMAGE, properties: { FRAME_INTERVAL: 'abc' } }];
    const { status, message } = await askFor({ ...LIGHT, media, jobProperties: names });
    expect(status).to.equal(400);
    expect(message).to.include('FRAME_INTERVAL in media[0].properties is "abc"');
  });

  it('is refused of a live stream', async () => {
    const stream = { streamUri: 'rtsp://camera.example/live', segmentSize: 20 };
    for (const [request, place] of [
      [{ stream, jobProperties: { FRAME_INTERVAL: 'abc' } }, 'FRAME_INTERVAL in jobProperties is "abc"'],
      [
        { stream: { ...stream, mediaProperties: { RTSP_TRANSPORT: 'UPD' } } },
        'RTSP_TRANSPORT in mediaProperties is "UPD"',
      ],
    ] as const) {
      const { status, text } = await service.ask('POST', '/rest/streaming/jobs', {
        ...request,
        enableOutputToDisk: false,
        stallTimeout: -1,
        pipelineName: 'FACE DETECTION PIPELINE',
      });
      expect(status).to.equal(400);
      expect((JSON.parse(text) as { coreResponse: { message: string } }).coreResponse.message).to.include(
        `Property validation failed due to: The property ${place}, but `,
      );
    }
  });
});
