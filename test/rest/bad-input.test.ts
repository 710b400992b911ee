/** Bad input: the server answers with a clear error, stores nothing, and other requests and jobs continue. */
import { once } from 'node:events';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { errorMembers } from '../../http/routing/errors.ts';
import { request } from 'undici';
import { packageRoot } from '../../config/info.ts';
import { ALL_JOBS, LIVE_JOBS, RETRYABLE_JOBS } from '../../actors/batch-job/state/indexes.ts';
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts';
import {
  errorCodes,
  sampleUri,
  Service,
  tracksOf,
  type DetectionDocument,
  withoutRedis,
} from '../support/processes/service.ts';
import { within } from '../support/until.ts';

const PICTURE = sampleUri('hello-world.png');
const GOOD = [{ mediaUri: PICTURE }];
const LIGHT = { pipelineName: 'LIGHT PIPELINE' };
const transient = (action: object) => ({
  pipeline: ['T'],
  tasks: [{ name: 'T', actions: ['A'] }],
  actions: [{ name: 'A', algorithm: 'LIGHT', ...action }],
});

describe('Bad input', () => {
  let service: Service;
  const accepted: string[] = [];
  const media = (name: string) => pathToFileURL(join(service.mediaDir, name)).href;
  const sampleBytes = (name: string) => readFileSync(join(packageRoot, 'samples', name));

  before(async () => {
    service = await Service.here({ MAX_BODY_MS: '4000' });
    writeFileSync(join(service.folder, 'outside.png'), sampleBytes('astronaut.png'));
    symlinkSync(join(service.folder, 'outside.png'), join(service.mediaDir, 'link-out.png'));
  });
  after(() => service.close());

  const good = async () => {
    const id = await service.submit({ media: GOOD, ...LIGHT });
    accepted.push(id);
    return Number(id.replace('test-host-', ''));
  };

  describe('in a job request is answered 400 with a clear message and nothing is stored', () => {
    let first: number;
    before(async () => {
      first = await good();
    });
    after(async () => {
      expect(await good(), 'the number of the next job').to.equal(first + 1);
    });

    const cases: readonly (readonly [what: string, body: () => unknown, message: string | RegExp])[] = [
      ['an unknown pipeline', () => ({ media: GOOD, pipelineName: 'NO SUCH' }), 'No pipeline named: NO SUCH'],
      [
        'a pipeline by a name of the language',
        () => ({ media: GOOD, pipelineName: '__proto__' }),
        'No pipeline named: __PROTO__',
      ],
      [
        'neither pipelineName nor pipelineDefinition',
        () => ({ media: GOOD }),
        'must contain either "pipelineName" or "pipelineDefinition"',
      ],
      [
        'both pipelineName and pipelineDefinition',
        () => ({ media: GOOD, ...LIGHT, pipelineDefinition: { pipeline: ['LIGHT TASK'] } }),
        'but not both',
      ],
      [
        'a definition with an unknown task',
        () => ({ media: GOOD, pipelineDefinition: { pipeline: ['NO SUCH TASK'] } }),
        'The following tasks are missing: NO SUCH TASK',
      ],
      [
        'a definition with an unknown algorithm',
        () => ({ media: GOOD, pipelineDefinition: transient({ algorithm: 'NO SUCH' }) }),
        'The following algorithms are missing: NO SUCH',
      ],
      [
        'an action property that nobody knows',
        () => ({
          media: GOOD,
          pipelineDefinition: transient({ properties: [{ name: 'NO_SUCH', value: '1' }] }),
        }),
        'The "NO_SUCH" property from the "A" action does not exist',
      ],
      ['no media', () => ({ media: [], ...LIGHT }), 'must contain at least one piece of media'],
      ['media missing', () => LIGHT, '\nmedia: must be a list; it is missing'],
      [
        'media that are a text',
        () => ({ media: PICTURE, ...LIGHT }),
        '\nmedia: must be a list; it is a text',
      ],
      [
        'a medium without mediaUri',
        () => ({ media: [{}], ...LIGHT }),
        '\nmedia[0].mediaUri: must be a text; it is missing',
      ],
      [
        'a list as jobProperty',
        () => ({ media: GOOD, ...LIGHT, jobProperties: { A: ['1'] } }),
        '\njobProperties.A: must be a text, a number or a boolean',
      ],
      [
        'a text as algorithmProperties',
        () => ({ media: GOOD, ...LIGHT, algorithmProperties: { LIGHT: 'x' } }),
        '\nalgorithmProperties.LIGHT: must be an object; it is a text',
      ],
      [
        'a text as buildOutput',
        () => ({ media: GOOD, ...LIGHT, buildOutput: 'yes' }),
        '\nbuildOutput: must be true or false; it is the text "yes"',
      ],
      [
        'true as externalId',
        () => ({ media: GOOD, ...LIGHT, externalId: true }),
        '\nexternalId: must be a text or a number',
      ],
      [
        'a number as externalId that loses digits',
        () => ({ media: GOOD, ...LIGHT, externalId: 2 ** 53 }),
        '\nexternalId: must be a text when it has more than 15 digits',
      ],
      ['an array as body', () => [], '\nbody: must be an object; it is a list'],
      ['null as body', () => null, '\nbody: must be an object; it is null'],
      [
        'priority 11',
        () => ({ media: GOOD, ...LIGHT, priority: 11 }),
        '\npriority: must be at most 9; it is 11',
      ],
      [
        'priority -1',
        () => ({ media: GOOD, ...LIGHT, priority: -1 }),
        '\npriority: must be at least 0; it is -1',
      ],
      [
        'priority 1.5',
        () => ({ media: GOOD, ...LIGHT, priority: 1.5 }),
        '\npriority: must be a whole number from 0 to 9; it is 1.5',
      ],
      [
        'a priority in quotes',
        () => ({ media: GOOD, ...LIGHT, priority: '4' }),
        '\npriority: must be a whole number from 0 to 9; it is the text "4"',
      ],
      ...(['frameRanges', 'timeRanges'] as const).flatMap((kind) => {
        const rangeRequest = (range: object) => () => ({
          media: [{ mediaUri: PICTURE, [kind]: [range] }],
          ...LIGHT,
        });
        return [
          [
            `${kind} that stop before they start`,
            rangeRequest({ start: 5, stop: 4 }),
            `media[0].${kind}[0].stop: must not be before start`,
          ],
          [
            `${kind} below 0`,
            rangeRequest({ start: -1, stop: 4 }),
            `media[0].${kind}[0].start: must be at least 0; it is -1`,
          ],
          [
            `${kind} without a stop`,
            rangeRequest({ start: 1 }),
            `media[0].${kind}[0].stop: must be a whole number, 0 or more; it is missing`,
          ],
          [
            `${kind} between whole numbers`,
            rangeRequest({ start: 0.5, stop: 4 }),
            `media[0].${kind}[0].start: must be a whole number, 0 or more; it is 0.5`,
          ],
        ] as const;
      }),
      [
        '10,001 media',
        () => ({ media: Array.from({ length: 10_001 }, () => ({ mediaUri: PICTURE })), ...LIGHT }),
        'has 10001 media; 10000 are allowed',
      ],
      [
        'padding that leaves nothing',
        () => ({ media: GOOD, ...LIGHT, jobProperties: { DETECTION_PADDING_X: '-60%' } }),
        'Property validation failed due to: ',
      ],
    ];
    for (const [what, body, message] of cases)
      it(what, async () => {
        const { status, body: answer } = await service.ask('POST', '/rest/jobs', body());
        const {
          coreResponse,
          jobId,
          archiveCheckStatus,
          message: alone,
        } = answer as {
          coreResponse: { responseCode: number; message: string };
          jobId: null;
          archiveCheckStatus: null;
          message: string;
        };
        expect([status, jobId, archiveCheckStatus, coreResponse.responseCode]).to.deep.equal([
          400,
          null,
          null,
          1,
        ]);
        expect(coreResponse.message).to.equal(alone);
        expect(coreResponse.message).to.match(/^Failure creating job\. /);
        if (typeof message === 'string') expect(coreResponse.message).to.include(message);
        else expect(coreResponse.message).to.match(message);
      });

    it('names the external id in the message', async () => {
      const { body } = await service.ask('POST', '/rest/jobs', {
        media: GOOD,
        pipelineName: 'NO SUCH',
        externalId: 'order 17',
      });
      expect((body as { coreResponse: { message: string } }).coreResponse.message).to.equal(
        "Failure creating job with external id 'order 17'. No pipeline named: NO SUCH",
      );
    });

    const bodies: readonly (readonly [what: string, body: string, status: number, message: RegExp])[] = [
      ['malformed JSON', '{"media":[', 400, /^The body is not valid JSON: /],
      [
        'a name that would get lost on its way',
        '{"media":[],"jobProperties":{"__proto__":"x"}}',
        400,
        /A member cannot have the name "__proto__"/,
      ],
      ['an empty body', '', 400, /^The request has no body/],
      [
        'JSON that is nested too deeply',
        '['.repeat(1_000) + ']'.repeat(1_000),
        400,
        /nested more than 32 levels/,
      ],
      [
        'a body of 11 MB (413)',
        JSON.stringify({ media: GOOD, ...LIGHT, externalId: 'x'.repeat(11_000_000) }),
        413,
        /larger than 10485760 bytes/,
      ],
    ];
    for (const [what, text, expected, message] of bodies)
      it(what, async () => {
        const { status, body } = await service.ask('POST', '/rest/jobs', text);
        expect(status).to.equal(expected);
        const { coreResponse, message: alone } = body as {
          coreResponse?: { message: string };
          message?: string;
        };
        if (expected === 413) expect(alone).to.match(message);
        else expect(coreResponse?.message.replace(/^Failure creating job\. /, '')).to.match(message);
      });

    it('a body of 11 MB that does not say its length (413)', async () => {
      const part = 'x'.repeat(1_000_000);
      const chunks = async function* () {
        yield `{"externalId":"`;
        for (let i = 0; i < 11; i++) yield await Promise.resolve(part);
        yield `"}`;
      };
      const { statusCode, body } = await request(`${service.url}/rest/jobs`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
        body: Readable.from(chunks()),
      });
      expect([statusCode, await body.json()]).to.deep.equal([
        413,
        errorMembers('body-too-large', 'The body is larger than 10485760 bytes.', `${service.url}/docs`),
      ]);
    });

    it('a chunked body of more than eight times the limit (413)', async () => {
      const { hostname, port } = new URL(service.url);
      const socket = connect(Number(port), hostname);
      let said = '';
      // The server closes the connection while the client still writes, so the client gets an error.
      socket.on('data', (part) => (said += String(part))).on('error', () => undefined);
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.write(
        `POST /rest/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
      );
      const part = `f4240\r\n${'x'.repeat(1_000_000)}\r\n`;
      for (let i = 0; i < 90 && !socket.destroyed; i++)
        if (!socket.write(part)) await Promise.race([closed, once(socket, 'drain').catch(() => undefined)]);
      socket.end('0\r\n\r\n');
      await within(20_000, 'the connection is closed', closed);
      expect(said)
        .to.match(/^HTTP\/1\.1 413 /)
        .and.match(/content-type: application\/json/i)
        .and.contain('{"message":"The body is larger than 10485760 bytes.","code":"body-too-large",');
    });
  });

  it('that never ends is answered 408 in time, and the connection is closed', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /rest/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Length: 100\r\n\r\n{"media"`,
    );
    const chunks: Buffer[] = [];
    for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString('utf8'))
      .to.match(/^HTTP\/1\.1 408 /)
      .and.contain('did not end within 4000 ms');
  });

  describe('that asks for what cannot be done is answered 400 with a sentence about it', () => {
    const property = (name: string, value: string) => ({ jobProperties: { [name]: value } });
    const SELECTOR = { expression: '$.a', type: 'JSON_PATH', resultDetectionProperty: 'B' };
    const selectRequest = (change: object, action?: string) => ({
      mediaSelectors: [{ ...SELECTOR, ...change }],
      ...(action === undefined ? {} : { mediaSelectorsOutputAction: action }),
    });
    const OWN = 'LIGHT ACTION';
    const cases: readonly (readonly [what: string, says: RegExp, extra: object, media?: object])[] = [
      [
        'selectors without an output action',
        /must also have "mediaSelectorsOutputAction"/,
        {},
        selectRequest({}),
      ],
      [
        'an output action of another pipeline',
        /not an action of the pipeline/,
        {},
        selectRequest({}, 'OTHER'),
      ],
      ['an expression that cannot be read', /\$\.\[/, {}, selectRequest({ expression: '$.[' }, OWN)],
      ['a trigger without feed forward', /feed forward is not enabled/, property('TRIGGER', 'A=B')],
      ['a trigger without a property', /names no property/, property('TRIGGER', '=B')],
      [
        'a bucket without keys',
        /S3_RESULTS_BUCKET property was set, but the S3_ACCESS_KEY and S3_SECRET_KEY properties were not/,
        property('S3_RESULTS_BUCKET', 'http://127.0.0.1:1/bucket'),
      ],
      ['half of the keys', /S3_SECRET_KEY property was not/, {}, { properties: { S3_ACCESS_KEY: 'a' } }],
      ['tokens for buckets', /not supported yet/, property('S3_ADD_TOKEN', 'TRUE')],
      ['padding to nothing', /padding values must be > -50%/, property('DETECTION_PADDING_X', '-50%')],
      ['results without tracks', /last task that finds tracks/, property('SUPPRESS_TRACKS', 'TRUE')],
    ];
    for (const [what, says, extra, medium = {}] of cases)
      it(what, async () => {
        const answer = await service.ask('POST', '/rest/jobs', {
          media: [{ mediaUri: PICTURE, ...medium }],
          ...LIGHT,
          ...extra,
        });
        expect(answer.status).to.equal(400);
        expect((answer.body as { coreResponse: { message: string } }).coreResponse.message).to.match(says);
      });

    it('but refuses a callbackMethod that is neither GET nor POST for what it is', async () => {
      const { status, text } = await service.create({
        media: GOOD,
        ...LIGHT,
        callbackURL: 'http://127.0.0.1:1',
        callbackMethod: 'PUT',
      });
      expect([status, text.includes('it must be GET or POST')]).to.deep.equal([400, true]);
    });

    it('and a callbackURL whose host is [::]', async () => {
      const request = { media: GOOD, ...LIGHT, callbackURL: 'http://[::]:8080/done' };
      const { status, text } = await service.create(request);
      expect([status, text.includes('nothing can be sent to [::]. Give the name')]).to.deep.equal([
        400,
        true,
      ]);
    });
  });

  describe('in the form of media that cannot be used', () => {
    const bad = (): readonly (readonly [uri: string, why: string])[] => [
      ['ftp://127.0.0.1/a.png', 'Unsupported URI scheme'],
      ['/etc/passwd', 'URI scheme not defined: write file:///etc/passwd for the file of this path'],
      [media('missing.png'), 'File does not exist'],
      [media(''), 'The URI does not name a regular file'],
      [pathToFileURL(join(service.folder, 'outside.png')).href, 'MEDIA_ROOTS does not contain the folder'],
      [media('link-out.png'), 'MEDIA_ROOTS does not contain the folder'],
      [`${media('')}%2e%2e/outside.png`, 'MEDIA_ROOTS does not contain the folder'],
      [pathToFileURL(join(service.dataDir, 'troupe.db')).href, 'MEDIA_ROOTS does not contain the folder'],
      ['http://', 'malformed'],
    ];

    it('is answered 400 when no good medium is left, with the reason of each', async () => {
      for (const [uri, why] of bad()) {
        const { status, body } = await service.create({ media: [uri], ...LIGHT });
        const { message } = (body as { coreResponse: { message: string } }).coreResponse;
        expect(status, uri).to.equal(400);
        expect(message).to.include('Could not start job because all media have errors').and.include(why);
      }
      const { status, body } = await service.create({ media: bad().map(([uri]) => uri), ...LIGHT });
      expect(status).to.equal(400);
      for (const [, why] of bad())
        expect((body as { coreResponse: { message: string } }).coreResponse.message).to.include(why);
    });

    it('is an error on that medium when another is good, and the job goes on and ends ERROR', async () => {
      const id = await service.submit({ media: [...bad().map(([uri]) => uri), PICTURE], ...LIGHT });
      accepted.push(id);
      expect((await service.job(id))?.jobStatus).to.be.oneOf(['IN_PROGRESS_ERRORS', 'ERROR']);
      expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
      const document = await service.document(id);
      expect(document.media.map(({ status }) => status)).to.deep.equal([
        ...bad().map(() => 'ERROR'),
        'COMPLETE',
      ]);
      for (const [index, [, why]] of bad().entries()) {
        const { mediaId } = document.media[index]!;
        const [error] = document.errors.find((entry) => entry.mediaId === mediaId)?.details ?? [];
        expect(error).to.include({ source: 'WORKFLOW_MANAGER', code: 'MEDIA_INITIALIZATION' });
        expect(error?.message).to.include(why);
      }
      expect(tracksOf(document.media.at(-1), 'LIGHT')).to.have.length(1);
    });
  });

  describe('in the bytes of a medium is an error on that medium with a code, and the others go on', () => {
    let document: DetectionDocument;
    before(async () => {
      const write = (name: string, bytes: string | Uint8Array) =>
        writeFileSync(join(service.mediaDir, name), bytes);
      write('truncated.mp4', sampleBytes('face_move.mp4').subarray(0, 60_000));
      write('text.mp4', 'These are words and no moving pictures.\n'.repeat(50));
      write('empty.mp4', '');
      write('empty.png', '');
      write('truncated.png', sampleBytes('astronaut.png').subarray(0, 3_000));
      write(
        'noise.jpg',
        Uint8Array.from({ length: 5_000 }, (_, i) => (i * 7919) % 251),
      );
      copyFileSync(join(packageRoot, 'samples', 'goforward.wav'), join(service.mediaDir, 'sound.png'));
      copyFileSync(join(packageRoot, 'samples', 'astronaut.png'), join(service.mediaDir, 'picture.mp4'));
      const names = [
        'truncated.mp4',
        'text.mp4',
        'empty.mp4',
        'empty.png',
        'truncated.png',
        'noise.jpg',
        'sound.png',
        'picture.mp4',
      ];
      const id = await service.submit({
        media: [
          ...names.map(media),
          sampleUri('video_01_invalid.mp4'),
          'data:image/png;base64,AAAA',
          PICTURE,
        ],
        ...LIGHT,
      });
      accepted.push(id);
      expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
      document = await service.document(id);
    });
    const medium = (end: string) => {
      const found = document.media.find(({ path }) => path.endsWith(end));
      if (found === undefined) throw new Error(`There is no medium ${end}.`);
      return found;
    };

    for (const [what, name, status, code] of [
      ['a truncated video', 'truncated.mp4', 'ERROR', 'MEDIA_INSPECTION'],
      ['a damaged video', 'video_01_invalid.mp4', 'ERROR', 'MEDIA_INSPECTION'],
      ['a truncated image', 'truncated.png', 'ERROR', 'MEDIA_INSPECTION'],
      ['a text named .mp4', 'text.mp4', 'INCOMPLETE', 'UNSUPPORTED_DATA_TYPE'],
      ['a video of zero bytes', 'empty.mp4', 'ERROR', 'MEDIA_INSPECTION'],
      ['an image of zero bytes', 'empty.png', 'ERROR', 'MEDIA_INSPECTION'],
      ['noise named .jpg', 'noise.jpg', 'INCOMPLETE', 'UNSUPPORTED_DATA_TYPE'],
      ['sound named .png, for a detector of pictures', 'sound.png', 'INCOMPLETE', 'UNSUPPORTED_DATA_TYPE'],
    ] as const)
      it(what, () => {
        const { mediaId, status: shown, detectionProcessingErrors } = medium(name);
        expect([shown, errorCodes(document, mediaId)]).to.deep.equal([status, [code]]);
        const codes = Object.values(detectionProcessingErrors).flatMap((errors) =>
          errors.map((error) => error['code']),
        );
        expect(codes).to.deep.equal(status === 'INCOMPLETE' ? [code] : []);
      });

    it('while a picture named .mp4 is what its bytes say', () => {
      const { mediaType, status } = medium('picture.mp4');
      expect([mediaType, status]).to.deep.equal(['IMAGE', 'COMPLETE']);
    });

    it('and the good medium has its tracks', () => {
      expect(medium('hello-world.png').status).to.equal('COMPLETE');
      expect(tracksOf(medium('hello-world.png'), 'LIGHT')).to.have.length(1);
    });
  });

  describe('of all these kinds', () => {
    it('leaves nothing in the store but the jobs that were accepted', async function () {
      withoutRedis.call(this);
      for (const id of accepted) await service.terminal(id);
      expect(await service.stop()).to.equal(0);
      const store = new SqliteStore(join(service.dataDir, 'troupe.db'));
      try {
        const jobs = await store.list(ALL_JOBS, { limit: 1_000 });
        expect(jobs.map(({ id }) => `test-host-${id}`)).to.deep.equal(accepted);
        expect(await store.count(LIVE_JOBS)).to.equal(0);
        expect(await store.next('job'), 'the next number').to.equal(accepted.length + 1);
        for (const { id } of jobs) {
          // A job with a failure keeps its rows, because it can be retried.
          const isKept = (await store.list(RETRYABLE_JOBS, { limit: 1_000 })).some((one) => one.id === id);
          const rows = await store.rows({ kind: 'batch-job', id }, { prefix: '', limit: 10 });
          expect(rows.length > 0, `rows of job ${id}`).to.equal(isKept);
        }
      } finally {
        await store.close();
      }
      await service.startHere();
    });
  });
});
