import { expect } from 'chai';
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import loadPictures from '../../../components/models/openai/detector.ts';
import loadSpeech from '../../../components/models/openai-speech/detector.ts';
import loadText from '../../../components/models/openai-text/detector.ts';
import type { DetectionJob, Detector, DetectorHost } from '../../../components/sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import type { FedTrack } from '../../../protocol/detection-work.ts';
import { openAudio } from '../../../media/sound/audio.ts';
import {
  answer,
  drip,
  drop,
  flood,
  hang,
  inTurn,
  Receiver,
  type Manner,
} from '../../support/servers/receiver.ts';
import { UnreachableServer } from '../../support/servers/unreachable-server.ts';
import { until } from '../../support/until.ts';
import { sample } from './recorded-media.ts';
import { all, jobOf, paintVideo, picture } from '../visual.ts';

const KEY = 'sk-very-secret';
const RED = picture(64, 48, () => [200, 30, 30]);

const says = (content: string, more: object = {}): Manner =>
  answer(200, JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }], ...more }));

describe('The OPENAI components', () => {
  let server: Receiver;
  let roots: string;
  const loaded: Detector[] = [];
  const hostWith = (waitMs = 0): DetectorHost => ({
    models: { roots: [roots], loaded: 1, checkMs: 1_000 },
    modelServers: { allowPrivate: true, allowedHosts: [], waitMs },
  });
  before(() => {
    roots = mkdtempSync(join(tmpdir(), 'troupe-questions-'));
  });
  beforeEach(async () => {
    server = await Receiver.start();
  });
  afterEach(async () => {
    await server.close();
    for (const one of loaded.splice(0)) await one.close?.();
  });
  after(() => rm(roots, { recursive: true, force: true }));

  async function makeDetector(
    load: (host: DetectorHost) => Promise<Detector>,
    host = hostWith(),
  ): Promise<Detector> {
    const detector = await load(host);
    loaded.push(detector);
    return detector;
  }
  const requestAt = (at = 0) => JSON.parse(server.requests[at]!.body) as Record<string, unknown>;

  async function job(component: string, properties: Properties = {}): Promise<DetectionJob> {
    return jobOf(component, {
      API_URI: `${server.url}/v1/`,
      API_TOKEN: KEY,
      LLM_MODEL: 'llava',
      COMPONENT_HTTP_RETRY_INITIAL_DELAY_MS: '1',
      COMPONENT_HTTP_RETRY_MAX_ATTEMPTS: '3',
      ...properties,
    });
  }

  async function describeRed(properties: Properties = {}, host = hostWith()): Promise<Properties> {
    const detector = await makeDetector(loadPictures, host);
    const [track] = await all(detector.image!(RED, await job('openai', properties)));
    return track!.properties!;
  }
  const complaint = (properties: Properties = {}, host = hostWith()): Promise<string> =>
    describeRed(properties, host).then(
      () => 'nothing',
      (error: { code?: string; message: string }) => `${error.code}: ${error.message}`,
    );

  it('ask about a picture, and have the answer as a property', async () => {
    server.manner = says(' A red square. ', { usage: { prompt_tokens: 12, completion_tokens: 4 } });
    expect(await describeRed()).to.deep.equal({
      CAPTION: 'A red square.',
      PROMPT_TOKENS: '12',
      COMPLETION_TOKENS: '4',
    });
    const [request] = server.requests;
    expect([request!.method, request!.path]).to.deep.equal(['POST', '/v1/chat/completions']);
    expect(request!.headers.authorization).to.equal(`Bearer ${KEY}`);
    const { model, max_tokens: most, messages } = requestAt();
    expect([model, most]).to.deep.equal(['llava', 1024]);
    expect(JSON.stringify(messages)).to.match(/Describe in one sentence.*data:image\/jpeg;base64,\/9j\//);
  });

  it('ask the first model of the server when none is named', async () => {
    server.manner = inTurn(answer(200, '{"data":[{"id":"qwen"}]}'), says('Red.'));
    await describeRed({ LLM_MODEL: '' });
    expect(server.requests.map(({ path }) => path)).to.deep.equal(['/v1/models', '/v1/chat/completions']);
    expect(requestAt(1)['model']).to.equal('qwen');
  });

  it('make properties of an answer that fits a JSON schema, and ask again for one that does', async () => {
    const schema = { type: 'object', properties: { carries: { type: 'string' }, count: { type: 'integer' } }, required: ['carries', 'count'] }; // oxfmt-ignore
    await writeFile(join(roots, 'schema.json'), JSON.stringify(schema));
    server.manner = inTurn(
      says('A bag'),
      says('{"carries":"bag"}'),
      says('```json\n{"carries":"bag","count":2}\n```'),
    );
    for (const path of ['schema.json', JSON.stringify(schema)]) {
      expect(await describeRed({ GENERATION_JSON_SCHEMA_PATH: path })).to.deep.equal({
        CARRIES: 'bag',
        COUNT: '2',
      });
    }
    expect(server.requests).to.have.length(4);
    expect(JSON.stringify(requestAt(2)['messages'])).to.include('does not fit the JSON schema');
    expect(JSON.stringify(requestAt()['response_format'])).to.include('"carries"');
  });

  it('fail when no answer fits, after GENERATION_MAX_ATTEMPTS', async () => {
    server.manner = says('[]');
    const said = await complaint({
      GENERATION_JSON_SCHEMA_PATH: '{"type":"object"}',
      GENERATION_MAX_ATTEMPTS: '2',
    });
    expect(said).to.match(/^DETECTION_FAILED: .*2 attempts/);
    expect(server.requests).to.have.length(2);
  });

  it('ask about a frame a second of a video, or about a wanted number spread over it', async () => {
    server.manner = says('Grey.');
    const detector = await makeDetector(loadPictures);
    const video = paintVideo({ frames: 120 }, () => [90, 90, 90]);
    const warnings: string[] = [];
    const framesWith = async (properties: Properties): Promise<number[]> => {
      const asked = {
        ...(await job('openai', properties)),
        warn: (text: string) => void warnings.push(text),
      };
      return (await all(detector.video!(video, asked))).map(({ detections }) => detections[0]!.frame);
    };
    expect(await framesWith({})).to.deep.equal([0, 25, 50, 75, 100]);
    expect(await framesWith({ GENERATE_FRAME_RATE_CAP: '0.5' })).to.deep.equal([0, 50, 100]);
    expect(await framesWith({ PROCESS_FPS: '2' })).to.deep.equal([0, 13, 25, 38, 50, 63, 75, 88, 100, 113]);
    expect(await framesWith({ MAX_FRAMES: '5', GENERATE_FRAME_RATE_CAP: '-1', PROCESS_FPS: '1' })).to.have.length(5); // oxfmt-ignore
    expect(warnings).to.deep.equal([]);
    expect(await framesWith({ MAX_FRAMES: '3' })).to.deep.equal([0, 40, 80]);
    expect(await framesWith({ MAX_FRAMES: '4', GENERATE_FRAME_RATE_CAP: '0' })).to.deep.equal([
      0, 30, 60, 90,
    ]);
    expect(warnings).to.have.length(2);
    expect(warnings[0]).to.include('only 3 frames were shown to the model (MAX_FRAMES)');
  });

  it('ask about the regions that are fed, at the same rate, with what their track is', async () => {
    server.manner = says('A bag.');
    const detector = await makeDetector(loadPictures);
    const video = paintVideo({ frames: 30 }, () => [1, 2, 3]);
    const regions = async (properties: Properties): Promise<number> => {
      const about = await job('openai', { PROMPT_TEMPLATE: 'What does this {CLASSIFICATION} carry?', ...properties }); // oxfmt-ignore
      const fed = fedTrack({ CLASSIFICATION: 'person' });
      return (await all(detector.video!(video, { ...about, fed }))).length;
    };
    expect(await regions({})).to.equal(2);
    expect(await regions({ PROCESS_FPS: '10' })).to.equal(2);
    expect(await regions({ GENERATE_FRAME_RATE_CAP: '0' })).to.equal(30);
    expect(JSON.stringify(requestAt()['messages'])).to.include('What does this person carry?');
  });

  it('ask about the texts of tracks and of files', async () => {
    server.manner = says('Short.');
    const detector = await makeDetector(loadText);
    const track = fedTrack({ TEXT: 'A long {story}.' });
    const [found] = await all(detector.fed!(track, await job('openai-text')));
    expect(found!.properties).to.deep.equal({ SUMMARY: 'Short.' });
    expect(JSON.stringify(requestAt()['messages'])).to.include('one sentence:\\n\\nA long {story}.');
    const path = join(roots, 'note.txt');
    await writeFile(path, 'A note of a few words. '.repeat(50));
    const warnings: string[] = [];
    const about = { ...(await job('openai-text', { MAX_MODEL_LEN: '1100' })), warn: (text: string) => void warnings.push(text) }; // oxfmt-ignore
    const source = { path, mimeType: 'text/plain', outputFolder: roots };
    const [part] = await all(detector.generic!(source, about));
    expect(part!.properties).to.include({ SUMMARY: 'Short.', SECTION_NUM: '1' });
    expect(warnings[0]).to.include('MAX_MODEL_LEN');
  });

  it('have speech written down, with times of the medium', async () => {
    const segments = [{ start: 0.5, end: 1.25, text: ' Hello. ' }];
    server.manner = answer(200, JSON.stringify({ text: 'Hello.', language: 'english', segments }));
    const detector = await makeDetector(loadSpeech);
    const audio = await openAudio(sample('vad_groundtruth.wav'), { startMs: 11_000 });
    const found = await all(detector.audio!(audio, await job('openai-speech', { AUDIO_LANGUAGE: 'en' })));
    audio.close();
    expect(found[0]!.properties).to.deep.equal({ TRANSCRIPT: 'Hello.', DETECTED_LANGUAGE: 'english' });
    expect(found[0]!.startTime).to.be.within(12_100, 13_000);
    expect(found[0]!.stopTime - found[0]!.startTime).to.equal(750);
    const [{ path, body, headers } = server.requests[0]!] = server.requests;
    expect(path).to.equal('/v1/audio/transcriptions');
    expect(headers['content-type']).to.match(/^multipart\/form-data; boundary=/);
    expect(body)
      .to.match(/name="model"\r\n\r\nllava\r\n/)
      .and.to.include('name="language"\r\n\r\nen');
    expect(body).to.include('name="timestamp_granularities[]"\r\n\r\nsegment').and.to.include('RIFF');
  });

  describe('when the server is in trouble', () => {
    it('ask again what it failed to answer, COMPONENT_HTTP_RETRY_MAX_ATTEMPTS times in all', async () => {
      server.manner = inTurn(answer(500, 'oops'), answer(429, '', { 'retry-after': '0' }), says('Red.'));
      expect((await describeRed())['CAPTION']).to.equal('Red.');
      server.manner = answer(500, `{"error":{"message":"no memory for ${KEY}"}}`);
      const said = await complaint();
      expect(said)
        .to.match(/^NETWORK_ERROR: .*status 500: no memory for \*\*\*/)
        .and.to.not.include(KEY);
      expect(server.requests).to.have.length(6);
    });

    it('never tell a part of the key, though what is told is cut', async () => {
      server.manner = answer(400, `${'x'.repeat(295)}${KEY}`);
      expect(await complaint())
        .to.contain('xxx***')
        .and.not.contain(KEY.slice(0, 4));
    });

    it('wait no longer than for one that is away, however long it asks for', async () => {
      server.manner = answer(503, '', { 'retry-after': '3600' });
      expect(await complaint({}, hostWith(50))).to.contain('status 503');
      server.manner = answer(429, '', { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() });
      expect(await complaint({}, hostWith(50))).to.contain('status 429');
    });

    it('wait for one that is away, without counting attempts, and tell that they go on', async () => {
      const { port } = new URL(server.url);
      await server.close();
      let told = 0;
      const detector = await makeDetector(loadPictures, hostWith(600_000));
      const waiting = { ...(await job('openai', { COMPONENT_HTTP_RETRY_MAX_DELAY_MS: '5' })), working };
      let back: Promise<Receiver> | undefined;
      function working(): void {
        told++;
        // Many more heartbeats than retries after a failure.
        if (told === 20) back = Receiver.start(inTurn(answer(503), says('Red.')), { port: Number(port) });
      }
      const [found] = await all(detector.image!(RED, waiting));
      expect(found!.properties?.['CAPTION']).to.equal('Red.');
      server = await back!;
    });

    it('wait in the same way for a server to which no connection comes about', async () => {
      const deaf = await UnreachableServer.start();
      let told = 0;
      const lost = { API_URI: `http://127.0.0.1:${deaf.port}/v1`, API_TIMEOUT_MS: '2000', COMPONENT_HTTP_RETRY_MAX_ATTEMPTS: '1' }; // oxfmt-ignore
      let back: Promise<Receiver> | undefined;
      const comeBack = async () => {
        await deaf.close();
        return Receiver.start(says('Red.'), { port: deaf.port });
      };
      function working(): void {
        told++;
        if (told === 3) back = comeBack();
      }
      const detector = await makeDetector(loadPictures, hostWith(600_000));
      const [found] = await all(detector.image!(RED, { ...(await job('openai', lost)), working }));
      expect(found!.properties?.['CAPTION']).to.equal('Red.');
      await (await back!).close();
    });

    it('give it up after MODEL_SERVER_WAIT_MS', async () => {
      await server.close();
      expect(await complaint()).to.match(
        /^NETWORK_ERROR: The model server http:\/\/127.* the connection was refused\.$/,
      );
    });

    it('wait until it says that it is well', async () => {
      server.manner = inTurn(answer(503, 'loading'), answer(200, 'ok'), says('Red.'));
      await describeRed({ API_HEALTH_URI: `${server.url}/health` }, hostWith(600_000));
      expect(server.requests.map(({ path }) => path)).to.deep.equal([
        '/health',
        '/health',
        '/v1/chat/completions',
      ]);
    });

    it('break off answers that are too slow, too long, or none', async () => {
      server.manner = hang;
      // Even on a busy machine, each request arrives within this time.
      expect(await complaint({ API_TIMEOUT_MS: '500' })).to.match(/no complete answer within 500 ms/);
      expect(server.requests).to.have.length(3);
      server.manner = flood(200);
      expect(await complaint()).to.match(/more than \d+ bytes/);
      // A stream that never ends.
      server.manner = drip;
      expect(await complaint({ API_TIMEOUT_MS: '200' })).to.match(/no complete answer within 200 ms/);
      server.manner = drop;
      expect(await complaint()).to.match(/^NETWORK_ERROR: .*closed/);
    });

    it('say at once what is wrong with an address or a key', async () => {
      for (const [manner, said] of [
        [answer(200, '<!doctype html><title>Sign in</title>'), /a web page; API_URI must/],
        [answer(200, '{"ok":true}'), /does not follow the OpenAI protocol/],
        [answer(401, `{"error":"bad key ${KEY}"}`), /does not accept API_TOKEN/],
        [
          answer(404, '{"error":{"message":"model \\"llava\\" not found"}}'),
          /status 404: model "llava" not found/,
        ],
        [answer(302, '', { location: 'http://127.0.0.1/' }), /status 302/],
      ] as const) {
        server.requests.length = 0;
        server.manner = manner;
        expect(await complaint())
          .to.match(said)
          .and.to.not.include(KEY);
        expect(server.requests).to.have.length(1);
      }
    });
  });

  it('go to no private address that the operator has not allowed, and nowhere else with the key', async () => {
    server.manner = says('Red.');
    const strict = (allowedHosts: string[]) => ({
      ...hostWith(),
      modelServers: { allowPrivate: false, allowedHosts, waitMs: 0 },
    });
    expect(await complaint({}, strict([]))).to.include('MODEL_SERVER_ALLOWED_HOSTS');
    expect(server.requests).to.have.length(0);
    expect((await describeRed({}, strict(['127.0.0.1'])))['CAPTION']).to.equal('Red.');
    expect(await complaint({ API_URI: 'http://169.254.169.254/v1' })).to.include('never connected to');
    const other = await Receiver.start(answer(200, 'ok'));
    await describeRed({ API_HEALTH_URI: `${other.url}/health` });
    expect(other.requests[0]!.headers.authorization).to.equal(undefined);
    await other.close();
  });

  it('stop when the job is cancelled', async () => {
    server.manner = hang;
    const stop = new AbortController();
    const detector = await makeDetector(loadPictures);
    const outcome = all(detector.image!(RED, { ...(await job('openai')), signal: stop.signal })).catch(
      (error: Error) => error.message,
    );
    await until(
      'the server was asked',
      () => server.requests.length,
      (count) => count > 0,
    );
    stop.abort(new Error('cancelled'));
    expect(await outcome).to.equal('cancelled');
  });

  it('refuse properties that make no sense', async () => {
    await writeFile(join(roots, 'weights.onnx'), 'weights');
    await writeFile(join(roots, 'long.txt'), 'x'.repeat(2_000_000));
    for (const [properties, code] of [
      [{ API_URI: '' }, 'MISSING_PROPERTY'],
      [{ API_URI: 'file:///etc/passwd' }, 'INVALID_PROPERTY'],
      [{ PROMPT_TEMPLATE: ' ' }, 'MISSING_PROPERTY'],
      [{ GENERATION_PROMPT_PATH: '../../etc/passwd' }, 'INVALID_PROPERTY'],
      [{ GENERATION_JSON_SCHEMA_PATH: '{"type":7}' }, 'INVALID_PROPERTY'],
      [{ GENERATION_PROMPT_PATH: '.' }, 'INVALID_PROPERTY'],
      [{ CLASSIFIERS_FILE: 'weights.onnx' }, 'INVALID_PROPERTY'],
      [{ CLASSIFIERS_FILE: 'long.txt' }, 'INVALID_PROPERTY'],
      [{ MAX_NEW_TOKENS: 'many' }, 'INVALID_PROPERTY'],
      [{ COMPONENT_HTTP_RETRY_MAX_ATTEMPTS: '0' }, 'INVALID_PROPERTY'],
    ] as const)
      expect(await complaint(properties), JSON.stringify(properties)).to.match(new RegExp(`^${code}`));
  });
});

function fedTrack(properties: Properties): FedTrack {
  const detection = { frame: 0, time: 0, x: 0, y: 0, width: 4, height: 4, confidence: 1, properties: {} };
  return {
    ...{ task: 0, line: 0, type: 'CLASS', startFrame: 0, stopFrame: 0, startTime: 0, stopTime: 0 },
    confidence: 1,
    properties,
    detections: [detection],
  };
}
