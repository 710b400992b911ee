import type { Redis, RedisOptions } from 'ioredis';
import { GatheringRedis } from './gathering-redis.ts';

/** Answers have the types that ioredis gives them by itself. */
type Options = Omit<RedisOptions, 'replyMapping'>;

/** Where Redis is, and who asks it. */
export interface Address {
  /** For people: without user and password. */
  readonly shown: string;
  readonly hasSentinels: boolean;
  /** To be called once an end of all attempts is no error any more: until then the first one in vain is. */
  connectsForEver(): void;
  connection(more?: Options): Redis;
}

const SENTINEL = /^redis(s?)\+sentinel:$/i;
const SENTINEL_PORT = 26_379;
/** A member of a list of sentinels: a name or an address, in brackets if it is one of IPv6, and a port. */
const MEMBER = /^(\[[\da-f:.%]+\]|[^:[\]@\s]+)(?::(\d{1,5}))?$/i;
const LONGEST_PAUSE_MS = 250;
/** A connection that a host does not even begin is given up sooner than a call: the sentinels may know another by then. */
const CONNECT_MS = 2_000;
/** A connection that is given up is cut off after so long, when the other end does not confirm its end. */
const DISCONNECT_MS = 200;
/** No primary, as it says itself; up to Redis 6.2 a script tells what it was told within a sentence, behind a hyphen. */
const NO_PRIMARY = /(?:^|: -)(?:READONLY|MASTERDOWN) /;

/**
 * @param url redis:// or rediss:// (TLS), or redis+sentinel://[user:password@]host[:port],host[:port].../name[/number].
 * With `rediss+sentinel:` the sentinels use TLS as well. The parameters sentinel_username and sentinel_password are for the sentinels.
 * @param timeoutMs after this time a call fails, and after twice this time a connection
 * @throws Error with a sentence when it is none of these
 */
export function addressOf(url: string, timeoutMs: number): Address {
  const scheme = /^[a-z+]+:/i.exec(url)?.[0] ?? '';
  const state = { forEver: false };
  const sentinel = SENTINEL.test(scheme) ? sentinelsOf(url, scheme) : undefined;
  const pause = (times: number) => Math.min(50 * times, LONGEST_PAUSE_MS);
  const base: Options = {
    lazyConnect: true,
    // Whoever asks while Redis is away hears so at once, and what may have been carried out is not sent twice.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    connectTimeout: Math.min(timeoutMs, CONNECT_MS),
    disconnectTimeout: DISCONNECT_MS,
    // A host that is gone without a word: what was asked of it is never answered, and nothing else tells.
    socketTimeout: 2 * timeoutMs,
    retryStrategy: pause,
    // The address may lead to another Redis by now.
    reconnectOnError: ({ message }) => NO_PRIMARY.test(message),
    sentinelRetryStrategy: (times) => (state.forEver ? pause(times) : null),
    sentinelCommandTimeout: Math.min(timeoutMs, CONNECT_MS),
  };
  return {
    shown: sentinel?.shown ?? new URL(url).host,
    hasSentinels: sentinel !== undefined,
    connectsForEver: () => void (state.forEver = true),
    connection: (more = {}) =>
      sentinel === undefined
        ? new GatheringRedis(url, { ...base, ...more })
        : new GatheringRedis({ ...base, ...sentinel.options, ...more }),
  };
}

/** A list of hosts is no part of a URL as the standard has it, so it is taken apart by hand. */
function sentinelsOf(url: string, scheme: string): { readonly shown: string; readonly options: Options } {
  const {
    login = '',
    members,
    rest,
  } = /^\/\/(?<login>[^@/?]*@)?(?<members>[^/?]+)(?<rest>.*)$/.exec(url.slice(scheme.length))?.groups ?? {};
  const sentinels = (members ?? '').split(',').map(memberOf);
  const [name, database = '0', ...more] = (rest ?? '').replace(/\?.*$/, '').split('/').slice(1);
  if (name === undefined || name === '' || more.length > 0 || !/^\d+$/.test(database))
    throw new Error(
      'REDIS_URL: must be redis+sentinel://host:port,host:port/name/number, name being what the sentinels call the primary.',
    );
  // The same with one host and a scheme that the standard knows.
  const { username, password, searchParams } = new URL(`http://${login}host${rest}`);
  const readValue = (value: string | null) =>
    value === null || value === '' ? undefined : decodeURIComponent(value);
  const [user, secret] = [readValue(username), readValue(password)];
  const [sentinelUser, sentinelSecret] = ['sentinel_username', 'sentinel_password'].map((key) =>
    searchParams.get(key),
  );
  return {
    shown: `${members} (${name})`,
    options: {
      sentinels,
      name: decodeURIComponent(name),
      db: Number(database),
      ...(user === undefined ? {} : { username: user }),
      ...(secret === undefined ? {} : { password: secret }),
      ...(sentinelUser == null ? {} : { sentinelUsername: sentinelUser }),
      ...(sentinelSecret == null ? {} : { sentinelPassword: sentinelSecret }),
      ...(SENTINEL.exec(scheme)?.[1] === ''
        ? {}
        : { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    },
  };
}

function memberOf(member: string): {
  readonly host: string;
  readonly port: number;
} {
  const found = MEMBER.exec(member.trim());
  if (found === null) throw new Error(`REDIS_URL: ${member} is not a host with a port.`);
  return {
    host: found[1]!.replace(/^\[|\]$/g, ''),
    port: Number(found[2] ?? SENTINEL_PORT),
  };
}
