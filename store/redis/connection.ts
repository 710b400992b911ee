import type { Redis, RedisOptions } from 'ioredis';
import { GatheringRedis } from './gathering-redis.ts';

/** Answers keep the types that ioredis gives them. */
type Options = Omit<RedisOptions, 'replyMapping'>;

/** Address of Redis and its connections. */
export interface Address {
  /** Address for messages: without user and password. */
  readonly shown: string;
  readonly hasSentinels: boolean;
  /** Makes all later connections retry without limit. Until this is called, the first failed attempt is an error. */
  connectsForEver(): void;
  connection(more?: Options): Redis;
}

const SENTINEL = /^redis(s?)\+sentinel:$/i;
const SENTINEL_PORT = 26_379;
/** One sentinel: a name or an address (IPv6 in brackets), and a port. */
const MEMBER = /^(\[[\da-f:.%]+\]|[^:[\]@\s]+)(?::(\d{1,5}))?$/i;
const LONGEST_PAUSE_MS = 250;
/** Timeout of connecting. It is shorter than that of a call, because sentinels may know another primary by then. */
const CONNECT_MS = 2_000;
/** Time after which a closed connection is cut off if the other end does not confirm. */
const DISCONNECT_MS = 200;
/** Error of a Redis that is not the primary. Up to Redis 6.2, an error within a script contains it after a hyphen. */
const NO_PRIMARY = /(?:^|: -)(?:READONLY|MASTERDOWN) /;

/**
 * @param url redis:// or rediss:// (TLS), or redis+sentinel://[user:password@]host[:port],host[:port].../name[/number].
 * With `rediss+sentinel:` the sentinels use TLS as well. The parameters sentinel_username and sentinel_password are for the sentinels.
 * @param timeoutMs timeout of a call; a connection fails after twice this time
 * @throws Error if the URL has another form
 */
export function addressOf(url: string, timeoutMs: number): Address {
  const scheme = /^[a-z+]+:/i.exec(url)?.[0] ?? '';
  const state = { forEver: false };
  const sentinel = SENTINEL.test(scheme) ? sentinelsOf(url, scheme) : undefined;
  const pause = (times: number) => Math.min(50 * times, LONGEST_PAUSE_MS);
  const base: Options = {
    lazyConnect: true,
    // While Redis is away, calls fail at once. A command that Redis may have executed is not sent again.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    connectTimeout: Math.min(timeoutMs, CONNECT_MS),
    disconnectTimeout: DISCONNECT_MS,
    // Detects a host that has vanished: it never answers and never closes the connection.
    socketTimeout: 2 * timeoutMs,
    retryStrategy: pause,
    // The address may lead to another Redis now.
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

/** Parses by hand, because a list of hosts is not a valid URL. */
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
  // The same URL with one host and a standard scheme.
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
