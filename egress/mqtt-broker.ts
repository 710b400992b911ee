/** Connects to a broker, over a socket that only connects to checked addresses. */
import { connect as connectSocket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { IClientOptions, MqttClient, StreamBuilder } from 'mqtt';
import type { MqttPresence, WantedPresence } from '../protocol/mqtt-message.ts';
import { checkHost, guardedLookup, hostOf, type AddressRule } from './http/addresses.ts';

const PORT = 1_883;
const TLS_PORT = 8_883;
const KEEPALIVE_S = 30;

export interface BrokerConnection {
  readonly address: string;
  readonly rule: AddressRule;
  readonly timeoutMs: number;
  /** Message that the broker publishes when the connection breaks. */
  readonly will?: NonNullable<IClientOptions['will']>;
}

/** @throws ForbiddenAddress, and errors of the socket or the broker. `onEnd` is called when the connection has ended. */
export async function connectBroker(
  { address, rule, timeoutMs, will }: BrokerConnection,
  onEnd: () => void,
): Promise<MqttClient> {
  const url = new URL(address);
  checkHost(url, rule);
  // Loaded for the first message, because many servers send none.
  const { MqttClient: Client } = await import('mqtt');
  const client = new Client(socketTo(url, rule), { ...optionsFor(url, timeoutMs), ...(will && { will }) });
  // Each message that waits for its confirmation listens for the end.
  client.setMaxListeners(0);
  return new Promise<MqttClient>((resolve, reject) => {
    const fail = (error: Error) => {
      client.end(true);
      reject(error);
      onEnd();
    };
    const timer = setTimeout(
      () => fail(new Error(`the broker did not answer in ${timeoutMs} ms`)),
      timeoutMs,
    );
    client.once('connect', () => {
      clearTimeout(timer);
      resolve(client);
    });
    client.on('error', (error) => {
      clearTimeout(timer);
      fail(error);
    });
    client.once('close', () => {
      clearTimeout(timer);
      fail(new Error('the connection to the broker has ended'));
    });
  });
}

/** Shows on a broker that something is there, until the connection ends. Fails like `connectBroker`. */
export async function openPresence(
  { url, topic, will, onState }: WantedPresence,
  { rule, timeoutMs }: Pick<BrokerConnection, 'rule' | 'timeoutMs'>,
): Promise<MqttPresence> {
  const newest = { qos: 1, retain: true } as const;
  const lastWill = { topic, payload: Buffer.from(will), ...newest };
  const client = await connectBroker({ address: url, rule, timeoutMs, will: lastWill }, () => undefined);
  client.on('message', (_, payload) => onState(payload.toString()));
  await client.subscribeAsync(topic, { qos: 1 }).catch((error: unknown) => {
    client.end();
    throw error;
  });
  return {
    get isOpen() {
      return client.connected;
    },
    publish: async (payload) => void (await client.publishAsync(topic, payload, newest)),
    leave: () => void client.end(),
    drop: () => void client.end(true),
  };
}

function optionsFor(url: URL, timeoutMs: number): IClientOptions {
  const { username, password } = url;
  return {
    protocolVersion: 4,
    clean: true,
    // The outbox sends unconfirmed messages again.
    reconnectPeriod: 0,
    connectTimeout: timeoutMs,
    keepalive: KEEPALIVE_S,
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

function socketTo(url: URL, rule: AddressRule): StreamBuilder {
  const host = hostOf(url);
  const isSecure = url.protocol === 'mqtts:';
  const port = url.port === '' ? (isSecure ? TLS_PORT : PORT) : Number(url.port);
  const lookup = guardedLookup(rule) as never;
  return () =>
    isSecure
      ? connectTls({ host, port, lookup, ...(isName(host) ? { servername: host } : {}) })
      : connectSocket({ host, port, lookup });
}

const isName = (host: string): boolean => !/^[\d.]+$|:/.test(host);

/** The message of the error, without control characters that a broker may have added. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/[\p{C}\s]+/gu, ' ').slice(0, 200) ||
  'the broker cannot be reached';
