/** Publishes messages on MQTT brokers. There is one connection for each address. It is closed after a time without messages. */
import type { MqttClient } from 'mqtt';
import { ForbiddenAddress, type AddressRule } from './http/addresses.ts';
import type { MqttMessage } from '../protocol/mqtt-message.ts';
import type { Failure, Outcome, OutgoingRequest } from './request.ts';
import { connectBroker, reasonOf } from './mqtt-broker.ts';

export interface MqttSendDeps {
  readonly reach: AddressRule;
  /** Timeout of a message in milliseconds. */
  readonly timeoutMs: number;
}

/** Time in milliseconds without a message after which a connection is closed. */
const IDLE_MS = 300_000;
/** Maximum number of brokers at a time. */
const MOST_BROKERS = 100;

interface Open {
  readonly client: Promise<MqttClient>;
  idle: NodeJS.Timeout;
}

export const isBroker = ({ url }: Pick<OutgoingRequest, 'url'>): boolean => /^mqtts?:/i.test(url);

export class MqttSender {
  readonly #deps: MqttSendDeps;
  readonly #open = new Map<string, Open>();

  constructor(deps: MqttSendDeps) {
    this.#deps = deps;
  }

  /** Implements `Send` for the body MqttMessage. A message counts as sent when the broker has confirmed it. */
  readonly send = async ({ url, body }: OutgoingRequest, signal: AbortSignal): Promise<Outcome> => {
    try {
      const client = await this.#clientFor(url);
      await publish(client, body as MqttMessage, { signal, timeoutMs: this.#deps.timeoutMs });
      return { kind: 'sent' };
    } catch (error) {
      this.#drop(url);
      return failureOf(error);
    }
  };

  close(): void {
    for (const url of [...this.#open.keys()]) this.#drop(url);
  }

  #clientFor(url: string): Promise<MqttClient> {
    const known = this.#open.get(url);
    if (known !== undefined) known.idle.refresh();
    return (known ?? this.#connect(url)).client;
  }

  #connect(url: string): Open {
    const { reach, timeoutMs } = this.#deps;
    if (this.#open.size >= MOST_BROKERS) this.#drop(this.#open.keys().next().value!);
    const client = connectBroker({ address: url, rule: reach, timeoutMs }, () => this.#forget(url, open));
    const open: Open = { client, idle: setTimeout(() => this.#drop(url), IDLE_MS).unref() };
    this.#open.set(url, open);
    return open;
  }

  /** Removes a connection that has ended by itself. A new one may have replaced it. */
  #forget(url: string, open: Open): void {
    if (this.#open.get(url) === open) this.#drop(url);
  }

  #drop(url: string): void {
    const open = this.#open.get(url);
    if (open === undefined) return;
    this.#open.delete(url);
    clearTimeout(open.idle);
    void open.client.then((client) => client.end(true)).catch(() => undefined);
  }
}

async function publish(
  client: MqttClient,
  { topic, payload, base64, retain }: MqttMessage,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<void> {
  const bytes = base64 === undefined ? Buffer.from(payload ?? '') : Buffer.from(base64, 'base64');
  await new Promise<void>((resolve, reject) => {
    const finish = (error?: Error) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      client.off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onAbort = () => finish(new Error('the broker did not confirm the message in time'));
    // A message that is published after the end of the connection is never confirmed.
    const onClose = () => finish(new Error('the connection to the broker has ended'));
    // A timer is used because AbortSignal.any leaks memory at the signal that all messages share.
    const timer = setTimeout(onAbort, timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    client.once('close', onClose);
    if (signal.aborted) onAbort();
    else if (!client.connected) onClose();
    else client.publish(topic, bytes, { qos: 1, retain }, (error) => finish(error ?? undefined));
  });
}

function failureOf(error: unknown): Failure {
  const isForbidden = error instanceof ForbiddenAddress;
  return { kind: 'failed', reason: reasonOf(error), trouble: 'receiver', final: isForbidden };
}
