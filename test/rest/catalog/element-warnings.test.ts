/**
 * Elements that are stored although jobs cannot use them: warnings in headers, in the body with details, and
 * in later reads.
 */
import { expect } from 'chai';
import { Service } from '../../support/processes/service.ts';

const TASK = { name: 'OWN TASK', description: 'Own.', actions: ['LIGHT ACTIONS', 'LIGHT ACTION'] };
const ACTION = { name: 'OWN ACTION', description: 'Own.', algorithm: 'LIGTH', properties: [] };

describe('An element of the catalog that jobs cannot use', () => {
  let service: Service;
  before(async () => {
    service = await Service.here();
    // Elements that other tests use. Storing them again gives the same answer.
    await service.ask('POST', '/rest/actions', ACTION);
    await service.ask('POST', '/rest/tasks', TASK);
  });
  after(() => service.close());

  const MISSING = 'There is no algorithm LIGTH (did you mean LIGHT?); jobs that need it are refused.';

  it('is stored with status 200 and no body, and a header that says what is wrong', async () => {
    const { status, text, headers } = await service.ask('POST', '/rest/actions', ACTION);
    expect([status, text]).to.deep.equal([200, '']);
    expect(headers.get('warning')).to.equal(`299 - "${MISSING}"`);
  });

  it('says so on reading when details are asked for, and has no further member otherwise', async () => {
    const one = await service.ask('GET', '/rest/actions/own%20action?details=TRUE');
    expect(one.body).to.deep.equal({ ...ACTION, warnings: [MISSING], removable: true, component: null });
    expect((await service.ask('GET', '/rest/actions/own%20action')).body).to.deep.equal(ACTION);
    const all = (await service.ask('GET', '/rest/actions?details=true')).body as readonly {
      readonly name: string;
      readonly warnings: readonly string[];
    }[];
    expect(all.find(({ name }) => name === ACTION.name)?.warnings).to.deep.equal([
      'There is no algorithm LIGTH; jobs that need it are refused.',
    ]);
    expect(all.find(({ name }) => name === 'LIGHT ACTION')?.warnings).to.deep.equal([]);
    expect((await service.ask('GET', '/rest/actions?details=perhaps')).status).to.equal(400);
  });

  for (const [path, element, says] of [
    [
      'actions',
      {
        ...ACTION,
        name: 'WRONG PROPERTIES',
        algorithm: 'light',
        properties: [
          { name: 'FRAME_INTERVALL', value: 5 },
          { name: 'FRAME_INTERVAL', value: 'often' },
          { name: 'FEED_FORWARD_TYPE', value: 'REGIONS' },
          { name: 'EXEMPLAR_POLICY', value: 'BEST' },
          { name: 'AUTO_FLIP', value: 'perhaps' },
          { name: 'MERGE_TRACKS', value: true },
        ],
      },
      [
        'The property FRAME_INTERVALL is not known to the algorithm LIGHT (did you mean FRAME_INTERVAL?); jobs with this action are refused.',
        'The property FRAME_INTERVAL is "often", which is not a valid INT; jobs with this action are refused.',
        'The property FEED_FORWARD_TYPE is "REGIONS", but its values are NONE, FRAME, REGION and SUPERSET_REGION; jobs with this action are refused.',
        'properties: the property EXEMPLAR_POLICY is "BEST", but its values are FIRST, LAST, MIDDLE and QUALITY; the value is passed on as it is.',
        'The property AUTO_FLIP is "perhaps", but its values are TRUE and FALSE; jobs with this action are refused.',
      ],
    ],
    [
      'tasks',
      TASK,
      ['There is no action LIGHT ACTIONS (did you mean LIGHT ACTION?); jobs that need it are refused.'],
    ],
    [
      'tasks',
      { name: 'MIXED TASK', description: 'Own.', actions: ['LIGHT ACTION', 'GENERIC MARKUP ACTION'] },
      [
        'Its actions are of different types (DETECTION, MARKUP), but a task can only have one; jobs with this task are refused.',
      ],
    ],
    [
      'pipelines',
      { name: 'OWN PIPELINE', description: 'Own.', tasks: ['LIGHT TASKS'] },
      ['There is no task LIGHT TASKS (did you mean LIGHT TASK?); jobs that need it are refused.'],
    ],
    [
      'pipelines',
      { name: 'DEEP PIPELINE', description: 'Own.', tasks: ['OWN TASK'] },
      [
        'Jobs with it are refused: Cannot run pipeline DEEP PIPELINE due to the following issues: The following actions are missing: LIGHT ACTIONS.',
      ],
    ],
    ['pipelines', { name: 'GOOD PIPELINE', description: 'Own.', tasks: ['LIGHT TASK'] }, []],
  ] as const)
    it(`tells all that is wrong with ${element.name} in the body when details are asked for`, async () => {
      const { status, body, headers } = await service.ask('POST', `/rest/${path}?details=true`, element);
      expect([status, body]).to.deep.equal([200, { warnings: says }]);
      expect(headers.get('warning')?.match(/299 - /g)?.length ?? 0).to.equal(says.length);
      const name = encodeURIComponent(element.name);
      const { warnings } = (await service.ask('GET', `/rest/${path}/${name}?details=true`)).body as {
        readonly warnings: readonly string[];
      };
      expect(warnings).to.deep.equal(says);
    });

  it('may have a name that no header can carry', async () => {
    const task = { name: 'FARBE', description: 'Own.', actions: ['ГРАДИЕНТ "X"'] };
    const { status, headers } = await service.ask('POST', '/rest/tasks', task);
    expect(status).to.equal(200);
    expect(headers.get('warning')).to.include(String.raw`There is no action ???????? \"X\"; jobs`);
  });

  it('may come with a component, whose registration says so', async () => {
    const descriptor = {
      componentName: 'Warned',
      componentVersion: '1',
      middlewareVersion: '1',
      sourceLanguage: 'python',
      batchLibrary: 'warned',
      environmentVariables: [],
      algorithm: {
        name: 'WARNED',
        description: 'Warned.',
        actionType: 'DETECTION',
        trackType: 'WARNED',
        requiresCollection: { states: [] },
        providesCollection: {
          states: ['DETECTION'],
          properties: [
            { name: 'SIZE', description: 'Size.', type: 'INT', defaultValue: 'large' },
            { name: 'FRAME_INTERVAL', description: 'Frames.', type: 'STRING', defaultValue: '1' },
          ],
        },
      },
      actions: [{ name: 'WARNED ACTION', description: 'Warned.', algorithm: 'WARND', properties: [] }],
    };
    const warnings = [
      'algorithm "WARNED": The property SIZE has the default "large", but it takes a whole number (INT).',
      'algorithm "WARNED": The property FRAME_INTERVAL is STRING here, but INT everywhere else: it is a workflow property, which the service reads itself.',
      'action "WARNED ACTION": There is no algorithm WARND (did you mean WARNED?); jobs that need it are refused.',
      'pipeline "WARNED DETECTION PIPELINE": Jobs with it are refused: Cannot run pipeline WARNED DETECTION PIPELINE due to the following issues: The following algorithms are missing: WARND.',
    ];
    const path = '/rest/components/registerUnmanaged';
    const plain = await service.ask('POST', path, descriptor);
    expect([plain.status, plain.body]).to.deep.equal([201, { message: 'New component registered.' }]);
    expect(plain.headers.get('warning')).to.include(warnings[0]!.replaceAll('"', String.raw`\"`));
    const detailed = await service.ask('POST', `${path}?details=true`, descriptor);
    expect([detailed.status, detailed.body]).to.deep.equal([
      200,
      { message: 'Component already registered.', warnings },
    ]);
  });
});
