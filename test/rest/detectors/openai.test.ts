/**
 * A model server that jobs name: they succeed although it is unreachable at first, and no response shows its
 * key.
 */
import { expect } from 'chai';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { answer, Receiver } from '../../support/servers/receiver.ts';
import { sampleUri, Service, tracksOf } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const KEY = 'sk-very-secret-key';
/** Name of the action, the task and the pipeline of this test. */
const OWN = 'ASK WITH A KEY';
const CAT = answer(
  200,
  JSON.stringify({ choices: [{ message: { content: 'A cat.' }, finish_reason: 'stop' }] }),
);

describe('OPENAI DETECTION PIPELINE', () => {
  let service: Service;
  let server: Receiver;
  before(async () => {
    service = await Service.openShared();
    server = await Receiver.start(CAT);
  });
  after(async () => {
    for (const kind of ['pipelines', 'tasks', 'actions'])
      await service.ask('DELETE', `/rest/${kind}/${encodeURIComponent(OWN)}`);
    await server.close();
    await service.close();
  });

  const job = (properties: Record<string, string> = {}) => ({
    media: [sampleUri('chelsea.png')],
    pipelineName: 'OPENAI DETECTION PIPELINE',
    jobProperties: {
      API_URI: `${server.url}/v1`,
      API_TOKEN: KEY,
      LLM_MODEL: 'llava',
      COMPONENT_HTTP_RETRY_INITIAL_DELAY_MS: '5',
      COMPONENT_HTTP_RETRY_MAX_DELAY_MS: '20',
      COMPONENT_HTTP_RETRY_MAX_ATTEMPTS: '2',
      ...properties,
    },
  });

  it('waits for a server that is away without an attempt, and has its answer in the document', async () => {
    const { port } = server;
    await server.close();
    const id = await service.submit(job());
    const detect = () =>
      service.handedOut().filter(({ subJob }) => subJob.startsWith(`${id}.`) && /(\.\d+){5}$/.test(subJob));
    await until('the sub-job is at work', detect, ({ length }) => length > 0);
    server = await Receiver.start(CAT, { port });
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const [medium] = (await service.document(id)).media;
    expect(tracksOf(medium, 'CAPTION').map(({ trackProperties }) => trackProperties)).to.deep.equal([
      { CAPTION: 'A cat.' },
    ]);
    expect(detect().map(({ attempt }) => attempt)).to.deep.equal([1]);
    expect(server.requests[0]!.headers.authorization).to.equal(`Bearer ${KEY}`);
  });

  it('is an annotator of what a task before it found, and gives its tracks back with the answer', async () => {
    server.manner = answer(
      200,
      JSON.stringify({
        choices: [{ message: { content: 'She smiles.' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 12, completion_tokens: 4 },
      }),
    );
    const media = [sampleUri('astronaut.png')];
    const plain = await service.run({ media, pipelineName: 'FACE DETECTION PIPELINE' });
    const asked = server.requests.length;
    const about = {
      FEED_FORWARD_TYPE: 'REGION',
      IS_ANNOTATOR: 'TRUE',
      PROMPT_TEMPLATE: 'How does this person feel?',
    };
    const { jobProperties } = job();
    const document = await service.run({
      media,
      jobProperties,
      pipelineDefinition: {
        pipeline: ['FACE DETECTION TASK', 'ASK'],
        tasks: [{ name: 'ASK', actions: ['ASK'] }],
        actions: [
          {
            name: 'ASK',
            algorithm: 'OPENAI',
            properties: Object.entries(about).map(([name, value]) => ({ name, value })),
          },
        ],
      },
    });
    const [face, ...others] = tracksOf(plain.media[0], 'FACE');
    expect(others).to.deep.equal([]);
    const added = { CAPTION: 'She smiles.', PROMPT_TOKENS: '12', COMPLETION_TOKENS: '4' };
    const [told, ...more] = tracksOf(document.media[0], 'FACE');
    expect(more).to.deep.equal([]);
    expect(tracksOf(document.media[0], 'CAPTION')).to.deep.equal([]);
    expect(told!.trackProperties).to.deep.equal({ ...face!.trackProperties, ...added });
    const { artifactPath } = told!.exemplar;
    expect(told!.exemplar).to.deep.equal({
      ...face!.exemplar,
      artifactPath,
      detectionProperties: { ...face!.exemplar.detectionProperties, ...added },
    });
    expect(told!.id).to.equal(face!.id);
    expect(server.requests).to.have.length(asked + 1);
    expect(server.requests.at(-1)!.body).to.include('How does this person feel?');
  });

  it('tells an error once, with what to do, and the key nowhere', async () => {
    server.manner = answer(401, `{"error":{"message":"wrong key ${KEY}"}}`);
    const document = await service.run(job({ OUTPUT_DETAILS: 'TRUE' }));
    expect(JSON.stringify(document.errors))
      .to.include('does not accept API_TOKEN')
      .and.include('NETWORK_ERROR');
    const shown = [
      JSON.stringify(document),
      (await service.ask('GET', '/rest/jobs')).text,
      (await service.ask('GET', `/rest/jobs/${document.jobId}?details=true`)).text,
      JSON.stringify(service.log()),
    ];
    for (const text of shown) expect(text).to.not.include(KEY);
    const files = filesBelow(join(service.dataDir, 'output-objects', `${document.jobId}.1`));
    expect(files).to.have.length.above(0);
    for (const file of files) expect(readFileSync(file, 'latin1')).to.not.include(KEY);
  });

  it('takes its key from an action of the catalog, which shows it to nobody', async () => {
    server.manner = CAT;
    const name = OWN;
    const about = { description: 'Asks.' };
    const properties = [
      { name: 'API_TOKEN', value: KEY },
      { name: 'API_URI', value: `${server.url.replace('//', `//eve:${KEY}@`)}/v1` },
      { name: 'OUTPUT_PROPERTY', value: 'SEEN' },
    ];
    const post = (path: string, body: object) => service.ask('POST', `/rest/${path}`, body);
    expect((await post('actions', { name, ...about, algorithm: 'OPENAI', properties })).status).to.equal(200);
    await post('tasks', { name, ...about, actions: [name] });
    await post('pipelines', { name, ...about, tasks: [name] });
    const { pipelineName: _, ...rest } = job();
    const { API_TOKEN: __, API_URI: ___, ...jobProperties } = rest.jobProperties;
    const document = await service.run({ ...rest, jobProperties, pipelineName: name });
    const [track] = tracksOf(document.media[0], 'CAPTION');
    expect(track!.trackProperties).to.deep.equal({ SEEN: 'A cat.' });
    expect(server.requests.at(-1)!.headers.authorization).to.equal(`Bearer ${KEY}`);
    const path = `/rest/actions/${encodeURIComponent(name)}`;
    const shown = await service.ask('GET', path);
    const dry = await post('jobs?dryRun=true', { ...rest, jobProperties, pipelineName: name });
    for (const text of [
      shown.text,
      (await service.ask('GET', '/rest/actions')).text,
      (await service.ask('GET', `${path}?details=true`)).text,
      (await service.ask('GET', '/rest/pipelines?details=true')).text,
      dry.text,
      JSON.stringify(document),
      JSON.stringify(service.log()),
    ])
      expect(text).to.not.include(KEY);
    expect(shown.body).to.deep.include({
      properties: [
        { name: 'API_TOKEN', value: '<censored>' },
        { name: 'API_URI', value: `${server.url.replace('//', '//***@')}/v1` },
        { name: 'OUTPUT_PROPERTY', value: 'SEEN' },
      ],
    });
    // Storing the action as it was returned keeps the key. A copy under another name has no key.
    expect((await post('actions', shown.body as object)).status).to.equal(200);
    const copy = await post('actions', { ...(shown.body as object), name: 'A COPY' });
    expect([copy.status, copy.text]).to.satisfy(
      ([status, text]: [number, string]) =>
        status === 400 && text.includes('the value of API_TOKEN is what is shown'),
    );
    const again = await service.run({ ...rest, jobProperties, pipelineName: name });
    expect(tracksOf(again.media[0], 'CAPTION')).to.have.length(1);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}
