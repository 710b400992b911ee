import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { REACH_SETTINGS, type AddressRule } from '../../egress/http/addresses.ts';
import { outgoingAgents, type OutgoingAgents } from '../../egress/http/agent.ts';
import type { Failure, OutgoingRequest, Outcome } from '../../egress/request.ts';
import { createSend } from '../../egress/send.ts';
import { NoToken, type ServiceToken } from '../../egress/service-token.ts';
import { temporaryFolder } from '../store/folder.ts';
import {
  answer,
  drip,
  drop,
  flood,
  hang,
  inTurn,
  Receiver,
  type Manner,
} from '../support/servers/receiver.ts';
import { until } from '../support/until.ts';

/** For what is answered: a busy machine may need long for it. */
const PATIENT_MS = 60_000;
/** For what is not answered in time: long enough for the request to arrive on a busy machine. */
const TIMEOUT_MS = 1_500;
type Reach = Omit<AddressRule, 'settings'>;
const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
const HERE: Reach = { allowPrivate: true };

describe('A callback or archive post', () => {
  const receivers: Receiver[] = [];
  const agents: OutgoingAgents[] = [];
  let receiver: Receiver;

  const startReceiver = async (manner: Manner): Promise<Receiver> => {
    receiver = await Receiver.start(manner);
    receivers.push(receiver);
    return receiver;
  };
  /** Tokens t1, t2 ...: a new one after each discarded token. */
  const tokens = (): ServiceToken & { readonly dropped: string[] } => {
    const dropped: string[] = [];
    return {
      dropped,
      get: () => Promise.resolve(`secret-t${dropped.length + 1}`),
      drop: (token) => void dropped.push(token),
    };
  };
  const sender = (reach: Reach = HERE, token: ServiceToken = tokens(), timeoutMs = PATIENT_MS) => {
    const made = outgoingAgents({ ...reach, settings: REACH_SETTINGS });
    agents.push(made);
    const secrets = [{ receiver: '127.0.0.1', secrets: [SECRET] }];
    return createSend({ agents: made, token, secrets, timeoutMs, version: '1.2.3' });
  };
  const request = (more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
    method: 'POST',
    url: `${receiver.url}/done?x=1`,
    body: { jobId: 'host-1', externalId: null },
    addToken: false,
    idempotencyKey: 'host-1.1.callback',
    ...more,
  });
  const post = (more: Partial<OutgoingRequest> = {}, send = sender()): Promise<Outcome> =>
    send(request(more), new AbortController().signal);
  const failureOf = async (outcome: Promise<Outcome>): Promise<Failure> => {
    const seen = await outcome;
    if (seen.kind === 'sent') throw new Error('It was sent.');
    return seen;
  };

  afterEach(async () => {
    for (const one of agents.splice(0)) one.close();
    await Promise.all(receivers.splice(0).map((one) => one.close()));
  });

  it('is posted as JSON with its Idempotency-Key and the name of the service', async () => {
    await startReceiver(answer(204));
    expect(await post()).to.include({ kind: 'sent' });
    const [got] = receiver.requests;
    expect(got).to.include({
      method: 'POST',
      path: '/done?x=1',
      key: 'host-1.1.callback',
      body: '{"jobId":"host-1","externalId":null}',
    });
    expect(got?.headers).to.include({
      'content-type': 'application/json',
      'user-agent': 'Troupe/1.2.3',
      host: new URL(receiver.url).host,
    });
    expect(got?.headers).not.to.have.property('authorization');
  });

  it('by GET has no body and no content type', async () => {
    await startReceiver(answer(200));
    expect(await post({ method: 'GET', body: null })).to.include({ kind: 'sent' });
    expect(receiver.requests[0]).to.include({ method: 'GET', path: '/done?x=1', body: '' });
    expect(receiver.requests[0]?.headers).not.to.have.property('content-type');
  });

  it('is signed for its receiver when it is a callback, also by GET', async () => {
    await startReceiver(answer(200));
    const webhook = { id: 'host-1_1_callback' };
    for (const method of ['POST', 'GET'] as const) await post({ method, webhook });
    await post();
    const [byPost, byGet, archive] = receiver.requests;
    const verify = ({ headers, body } = byPost!) =>
      new Webhook(SECRET).verify(body, headers as Record<string, string>);
    expect(verify()).to.deep.equal({ jobId: 'host-1', externalId: null });
    expect(byPost?.headers['webhook-id']).to.equal('host-1_1_callback');
    expect(() => verify(byGet)).not.to.throw();
    expect(() => verify({ ...byGet!, body: ' ' })).to.throw('No matching signature found');
    expect(archive?.headers).not.to.have.property('webhook-signature');
  });

  it('is signed with the secret of its job in place of that of the receiver', async () => {
    await startReceiver(answer(200));
    const own = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;
    await post({ webhook: { id: 'host-1_1_callback', secrets: [own] } });
    const { headers, body } = receiver.requests[0]!;
    const verify = (secret: string) => new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(verify(own)).to.have.property('jobId', 'host-1');
    expect(() => verify(SECRET)).to.throw('No matching signature found');
  });

  it('keeps its connection for the next one', async () => {
    await startReceiver(answer(200, 'thanks'));
    const send = sender();
    for (let n = 0; n < 5; n++) await post({}, send);
    expect(receiver.connections).to.equal(1);
  });

  const OUTCOMES: readonly (readonly [string, Manner, Partial<Failure>])[] = [
    ['a status of 500', answer(500), { trouble: 'request', reason: 'the receiver answered with status 500' }],
    ['a status of 502', answer(502), { trouble: 'receiver' }],
    ['a status of 504', answer(504), { trouble: 'receiver' }],
    ['a status of 503', answer(503), { trouble: 'receiver' }],
    ['a status of 429', answer(429), { trouble: 'receiver' }],
    ['a status of 408', answer(408), { trouble: 'receiver' }],
    ['a status of 425', answer(425), { trouble: 'receiver' }],
    ['a status of 409', answer(409), { trouble: 'request' }],
    ['a status of 423', answer(423), { trouble: 'request' }],
    [
      'a status of 500 with a text',
      answer(500, 'no\r\n\u0007such  job'),
      { trouble: 'request', reason: 'the receiver answered with status 500: no such job' },
    ],
    [
      'a redirection',
      answer(302, '', { location: 'http://user:secret@elsewhere/' }),
      {
        trouble: 'request',
        reason:
          'the receiver answered with status 302, and redirections are not followed: give the address that it leads to',
      },
    ],
    [
      'no answer in time',
      hang,
      { trouble: 'receiver', reason: `there was no complete answer within ${TIMEOUT_MS} ms` },
    ],
    [
      'an answer that does not end in time',
      drip,
      { trouble: 'receiver', reason: `there was no complete answer within ${TIMEOUT_MS} ms` },
    ],
    [
      'a connection that is closed',
      drop,
      { trouble: 'receiver', reason: 'the connection was closed before the answer was complete' },
    ],
    [
      'an answer that is no HTTP',
      (_, response) => void response.socket?.end('220 mail.example ESMTP\r\n'),
      { trouble: 'receiver' },
    ],
  ];
  for (const [what, manner, expected] of OUTCOMES)
    it(`that gets ${what} failed, and another attempt makes sense`, async () => {
      await startReceiver(manner);
      const timeoutMs = [hang, drip].includes(manner) ? TIMEOUT_MS : PATIENT_MS;
      const outcome = post({}, sender(HERE, tokens(), timeoutMs));
      expect(await failureOf(outcome)).to.include({ kind: 'failed', final: false, ...expected });
      expect(receiver.requests, 'one attempt').to.have.length(1);
    });

  for (const status of [301, 308, 400, 401, 403, 404, 405, 410, 413, 422, 451])
    it(`that is answered with ${status} failed for good: the receiver is well, and will not take it`, async () => {
      await startReceiver(answer(status));
      expect(await failureOf(post())).to.include({ final: true, trouble: 'request' });
    });

  it('to a port where nobody listens failed', async () => {
    await startReceiver(answer(200));
    await receiver.close();
    expect(await failureOf(post())).to.include({
      trouble: 'receiver',
      reason: 'the connection was refused',
    });
  });

  it('to a host that nobody knows failed', async () => {
    await startReceiver(answer(200));
    const { reason, trouble } = await failureOf(post({ url: 'http://no-such-host.invalid/' }));
    expect(trouble).to.equal('receiver');
    expect(reason).to.match(/^its host name/);
  });

  it('does not follow a redirection, and takes no token there', async () => {
    const other = await Receiver.start();
    receivers.push(other);
    await startReceiver(answer(307, '', { location: `${other.url}/` }));
    await failureOf(post({ addToken: true }));
    expect(other.requests).to.have.length(0);
  });

  it('tells how long the receiver wants to be left alone', async () => {
    await startReceiver(answer(503, '', { 'retry-after': '120' }));
    expect(await failureOf(post())).to.include({ retryAfterMs: 120_000 });
    receiver.manner = answer(429, '', { 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
    expect((await failureOf(post())).retryAfterMs).to.be.within(55_000, 60_000);
    for (const nonsense of ['soon', '-5', '', 'NaN']) {
      receiver.manner = answer(429, '', { 'retry-after': nonsense });
      expect(await failureOf(post()), nonsense).not.to.have.property('retryAfterMs');
    }
    receiver.manner = answer(500, '', { 'retry-after': '120' });
    expect(await failureOf(post()), 'only with 429 and 503').not.to.have.property('retryAfterMs');
  });

  it('is not tried again when the answer says that it makes no sense', async () => {
    await startReceiver(answer(500, '{"error":"could not identify referenced item 7"}'));
    const finalAnswer = 'could not identify referenced item';
    expect(await failureOf(post({ finalAnswer }))).to.include({ final: true });
    expect(await failureOf(post())).to.include({ final: false });
  });

  it('arrives whatever the length of the answer, of which 64 KiB are read', async () => {
    await startReceiver(flood(200));
    expect(await post()).to.include({ kind: 'sent' });
    await until('the connection is closed', () => receiver.connections === 0);
    receiver.manner = flood(500);
    const { reason } = await failureOf(post());
    expect(reason).to.match(/^the receiver answered with status 500: x{197}\.\.\.$/);
  });

  it('asks for an answer that is not packed, and is not harmed by one that is', async () => {
    const bomb = (await import('node:zlib')).gzipSync(Buffer.alloc(50 * 1024 * 1024));
    await startReceiver((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end(bomb);
    });
    expect(await post()).to.include({ kind: 'sent' });
    expect(receiver.requests[0]?.headers).to.include({ 'accept-encoding': 'identity' });
  });

  it('carries user and password of its URL to that host, and shows them to nobody', async () => {
    await startReceiver(answer(500));
    const url = receiver.url.replace('//', '//us%40er:p%20w@');
    const { reason } = await failureOf(post({ url }));
    expect(receiver.requests[0]?.headers.authorization).to.equal(
      `Basic ${Buffer.from('us@er:p w').toString('base64')}`,
    );
    expect(reason).not.to.match(/p w|p%20w|us@er/);
  });

  it('carries the token of the service when its job wants it, and a fresh one after a 401', async () => {
    await startReceiver(inTurn(answer(401, 'what is secret-t1?'), answer(200)));
    const token = tokens();
    const send = sender(HERE, token);
    const first = await failureOf(post({ addToken: true }, send));
    expect(first).to.include({ trouble: 'request', final: false });
    expect(first.reason, 'an answer that quotes the token').to.equal(
      'the receiver answered with status 401: what is ***?',
    );
    expect(await post({ addToken: true }, send)).to.include({ kind: 'sent' });
    expect(receiver.requests.map(({ headers }) => headers.authorization)).to.deep.equal([
      'Bearer secret-t1',
      'Bearer secret-t2',
    ]);
    expect(token.dropped).to.deep.equal(['secret-t1']);
  });

  it('is not sent without the token that it needs', async () => {
    await startReceiver(answer(200));
    const none: ServiceToken = {
      get: () => Promise.reject(new NoToken('the service got no token')),
      drop: () => undefined,
    };
    const outcome = await failureOf(post({ addToken: true }, sender(HERE, none)));
    expect(outcome).to.include({ trouble: 'service', final: false, reason: 'the service got no token' });
    expect(receiver.requests).to.have.length(0);
  });

  it('ends at once when the server stops', async () => {
    await startReceiver(hang);
    const stop = new AbortController();
    const sending = failureOf(sender()(request(), stop.signal));
    await until('the request has come', () => receiver.requests.length === 1);
    stop.abort();
    expect(await sending).to.include({ reason: 'the service is shutting down' });
    expect(await failureOf(sender()(request(), stop.signal))).to.include({
      reason: 'the service is shutting down',
    });
    expect(receiver.requests).to.have.length(1);
  });

  it('cannot be made to carry a header of its own', async () => {
    await startReceiver(answer(200));
    const injected = 'x\r\nX-Evil: 1';
    expect(await failureOf(post({ idempotencyKey: injected }))).to.include({ final: true });
    expect(await post({ url: `${receiver.url}/a\r\nX-Evil: 1` }), 'a URL').to.include({ kind: 'sent' });
    expect(receiver.requests.map(({ headers }) => headers['x-evil'])).to.deep.equal([undefined]);
  });

  describe('goes only where it may:', () => {
    const FORBIDDEN = [
      'http://169.254.169.254/latest/meta-data/',
      'http://[fe80::1]/',
      'http://[::ffff:169.254.169.254]/',
      'http://0xa9fea9fe/',
      'http://2852039166/',
      'http://168.63.129.16/',
      'http://100.100.100.200/',
      'http://[fd00:ec2::254]/',
      'http://0.0.0.0/',
      'http://[::]/',
      'http://224.0.0.1/',
      'http://[64:ff9b::7f00:1]/',
    ];
    const PRIVATE = [
      'http://127.0.0.1/',
      'http://127.1/',
      'http://[::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://10.1.2.3/',
      'http://172.16.0.1/',
      'http://192.168.1.1/',
      'http://[fd12::1]/',
      'http://localhost/',
    ];
    for (const url of FORBIDDEN)
      it(`never to ${url}, even when private addresses and this one are allowed`, async () => {
        await startReceiver(answer(200));
        const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
        for (const reach of [HERE, { allowPrivate: false, allowedHosts: [host] }])
          expect(await failureOf(post({ url }, sender(reach)))).to.deep.equal({
            kind: 'failed',
            trouble: 'request',
            final: true,
            reason: 'the address is one that is never connected to',
          });
      });

    for (const url of PRIVATE)
      it(`to ${url} only when private addresses are allowed`, async () => {
        await startReceiver(answer(200));
        const outcome = await failureOf(
          post({ url }, sender({ allowPrivate: false, allowedHosts: ['other'] })),
        );
        expect(outcome).to.include({ trouble: 'request', final: true });
        expect(outcome.reason).to.match(/CALLBACK_PRIVATE.*CALLBACK_ALLOWED_HOSTS/);
      });

    it('to a private address or name that is on the list', async () => {
      await startReceiver(answer(200));
      const reach = { allowPrivate: false, allowedHosts: ['LOCALHOST', '127.0.0.1'] };
      expect(await post({}, sender(reach))).to.include({ kind: 'sent' });
      const url = `http://localhost:${receiver.port}/`;
      expect(await post({ url }, sender(reach))).to.include({ kind: 'sent' });
    });

    for (const url of [
      'ftp://127.0.0.1/',
      'file:///etc/passwd',
      'http+unix://%2Fvar%2Frun%2Fdocker.sock/x',
      'x',
    ])
      it(`never by ${url}`, async () => {
        await startReceiver(answer(200));
        expect(await failureOf(post({ url }))).to.include({ trouble: 'request', final: true });
      });
  });

  describe('over https', () => {
    const path = temporaryFolder();
    it('is not sent to a host whose certificate nobody vouches for, whatever the environment says', async () => {
      const [key, cert] = [path('key.pem'), path('cert.pem')];
      execFileSync(
        'openssl',
        [
          ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -keyout'.split(
            ' ',
          ),
          key,
          '-out',
          cert,
        ],
        { stdio: 'ignore' },
      );
      receiver = await Receiver.start(answer(200), {
        tls: { key: readFileSync(key), cert: readFileSync(cert) },
      });
      receivers.push(receiver);
      const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
      try {
        const { trouble, reason } = await failureOf(post());
        expect(trouble).to.equal('receiver');
        // Newer versions of Node append advice.
        expect(reason).to.match(/^self-signed certificate(;|$)/);
      } finally {
        if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
        else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
      }
      expect(receiver.requests).to.have.length(0);
    });
  });
});
