/** Failures of a model server: the component waits for it, or a message says what to do. */
import { expect } from 'chai';
import { createServer as createHttp2 } from 'node:http2';
import type { ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import loadKserve from '../../../components/models/kserve/detector.ts';
import { json, KserveServer, type AskedServer } from '../../support/servers/kserve-server.ts';
import { columnsOf, modelOf, node, pictureModel } from '../../support/media/onnx-model.ts';
import { drip, flood, hang } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';
import { CAT_AND_DOG, WHITE, yoloModel } from './onnx/own-model.ts';
import { ServedFolder } from './served-model.ts';
import { acceptsBroken, all, paintVideo } from '../visual.ts';

const PETS = { parameters: { CLASS_NAMES: '["cat", "dog"]' } };

describe('A model server in trouble', () => {
  let models: ServedFolder;
  before(async () => {
    models = await ServedFolder.open(600_000);
    await models.server.serve('pets', yoloModel(), PETS);
  });
  afterEach(() => {
    models.server.instead = () => undefined;
    models.server.asked.length = 0;
  });
  after(() => models.close());

  /** Replaces the responses to paths with this ending. */
  const instead = (ending: string, answer: (response: ServerResponse, asked: AskedServer) => unknown) => {
    models.server.instead = (asked, response) => {
      if (!asked.path.endsWith(ending)) return undefined;
      answer(response, asked);
      return true;
    };
  };
  const status = (code: number, error: string) => (response: ServerResponse) =>
    json(response, code, { error });

  describe('is waited for, and no attempt is counted', () => {
    let ways = 10;

    /** Expects results once `back` was called, which happens after 20 heartbeats. */
    async function findsPets(back: () => unknown): Promise<void> {
      let told = 0;
      const working = () => void (++told === 20 && back());
      // A new concurrency value makes the component treat the model as unknown.
      const job = {
        ...(await models.job('pets', { TRITON_MAX_INFER_CONCURRENCY: String(ways++) })),
        working,
      };
      expect(await all(models.detector.image!(WHITE, job))).to.have.length(2);
      expect(told).to.be.at.least(20);
    }

    it('when it cannot be reached', async () => {
      const { port } = models.server;
      await models.server.close();
      let next: Promise<KserveServer> | undefined;
      const back = async () => {
        next = KserveServer.start(port);
        await (await next).serve('pets', yoloModel(), PETS);
      };
      await findsPets(back);
      models.server = await next!;
    });

    for (const [what, ending, code] of [
      ['says 503 for all', '', 503],
      ['is not ready, though it tells of the model', '/models/pets/ready', 400],
    ] as const)
      it(`when it ${what}`, async () => {
        instead(ending, status(code, 'not yet'));
        await findsPets(() => (models.server.instead = () => undefined));
      });

    it('when it is starting, or loads the model: it knows no model yet', async () => {
      for (const late of ['/health/ready', '/repository/index']) {
        models.server.instead = ({ path }, response) => {
          if (path.includes('/models/')) json(response, 400, { error: 'unknown model' });
          else if (!path.endsWith(late)) return undefined;
          else if (late === '/health/ready') json(response, 400, {});
          else json(response, 200, [{ name: 'pets', version: '1', state: 'LOADING' }]);
          return true;
        };
        await findsPets(() => (models.server.instead = () => undefined));
      }
    });

    it('in the middle of a video, of which nothing is lost', async () => {
      const video = paintVideo({ width: 64, height: 32, frames: 9 }, () => [255, 255, 255]);
      let infers = 0;
      instead('/infer', (response) => {
        if (++infers > 12) models.server.instead = () => undefined;
        json(response, 503, {});
      });
      const [cat] = await all(models.detector.video!(video, await models.job('pets')));
      expect(cat!.detections.map(({ frame }) => frame)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    });

    it('until its time is over', async () => {
      const hasty = await ServedFolder.open();
      await hasty.server.close();
      expect(await hasty.complaint('pets')).to.match(
        /^NETWORK_ERROR: The model server http:\/\/127\.0\.0\.1:\d+ could not be used: the connection was refused\.$/,
      );
      await hasty.close();
    });

    it('until the job is cancelled', async () => {
      instead('', status(503, 'not yet'));
      const stop = new AbortController();
      const job = { ...(await models.job('pets')), signal: stop.signal };
      const outcome = all(models.detector.image!(WHITE, job)).catch((error: Error) => error.message);
      await until('the server was asked', () => models.server.asked.length, (count) => count > 0); // oxfmt-ignore
      stop.abort(new Error('cancelled'));
      expect(await outcome).to.equal('cancelled');
    });
  });

  it('is asked again what it failed to answer, COMPONENT_HTTP_RETRY_MAX_ATTEMPTS times in all', async () => {
    let infers = 0;
    instead('/infer', (response) => {
      if (++infers === 2) models.server.instead = () => undefined;
      json(response, 500, { error: 'no memory' });
    });
    expect(await models.inImage('pets')).to.have.length(2);
    instead('/infer', status(500, 'no memory'));
    models.server.asked.length = 0;
    expect(await models.complaint('pets')).to.include('it answered with status 500: no memory.');
    expect(models.server.inferred).to.have.length(3);
  });

  it('answers too slowly, or never ends', async () => {
    const brief = { TRITON_INFER_TIMEOUT_US: '100000', COMPONENT_HTTP_RETRY_MAX_ATTEMPTS: '2' };
    await models.inImage('pets', { ...brief, TRITON_INFER_TIMEOUT_US: '30000000' });
    for (const manner of [hang, drip]) {
      instead('/infer', (response) => manner(undefined as never, response));
      expect(await models.complaint('pets', brief)).to.match(
        /no complete answer within 100 ms \(TRITON_INFER_TIMEOUT_US\)/,
      );
    }
    instead('/infer', (response) => flood(200)(undefined as never, response));
    expect(await models.complaint('pets')).to.match(/its answer has more than \d+ bytes/);
    instead('/models/pets', (response) => flood(200)(undefined as never, response));
    expect(await models.complaint('pets', { TRITON_MODEL_NAME: 'pets' })).to.include(
      'its metadata of the model is too long',
    );
  });

  it('has no such model, or not this version of it', async () => {
    const single = await ServedFolder.open(600_000);
    await single.server.serve('pets', yoloModel(), PETS);
    expect(await single.complaint('cats')).to.match(
      /^NETWORK_ERROR: .*: it has no model cats that is ready: it answered with status 404: Request for unknown model: 'cats' is not found\. Load the model there, or set MODEL_NAME and TRITON_MODEL_VERSION to one that is; there are pets\.$/,
    );
    await single.close();
    expect(await models.complaint('pets', { TRITON_MODEL_VERSION: '7' })).to.include(
      'it has no model pets, version 7, that is ready',
    );
    instead('/index', (response) =>
      json(response, 200, [{ name: 'cats', state: 'UNAVAILABLE', reason: 'no such file model.onnx' }]),
    );
    expect(await models.complaint('cats')).to.include('(no such file model.onnx)');
  });

  it('is something else: a web page, another service, a port of gRPC, one without TLS', async () => {
    const page = '<!doctype html><title>Sign in</title>';
    for (const code of [200, 400, 404]) {
      instead('', (response) => response.writeHead(code).end(page));
      expect(await models.complaint('pets', { TRITON_MODEL_NAME: `pets${code}` })).to.match(
        /(a web page|<!doctype).*TRITON_SERVER must/,
      );
    }
    instead('', (response) => json(response, 302, {}));
    expect(await models.complaint('moved')).to.include('status 302');
    models.server.instead = () => undefined;
    const secure = await models.complaint('pets', { TRITON_USE_SSL: 'TRUE' });
    expect(secure).to.include('does not speak TLS: set TRITON_USE_SSL to FALSE');
    for (const other of [
      createHttp2(),
      createServer((socket) => void socket.end('\0\0\x06\x04\0\0\0\0\0')),
    ]) {
      const port = await listen(other);
      const said = await models.complaint('pets', { TRITON_SERVER: `127.0.0.1:${port}` });
      expect(said).to.match(/does not speak HTTP\/1\.1.*8000 of Triton \(8001 is that of gRPC\)/);
      other.close();
    }
  });

  for (const [what, answer, said] of [
    ['no JSON', [Buffer.from('ok'), undefined], /answered with no JSON/],
    [
      'another JSON',
      [Buffer.from('{"ok":true}'), undefined],
      /does not follow the KServe v2 protocol \(outputs: /,
    ],
    [
      'a header that is too long',
      [Buffer.from('{}'), '99'],
      /has 2 bytes, and says that 99 of them are JSON/,
    ],
    ['no such output', infer([]), /its answer has no output output0, but none/],
    [
      'too few bytes',
      infer([{ size: 44 }]),
      /its output output0 \[1, 6, 2\] of FP32 has 44 bytes instead of 48/,
    ],
    [
      'a part of the bytes',
      infer([{ bytes: 40 }]),
      /cut off: its output output0 \[1, 6, 2\] of FP32 has 40 bytes instead of 48/,
    ],
    ['more bytes than it says', infer([{ bytes: 52 }]), /has 4 bytes that belong to no output/],
    [
      'another shape',
      infer([{ shape: [1, 7, 2], size: 56, bytes: 56 }]),
      /answers output0 \[1, 7, 2\], where it answered \[1, 6, 2\] before/,
    ],
    [
      'another type',
      infer([{ datatype: 'BF16', size: 24, bytes: 24 }]),
      /output output0 is of the type BF16, which nothing is read from/,
    ],
    ['too few values in JSON', infer([{ data: [1, 2, 3] }]), /has 3 values instead of 12/],
    [
      'texts in JSON',
      infer([{ data: Array.from({ length: 12 }, () => 'x') }]),
      /has other values than numbers/,
    ],
    ['an error', status400, /status 400: unexpected shape for input images/],
  ] as const)
    // oxfmt-ignore
    it(`answers ${what}`, async () => {
      await models.inImage('pets');
      instead('/infer', (response) => {
        if (typeof answer === 'function') return answer(response);
        const [body, length] = answer;
        const header = length === undefined ? {} : { 'inference-header-content-length': length };
        return response.writeHead(200, header).end(body);
      });
      expect(await models.complaint('pets')).to.match(said);
    });

  it('answers tensors as JSON, as servers without the extension do', async () => {
    await models.inImage('pets');
    const data = [16, 27, 16, 16, 8, 6, 8, 12, 0.9, 0.1, 0.05, 0.8];
    const [body, length] = infer([{ data }]);
    instead('/infer', (response) =>
      response.writeHead(200, { 'inference-header-content-length': length }).end(body),
    );
    expect((await models.inImage('pets')).map(({ confidence }) => confidence)).to.deep.equal([0.9, 0.8]);
  });

  it('has a model that takes no picture, or whose outputs fit no rule', async () => {
    const ids = { name: 'ids', dims: [1, 8], type: 'int64' } as const;
    const words = { nodes: [node('Identity', ['ids'], ['x'])], inputs: [ids], outputs: [{ ...ids, name: 'x' }] };
    await models.server.serve('words', modelOf(words));
    expect(await models.complaint('words')).to.match(
      /^INVALID_PROPERTY: The model words wants ids \[1, 8\] of int64: only models that take one picture/,
    );
    const values = Array.from({ length: 315 }, () => 0);
    const maps = { input: { name: 'images', dims: ['n', 3, 8, 8] }, outputs: [{ name: 'maps', dims: [7, 5, 9], values }] };
    await models.server.serve('maps', pictureModel(maps));
    expect(await models.complaint('maps')).to.match(
      /^INVALID_PROPERTY: The model maps fits no rule: it answers maps \[1, 7, 5, 9\]\. The nearest rule is /,
    );
  }); // oxfmt-ignore

  it('wants pictures that no memory holds', async () => {
    instead('/models/huge', (response) =>
      json(response, 200, { name: 'huge', inputs: [huge], outputs: [{ ...huge, name: 'output0' }] }),
    );
    const huge = { name: 'images', datatype: 'FP32', shape: [1, 3, 1e6, 1e6] };
    expect(await models.complaint('huge')).to.match(
      /^INVALID_PROPERTY: The model huge wants images \[1, 3, 1000000, 1000000\] of float32: .* are not sent/,
    );
  });

  it('wants another size of pictures, or one at a time', async () => {
    await models.server.serve('sized', yoloModel({ dims: [1, 3, 'h', 'w'] }), PETS);
    instead('/infer', status400);
    expect(await models.complaint('sized')).to.match(
      /It was given an empty picture \[1, 3, 640, 640\]: if the model takes another size, set NET_INPUT_IMAGE_SIZE\.$/,
    );
    models.server.instead = () => undefined;
    const [cat, dog] = CAT_AND_DOG;
    const single = pictureModel({
      input: { name: 'images', dims: ['n', 3, 32, 32] },
      outputs: [{ name: 'output0', dims: [6, 2], values: columnsOf([cat, dog]) }],
    });
    await models.server.serve('single', single, PETS);
    const video = paintVideo({ width: 64, height: 32, frames: 4 }, () => [255, 255, 255]);
    const job = await models.job('single', { DETECTION_FRAME_BATCH_SIZE: '2' });
    const outcome = await all(models.detector.video!(video, job)).catch((error: Error) => error.message);
    expect(outcome).to.match(
      /answers output0 \[1, 6, 2\] to 2 pictures: set DETECTION_FRAME_BATCH_SIZE to 1\.$/,
    );
    instead('/infer', status400);
    const refused = await all(models.detector.video!(video, job)).catch((error: Error) => error.message);
    expect(refused).to.match(
      /Set DETECTION_FRAME_BATCH_SIZE to 1 if the model takes one picture at a time\.$/,
    );
  });

  it('was given another model under the same name', async () => {
    await models.server.serve('changing', yoloModel(), PETS);
    expect(await models.inImage('changing')).to.have.length(2);
    const three = { parameters: { CLASS_NAMES: '["cat", "dog", "bird"]' } };
    await models.server.serve('changing', yoloModel({ boxes: [[16, 16, 8, 8, 0, 0, 0.9], [1, 1, 2, 2, 0, 0, 0]] }), three); // oxfmt-ignore
    expect(await models.complaint('changing')).to.match(/\[1, 7, 2\], where it answered \[1, 6, 2\] before/);
    const [bird] = await models.inImage('changing');
    expect(bird!.properties!['CLASSIFICATION']).to.equal('bird');
  });

  it('may only be where model servers may be', async () => {
    const strict = (allowedHosts: string[]) =>
      loadKserve({
        models: { roots: [], loaded: 1, checkMs: 1_000 },
        modelServers: { allowPrivate: false, allowedHosts, waitMs: 0 },
      });
    const outcome = async (hosts: string[], address = models.server.address) => {
      const detector = await strict(hosts);
      const job = await models.job('pets', { TRITON_SERVER: address });
      const found = await all(detector.image!(WHITE, job)).catch((error: Error) => error.message);
      await detector.close!();
      return found;
    };
    expect(await outcome([])).to.include('MODEL_SERVER_ALLOWED_HOSTS');
    expect(models.server.asked).to.have.length(0);
    expect(await outcome(['127.0.0.1'])).to.have.length(2);
    expect(await outcome(['127.0.0.1'], '169.254.169.254:8000')).to.include('never connected to');
  });

  it('is named by properties that make no sense', async () => {
    for (const [properties, code] of [
      [{ TRITON_SERVER: '' }, 'MISSING_PROPERTY: The TRITON_SERVER'],
      [{ MODEL_NAME: '' }, 'MISSING_PROPERTY: The MODEL_NAME'],
      [{ TRITON_SERVER: 'grpc://secret:key@host:8001' }, 'INVALID_PROPERTY: The TRITON_SERVER'],
      [{ TRITON_SERVER: 'host:port' }, 'INVALID_PROPERTY: The TRITON_SERVER'],
      [{ TRITON_SERVER: 'http://host/?a=b' }, 'INVALID_PROPERTY: The TRITON_SERVER'],
      [{ TRITON_SERVER: 'http://host', TRITON_USE_SSL: 'TRUE' }, 'INVALID_PROPERTY: TRITON_USE_SSL'],
      [{ ENABLE_TRITON: 'FALSE' }, 'INVALID_PROPERTY: The ENABLE_TRITON'],
    ] as const) {
      const said = await models.complaint('pets', properties);
      expect(said.startsWith(code), said).to.equal(true);
      expect(said).to.not.include('secret');
    }
    const texts = ['TRITON_SERVER', 'MODEL_NAME', 'TRITON_MODEL_NAME', 'TRITON_MODEL_VERSION', 'API_TOKEN', 'CLASS_ALLOW_LIST', 'CLASS_DENY_LIST', 'TRACK_TYPE']; // oxfmt-ignore
    const accepted = await acceptsBroken('kserve', async function* ({ properties, signal }) {
      const { TRITON_SERVER, MODEL_NAME } = { TRITON_SERVER: models.server.address, MODEL_NAME: 'pets' };
      yield* models.detector.image!(WHITE, { properties: { ...properties, TRITON_SERVER, MODEL_NAME }, signal });
    });
    expect(accepted.filter((name) => !texts.includes(name))).to.deep.equal([]);
  }); // oxfmt-ignore
});

function status400(response: ServerResponse): void {
  json(response, 400, { error: 'unexpected shape for input images' });
}

interface OutputLike {
  readonly shape?: readonly number[];
  readonly datatype?: string;
  /** Number of elements that the response states for the tensor. */
  readonly size?: number;
  /** Number of bytes that are sent. */
  readonly bytes?: number;
  readonly data?: readonly unknown[];
}

/** A response with output0, valid except for the given parts, and the length of its JSON. */
function infer(outputs: readonly OutputLike[]): readonly [Buffer, string] {
  const told = outputs.map(({ shape = [1, 6, 2], datatype = 'FP32', size = 48, data }) => ({
    ...{ name: 'output0', shape, datatype },
    ...(data === undefined ? { parameters: { binary_data_size: size } } : { data }),
  }));
  const header = Buffer.from(JSON.stringify({ model_name: 'pets', outputs: told }));
  const tensors = outputs.map(({ bytes, size, data }) =>
    Buffer.alloc(data === undefined ? (bytes ?? size ?? 48) : 0),
  );
  return [Buffer.concat([header, ...tensors]), String(header.length)];
}

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};
