/** A real MQTT broker (aedes), and a client that keeps what it gets. */
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes } from 'aedes';
import { connectAsync, type MqttClient } from 'mqtt';
import type { Certificate } from './certificate.ts';

export interface Published {
  readonly topic: string;
  readonly text: string;
  readonly retain: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A part of aedes that its types do not name. */
interface Persistent {
  readonly persistence: { createRetainedStream(pattern: string): AsyncIterable<{ readonly topic: string }> };
}

export class Broker {
  readonly messages: Published[] = [];
  /** Connects that were refused for their password. */
  refused = 0;
  #port = 0;
  #aedes: Aedes | undefined;
  #server: Server | undefined;
  #client: MqttClient | undefined;
  readonly #sockets = new Set<Socket>();
  /** Topics that clients have subscribed to, by client. */
  readonly #watched = new Map<string, readonly string[]>();
  readonly #certificate: Certificate | undefined;

  /** `certificate`: for connections with TLS. */
  constructor(certificate?: Certificate) {
    this.#certificate = certificate;
  }

  get url(): string {
    return `${this.#certificate === undefined ? 'mqtt' : 'mqtts'}://user:pa55word@127.0.0.1:${this.#port}`;
  }

  /** Listens; again at the same port after it was stopped. */
  async start(): Promise<this> {
    const aedes = await Aedes.createBroker({
      authenticate: (_, username, password, done) => {
        const isKnown = username === 'user' && String(password) === 'pa55word';
        if (!isKnown) this.refused++;
        done(null, isKnown);
      },
    });
    this.#aedes = aedes;
    aedes.on('subscribe', (all, { id }) => void this.#watched.set(id, all.map(({ topic }) => topic))); // oxfmt-ignore
    aedes.on('clientDisconnect', ({ id }) => void this.#watched.delete(id));
    const onSocket = (socket: Socket) => {
      this.#sockets.add(socket);
      // A client that does not trust the certificate breaks the connection.
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.#sockets.delete(socket));
      aedes.handle(socket);
    };
    const [key, ca] = [this.#read('key'), this.#read('cert')];
    this.#server =
      this.#certificate === undefined ? createServer(onSocket) : createTlsServer({ key, cert: ca }, onSocket);
    await new Promise<void>((resolve) => this.#server!.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    this.#client = await connectAsync(this.url, ca === undefined ? {} : { ca });
    this.#client.on('message', (topic, payload, { retain }) => {
      this.messages.push({ topic, text: payload.toString(), retain, at: Date.now() });
    });
    await this.#client.subscribeAsync('#', { qos: 1 });
    return this;
  }

  async stop(): Promise<void> {
    await this.#client?.endAsync(true);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) =>
      this.#server === undefined ? resolve() : this.#server.close(() => resolve()),
    );
    await new Promise<void>((resolve) =>
      this.#aedes === undefined ? resolve() : this.#aedes.close(() => resolve()),
    );
    this.#server = undefined;
    this.#client = undefined;
  }

  #read(part: keyof Certificate): Buffer | undefined {
    return this.#certificate && readFileSync(this.#certificate[part]);
  }

  /** True while a client has subscribed to exactly this topic. */
  isWatched(topic: string): boolean {
    return [...this.#watched.values()].some((topics) => topics.includes(topic));
  }

  /** Publishes like another client. */
  async publish(topic: string, text: string): Promise<void> {
    await this.#client!.publishAsync(topic, text, { qos: 1, retain: true });
  }

  /** Topics whose newest message the broker keeps. */
  async listRetained(): Promise<readonly string[]> {
    const topics: string[] = [];
    const { persistence } = this.#aedes as unknown as Persistent;
    for await (const { topic } of persistence.createRetainedStream('#')) topics.push(topic);
    return topics;
  }

  /** Of a topic, in the order in which they came. */
  on(topic: string): readonly Published[] {
    return this.messages.filter((one) => one.topic === topic);
  }
}
