import { expect } from 'chai';
import { createServer, type AddressInfo } from 'node:net';
import { REACH_SETTINGS } from '../../egress/http/addresses.ts';
import { exchange, type ExchangeRequest } from '../../egress/http/exchange.ts';
import { HttpClient } from '../../egress/http/http-client.ts';
import { NoAnswer } from '../../egress/http/no-answer.ts';
import { repeatedly } from '../../egress/http/retry.ts';
import { UnreachableServer } from '../support/servers/unreachable-server.ts';
import { answer, drop, flood, hang, Receiver, type Manner } from '../support/servers/receiver.ts';

describe('The HTTP client', () => {
  const opened: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  const client = (allowedHosts: readonly string[] = [], allowPrivate = allowedHosts.length === 0) => {
    const one = new HttpClient({ allowPrivate, allowedHosts, settings: REACH_SETTINGS });
    opened.push(one);
    return one;
  };
  const receiver = async (manner: Manner): Promise<Receiver> => {
    const one = await Receiver.start(manner);
    opened.push(one);
    return one;
  };
  const ask = (url: string, more: Partial<ExchangeRequest> = {}, by = client()) =>
    exchange(by, { method: 'GET', url, headers: {}, timeoutMs: 10_000, maxBytes: 1_000, ...more });
  const failureOf = async (outcome: Promise<unknown>): Promise<NoAnswer> => {
    const error = await outcome.catch((reason: unknown) => reason);
    if (!(error instanceof NoAnswer)) throw new Error('There was an answer.');
    return error;
  };

  it('returns the start of what is too long, and keeps connections open for what is not', async () => {
    const from = await receiver(answer(200, 'all'));
    const one = client();
    for (let n = 0; n < 8; n++) expect(await ask(from.url, {}, one)).to.include({ text: 'all', cut: false });
    // An immediate request uses a second connection if the first is still busy.
    expect(from.connections).to.be.at.most(2);
    from.manner = flood(200);
    expect(await ask(from.url, {}, one)).to.include({ text: 'x'.repeat(1_000), cut: true });
  });

  it('tells who is slow from who was never connected to', async () => {
    const slow = await receiver(hang);
    expect(await failureOf(ask(slow.url, { timeoutMs: 1_000 }))).to.include({ code: 'LATE', final: false });
    const deaf = await UnreachableServer.start();
    opened.push(deaf);
    expect(await failureOf(ask(`http://127.0.0.1:${deaf.port}`, { timeoutMs: 200 }))).to.include({
      code: 'ETIMEDOUT',
      final: false,
    });
  });

  it('leaves a connection that does not come about when it is told to stop', async () => {
    const deaf = await UnreachableServer.start();
    opened.push(deaf);
    const stop = new AbortController();
    const asked = failureOf(ask(`http://127.0.0.1:${deaf.port}`, { timeoutMs: 0, signal: stop.signal }));
    setImmediate(() => stop.abort());
    expect((await asked).message).to.equal('the service is shutting down');
  });

  it('gives a code to what is no HTTP, and to a connection that is closed', async () => {
    const other = createServer((socket) => void socket.end('\0\0\x06\x04\0\0\0\0\0'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    opened.push(other);
    const { port } = other.address() as AddressInfo;
    expect((await failureOf(ask(`http://127.0.0.1:${port}`))).code).to.match(/^HPE_/);
    const closing = await receiver(drop);
    expect((await failureOf(ask(closing.url))).message).to.equal(
      'the connection was closed before the answer was complete',
    );
  });

  it('goes to a private name only where the rule has the name', async () => {
    const { port } = await receiver(answer(200, 'here'));
    const url = `http://localhost:${port}`;
    expect(await ask(url, {}, client(['LOCALHOST']))).to.include({ text: 'here' });
    expect(await failureOf(ask(url, {}, client(['other'])))).to.include({ final: true });
    expect(await failureOf(ask(`http://127.0.0.1:${port}`, {}, client(['other'])))).to.include({
      final: true,
    });
  });

  it('repeats what may go better, as often as the policy says', async () => {
    let asked = 0;
    const attempt = () => Promise.reject(new Error(`${++asked}`));
    const reason = (isPassing: boolean) =>
      repeatedly(attempt, { backOffMs: 0, isPassing: () => isPassing }).catch(
        (error: Error) => error.message,
      );
    expect(await reason(true)).to.equal('4');
    expect(await reason(false)).to.equal('5');
  });
});
