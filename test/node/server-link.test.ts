/** The connection of a node to its server, message by message, with a scripted server. */
import { getEventListeners, once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { NodeCommand, SyncAnswer, SyncRequest } from '../../actors/node-gateway/messages.ts';
import { systemClock } from '../../actors/basics/clock.ts';
import type { NodeCredentials } from '../../config/node.ts';
import { NodeFiles } from '../../node/node-files.ts';
import { nodeTokens } from '../../node/node-tokens.ts';
import { ServerExchange } from '../../node/server-exchange.ts';
import { ServerLink } from '../../node/server-link.ts';
import { temporaryFolder } from '../store/folder.ts';
import { until } from '../support/until.ts';

const MESSAGE: SyncRequest = {
  ...{ instance: 'one', formerly: null, turn: 1, version: '1.0.0', server: '', done: 0, configuration: '' },
  ...{ services: [], processes: [], news: [], installed: [], leaving: false, waitMs: 0 },
};
const NOTHING: SyncAnswer = { server: 'server 1', taken: 0, commands: [], wanted: {} };

describe('The link of a node to its server', () => {
  const path = temporaryFolder();
  let folders = 0;
  let server: Server;
  let provider: Server;
  let messages: { readonly message: SyncRequest; readonly response: ServerResponse }[];
  let providerAsked: number;
  let log: (readonly unknown[])[];
  let carriedOut: NodeCommand[];
  let drained: number;
  beforeEach(async () => {
    [messages, providerAsked, log, carriedOut, drained] = [[], 0, [], [], 0];
    server = createServer((request, response) => {
      void text(request).then((body) =>
        messages.push({ message: JSON.parse(body) as SyncRequest, response }),
      );
    }).listen(0, '127.0.0.1');
    provider = createServer((_, response) => {
      providerAsked += 1;
      response.writeHead(503).end();
    }).listen(0, '127.0.0.1');
    await Promise.all([once(server, 'listening'), once(provider, 'listening')]);
  });
  afterEach(() => {
    for (const one of [server, provider]) {
      one.close();
      one.closeAllConnections();
    }
  });

  const urlOf = (one: Server) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
  const linkWith = (credentials: NodeCredentials): ServerLink => {
    const say = (fields: unknown, message: string) => void log.push([message, fields]);
    const logger = { debug() {}, info() {}, warn: say, error: say };
    const files = new NodeFiles(path(`node-${++folders}`), logger);
    return new ServerLink({
      fixed: { instance: 'one', formerly: null, version: '1.0.0', installed: [] },
      exchange: new ServerExchange(urlOf(server), 'rack-2'),
      tokens: nodeTokens(credentials, files),
      ...{ clock: systemClock, logger },
      services: () => [],
      configuration: () => '',
      configure: () => Promise.resolve(),
      carryOut: (command) => Promise.resolve(void carriedOut.push(command)),
      onWanted() {},
      onDrained: () => void drained++,
    });
  };
  const waitForMessages = (count: number) =>
    until(
      `${count} messages have come`,
      () => messages.length,
      (seen) => seen >= count,
    );
  const answer = (index: number, more: Partial<SyncAnswer> = {}) =>
    messages[index]!.response.end(JSON.stringify({ ...NOTHING, ...more }));

  it('says once that it gets no token, and why, and again when the reason is another one', async () => {
    const client = { clientId: 'rack', clientSecret: 'x', allowHttp: true };
    const link = linkWith({ issuer: urlOf(provider), ...client });
    const running = link.run();
    await until(
      'the provider was asked again',
      () => providerAsked,
      (asked) => asked >= 2,
    );
    expect(log).to.have.length(1);
    const [[sentence, fields]] = log as [[string, { reason: string }]];
    expect(sentence).to.equal('the node gets no token; it continues with its present work');
    expect(fields.reason).to.include(`the provider ${urlOf(provider)} for its client "rack"`);
    provider.close();
    provider.closeAllConnections();
    await until(
      'it says so',
      () => log.length,
      (lines) => lines === 2,
    );
    await link.end();
    await running;
  });

  it('leaves nothing of answered messages at the signal that ends the link', async () => {
    const { signal } = new AbortController();
    const exchange = new ServerExchange(urlOf(server), 'rack-2');
    for (const index of [0, 1, 2]) {
      const sending = exchange.send({ ...MESSAGE, waitMs: index }, 'token', signal);
      await waitForMessages(index + 1);
      answer(index);
      expect(await sending).to.deep.equal(NOTHING);
    }
    exchange.close();
    await until(
      'nobody listens to it',
      () => getEventListeners(signal, 'abort'),
      (listeners) => listeners.length === 0,
    );
    // The internal property in which AbortSignal.any stores dependent signals.
    const own = Object.getOwnPropertySymbols(signal).filter(({ description }) =>
      description?.includes('ependant'),
    );
    expect(
      own.flatMap((one) => [...((signal as unknown as Record<symbol, Set<unknown> | null>)[one] ?? [])]),
    ).to.deep.equal([]);
  });

  it('says that it goes when what was on its way has come to the server, not before', async () => {
    const link = linkWith({ joinToken: 'x' });
    const running = link.run();
    await waitForMessages(1);
    answer(0);
    link.noteChange();
    await waitForMessages(2);
    expect(messages[1]!.message.waitMs).to.equal(0);
    const ended = link.end();
    // An immediate message comes before the message of another caller.
    void fetch(urlOf(server), { method: 'POST', body: '{"turn":-1}' }).catch(() => undefined);
    await waitForMessages(3);
    expect(messages.filter(({ message }) => message.leaving)).to.deep.equal([]);
    answer(1);
    await until(
      'it says that it goes',
      () => messages.some(({ message }) => message.leaving),
      (isSaid) => isSaid,
    );
    answer(messages.length - 1);
    await Promise.all([ended, running]);
  });

  it('carries out a repeated order once, also when the store has lost its last commits', async () => {
    const link = linkWith({ joinToken: 'x' });
    const running = link.run();
    const [stop, rest] = [
      { type: 'stopService', service: 'rack-2:Faces:1' },
      { type: 'rest', worker: 'rack-2:Faces:1#1' },
    ] as const;
    await waitForMessages(1);
    answer(0, { commands: [{ ...stop, number: 5, id: 'a' }] });
    await waitForMessages(2);
    expect(messages[1]!.message.done).to.equal(5);
    const commands = [
      { ...stop, number: 1, id: 'a' },
      { ...rest, number: 2, id: 'b' },
    ];
    answer(1, { server: 'server 2', commands });
    await waitForMessages(3);
    expect(messages[2]!.message).to.include({ server: 'server 2', done: 2 });
    expect(carriedOut).to.deep.equal([stop, rest]);
    const ended = link.end();
    answer(2);
    await waitForMessages(4);
    answer(3);
    await Promise.all([ended, running]);
  });

  it('has drained when two answers in a row say that nothing works there', async () => {
    const link = linkWith({ joinToken: 'x' });
    const running = link.run();
    await waitForMessages(1);
    link.drain();
    answer(0);
    for (const [n, working] of [0, 1, 0, 0].entries()) {
      await waitForMessages(n + 2);
      expect([messages[n + 1]!.message.draining, drained]).to.deep.equal([true, 0]);
      answer(n + 1, { working });
    }
    await until(
      'it has drained',
      () => drained,
      (times) => times === 1,
    );
    const ended = link.end();
    await until(
      'it says that it goes',
      () => messages.length,
      (count) => {
        answer(count - 1);
        return messages.some(({ message }) => message.leaving);
      },
    );
    await Promise.all([ended, running]);
  });
});
