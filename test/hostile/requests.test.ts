/** Requests that try to block the server: each is answered quickly, and other clients are not delayed. */
import { expect } from 'chai';
import { sampleUri, Service } from '../support/processes/service.ts';
import { floods } from './suite-of-floods.ts';

const ASTRONAUT = sampleUri('astronaut.png');
const ASTRONAUT_MEDIUM = { mediaUri: ASTRONAUT };
const LIGHT = { pipelineName: 'LIGHT PIPELINE' };
/**
 * Limit for work that blocks the event loop, on a slow machine. The attacks once took between seconds and
 * forever.
 */
const MOST_BLOCKED_MS = 500;

describe('A server that is attacked', () => {
  let service: Service;
  before(async () => {
    service = await Service.start();
  });
  after(() => service.close());

  describe('A flood', function () {
    this.timeout(240_000);
    floods(() => service);
  });

  describe('A request that is made to hold the server', function () {
    this.timeout(240_000);
    let longest = 0;

    /** Sends a request and measures how long the event loop was blocked. */
    async function beside(work: () => Promise<{ readonly status: number; readonly text: string }>) {
      const answer = await work();
      longest = Math.max(longest, await service.longestBlockMs());
      expect(longest, `nobody else was answered for ${longest.toFixed(0)} ms`).to.be.below(MOST_BLOCKED_MS);
      return answer;
    }

    const send = (body: unknown) => beside(() => service.create(body as never));
    const post = (text: string) => beside(() => service.ask('POST', '/rest/jobs', text));
    const definition = (names: readonly string[], properties: readonly object[] = []) => ({
      pipeline: ['T'],
      tasks: [{ name: 'T', actions: names }],
      actions: names.map((name) => ({ name, algorithm: 'LIGHT', properties })),
    });
    const numberNames = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, i) => `${prefix}${i}`);

    it('with thousands of parameters in its address is answered soon', async () => {
      const query = Array.from({ length: 2_000 }, (_, n) => `x${n % 1_000}=1`).join('&');
      const statusOf = async (path: string) =>
        (await beside(() => service.ask('GET', `${path}?${query}`))).status;
      expect(await statusOf('/rest/jobs')).to.equal(400);
      expect(await statusOf('/rest/pipelines')).to.equal(200);
      expect(await statusOf('/login')).to.equal(200);
    });

    it('with a million media that are none is told how many there may be', async () => {
      const { status, text } = await post(
        `{"media":[${'0,'.repeat(90_000)}0],"pipelineName":"LIGHT PIPELINE"}`,
      );
      expect(status).to.equal(400);
      expect(text).to.contain('90001 media; 10000 are allowed');
      const million = await post(`{"media":[${'0,'.repeat(1_000_000)}0]}`);
      expect(million.status).to.equal(413);
      expect(million.text).to.contain('250000 texts, numbers, lists and objects');
    });

    it('with many that are wrong is told the first of them', async () => {
      const { status, text } = await post(
        `{"media":[${'0,'.repeat(9_999)}0],"jobProperties":{${numberNames(80_000, '"p')
          .map((name) => `${name}":0`)
          .join(',')}}}`,
      );
      expect(status).to.equal(400);
      expect(text.length).to.be.below(1_000);
      expect(text).to.contain('The body is large, so only the first problem is shown.');
    });

    it('with some hundred that are wrong is told a hundred of them, and how many more there are', async () => {
      const { status, body } = await service.create({
        media: Array.from({ length: 300 }, () => 0),
        ...LIGHT,
      } as never);
      expect(status).to.equal(400);
      const { message } = (body as { coreResponse: { message: string } }).coreResponse;
      expect(message.split('\n')).to.have.length(102);
      expect(message).to.contain('(and 200 more)');
    });

    const LONG: readonly (readonly [what: string, part: object, told: string])[] = [
      [
        'a media URI',
        { media: [{ mediaUri: `http://127.0.0.1/${'?'.repeat(40_000)}` }] },
        'media[0].mediaUri has 40017 characters; at most 8192 are allowed',
      ],
      [
        'a callback URL',
        { callbackURL: `http://127.0.0.1/${'?'.repeat(1_000_000)}` },
        'callbackURL has 1000017 characters',
      ],
      [
        'the name of a property',
        { jobProperties: { ['N'.repeat(300)]: '' } },
        'A name in jobProperties has 300 characters; at most 256 are allowed',
      ],
      [
        'an external id',
        { externalId: 'e'.repeat(1_001) },
        'externalId has 1001 characters; at most 1000 are allowed',
      ],
      ['the name of a pipeline', { pipelineName: 'P'.repeat(300) }, 'pipelineName has 300 characters'],
      [
        'a list of properties',
        { jobProperties: Object.fromEntries(numberNames(1_001, 'P').map((name) => [name, ''])) },
        'jobProperties has 1001 entries; at most 1000 are allowed',
      ],
      [
        'properties',
        {
          media: [{ ...ASTRONAUT_MEDIUM, metadata: { A: 'a'.repeat(40_000), B: 'b'.repeat(40_000) } }],
        },
        'media[0].metadata has 80002 characters in names and values; at most 65536 are allowed',
      ],
      [
        'the property of an action',
        {
          pipelineName: undefined,
          pipelineDefinition: definition(['A'], [{ name: 'MIN', value: '1'.repeat(100_000) }]),
        },
        'the value of "MIN" has 100000 characters; at most 65536 are allowed',
      ],
      [
        'a pipeline',
        { pipelineName: undefined, pipelineDefinition: definition(numberNames(2_000, 'A')) },
        'The pipeline has 2000 tasks or actions; at most 200 are allowed',
      ],
    ];
    for (const [what, part, told] of LONG)
      it(`with ${what} that is too long is told so`, async () => {
        const { status, text } = await send({ media: [ASTRONAUT], ...LIGHT, ...part });
        expect(status).to.equal(400);
        expect(JSON.parse(text)).to.have.nested.property('coreResponse.message').that.contains(told);
      });

    it('with numbers of sixty thousand digits and addresses of as many slashes is answered at once', async () => {
      const digits = await send({
        media: [ASTRONAUT],
        ...LIGHT,
        jobProperties: { DETECTION_PADDING_X: `${'1'.repeat(60_000)}x` },
      });
      expect(digits.status).to.equal(400);
      const slashes = await send({
        media: [ASTRONAUT],
        ...LIGHT,
        jobProperties: { ARCHIVE_URL: `http://127.0.0.1:9${'/'.repeat(60_000)}x` },
      });
      expect(slashes.status).to.equal(201);
    });

    it('with media times actions beyond the limit is refused before anything is stored', async () => {
      const media = numberNames(1_000, '').map((n) => ({ mediaUri: ASTRONAUT, properties: { N: n } }));
      const { status, text } = await send({ media, pipelineDefinition: definition(numberNames(150, 'A')) });
      expect(status).to.equal(400);
      expect(text).to.contain(
        '1000 media and 150 actions, which makes 150000 sub-jobs; at most 100000 are allowed',
      );
    });

    it('with large patterns in media selectors is refused, and with hundreds of them nobody waits', async () => {
      const selectors = (pattern: (n: number) => string, count: number) =>
        numberNames(count, '').map((n) => ({
          type: 'JSON_PATH',
          expression: `$[?match(@.a, '${pattern(Number(n))}')]`,
          resultDetectionProperty: 'TEXT',
        }));
      const askWithSelectors = (mediaSelectors: readonly object[]) =>
        send({
          media: [{ mediaUri: ASTRONAUT, mediaSelectors, mediaSelectorsOutputAction: 'LIGHT ACTION' }],
          ...LIGHT,
        });
      const large = await askWithSelectors(selectors(() => '.{1000}'.repeat(130), 20));
      expect(large.status).to.equal(400);
      expect(large.text).to.contain('is too large with all its repetitions');
      const many = await askWithSelectors(selectors((n) => `.{480}x${n}`, 100));
      expect(many.status).to.be.oneOf([201, 400]);
    });

    describe('with components that are described at length', () => {
      /** Registers a component and an algorithm of the same name. */
      const register = (name: string, properties: readonly object[]) =>
        beside(() =>
          service.ask('POST', '/rest/components/registerUnmanaged', {
            componentName: name,
            componentVersion: '1',
            middlewareVersion: '1',
            sourceLanguage: 'python',
            batchLibrary: 'none',
            environmentVariables: [],
            algorithm: {
              name,
              description: name,
              actionType: 'DETECTION',
              trackType: 'X',
              requiresCollection: { states: [] },
              providesCollection: { states: [], properties },
            },
          }),
        );
      const property = (name: string, description = '') => ({
        name,
        description,
        type: 'STRING',
        defaultValue: '1',
      });
      /** The response to a job with this number of actions of the algorithm. */
      const tryJob = (algorithm: string, actions: number, properties: readonly object[], more: object = {}) =>
        beside(() =>
          service.ask('POST', '/rest/jobs?dryRun=true', {
            media: [ASTRONAUT_MEDIUM],
            pipelineDefinition: {
              pipeline: ['T'],
              tasks: [{ name: 'T', actions: numberNames(actions, 'A') }],
              actions: numberNames(actions, 'A').map((name) => ({ name, algorithm, properties })),
            },
            ...more,
          }),
        );
      before(async () => {
        const list = `One of: ${'A1, '.repeat(240_000)}B or C.`;
        expect(
          (
            await register(
              'WIDE',
              numberNames(1_000, 'P').map((name) => property(name)),
            )
          ).status,
        ).to.equal(201);
        expect((await register('LONG', [property('Q', list)])).status).to.equal(201);
      });

      it('is refused when its plan would be too large to be kept', async () => {
        for (const algorithm of ['WIDE', 'LONG']) {
          const { status, text } = await tryJob(algorithm, 200, []);
          expect(status).to.equal(400);
          expect(text).to.contain('have more than 4194304 characters');
        }
      });

      it('is looked through without anybody waiting: actions with hundreds of their properties', async () => {
        const properties = numberNames(400, '').map((n) => ({ name: `P${Number(n) + 600}`, value: '1' }));
        expect((await tryJob('WIDE', 40, properties)).status).to.equal(200);
      });

      it('is looked through without anybody waiting: thousands of media with a value each', async () => {
        const media = numberNames(5_000, '').map((n) => ({
          mediaUri: ASTRONAUT,
          properties: { Q: 'A1', N: n },
        }));
        const { status, text } = await tryJob('LONG', 1, [], { media });
        expect(status).to.equal(200);
        expect(text).to.contain('the property N is not known here');
      });

      it('is looked through without anybody waiting: a thousand spellings of an algorithm', async () => {
        const spellings = numberNames(1_000, '').map((n) => [
          `${' '.repeat(Number(n) % 200)}WIDE${' '.repeat(Math.floor(Number(n) / 200))}`,
          { P1: '2' },
        ]);
        const more = { algorithmProperties: Object.fromEntries(spellings) as object };
        expect((await tryJob('WIDE', 40, [], more)).status).to.equal(200);
      });

      if (process.env['MUTATIONS'] !== undefined)
        it('is looked through without anybody waiting: thousands of media with properties of their own', async () => {
          const media = numberNames(5_000, '').map((n) => ({
            mediaUri: ASTRONAUT,
            properties: { P1: n, P2: '1', DETECTION_PADDING_X: n },
          }));
          expect((await tryJob('WIDE', 10, [], { media })).status).to.equal(200);
        });
    });

    it('with a text of endless comments is a text like others, and does not delay the next job', async () => {
      const text = `data:text/plain;base64,${Buffer.from('<!---->'.repeat(100)).toString('base64')}`;
      const id = await service.submit({ media: [text], ...LIGHT });
      expect((await service.terminal(id, 20_000)).terminal).to.equal(true);
    });
  });
});
