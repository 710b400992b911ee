/**
 * The library for object stores, with explicit values for everything that it would otherwise read from the environment or from files of the
 * user.
 */
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { Agent } from 'node:https';
import { Readable } from 'node:stream';
import type { BucketAccess } from '../domain/types.ts';
import type { AddressRule } from './http/addresses.ts';

export interface Connection {
  /** The commands of the library. */
  readonly sdk: typeof import('@aws-sdk/client-s3');
  readonly client: S3Client;
  close(): void;
}

const CONNECT_MS = 10_000;
/** Maximum bytes of an answer that is no object. The library keeps it in memory, and only its start is needed. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Connects to a bucket. The libraries are loaded only here, because loading takes longer than many components take to start. @throws
 * ForbiddenAddress
 */
export async function connectBucket(
  access: BucketAccess,
  rule: AddressRule,
  silenceMs: number,
): Promise<Connection> {
  const [{ outgoingAgents }, sdk, { NodeHttpHandler }] = await Promise.all([
    import('./http/agent.ts'),
    import('@aws-sdk/client-s3'),
    import('@smithy/node-http-handler'),
  ]);
  const url = new URL(access.url);
  const agents = outgoingAgents(rule);
  const agent = agents.agentFor(url);
  const requestHandler = new NodeHttpHandler({
    ...(url.protocol === 'https:' ? { httpsAgent: agent as Agent } : { httpAgent: agent }),
    connectionTimeout: CONNECT_MS,
    socketTimeout: silenceMs,
  });
  const client = new sdk.S3Client({ ...configOf(access), requestHandler });
  keepAnswersShort(client);
  return { sdk, client, close: agents.close };
}

/** Limits answers, because a store may send one without end. Answers to GET are streamed to callers that limit them. */
function keepAnswersShort(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { method } = args.request as { readonly method: string };
      const response = result.response as { readonly statusCode: number; body?: unknown };
      const isObject = method === 'GET' && response.statusCode < 300;
      if (!isObject && response.body instanceof Readable)
        response.body = Readable.from(beginningOf(response.body), { objectMode: false });
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'keepAnswersShort' },
  );
}

async function* beginningOf(body: Readable): AsyncGenerator<Uint8Array> {
  let left = MAX_ANSWER_BYTES;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

const silent = (): void => undefined;

function configOf({ url, region, accessKey, secretKey, sessionToken }: BucketAccess): S3ClientConfig {
  return {
    endpoint: url,
    // A bucket is given by its full address, which is used unchanged.
    bucketEndpoint: true,
    forcePathStyle: true,
    region,
    credentials: {
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    },
    // The library cannot send a stream twice. The owner of the file retries.
    maxAttempts: 1,
    retryMode: 'standard',
    defaultsMode: 'standard',
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
    disableS3ExpressSessionAuth: true,
    disableClockSkewCorrection: false,
    authSchemePreference: [],
    sigv4aSigningRegionSet: [],
    userAgentAppId: () => Promise.resolve(undefined),
    // Many stores do not support newer checksums. The signature covers the SHA-256 of the content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Otherwise the library would send large files over its own socket, which may connect anywhere.
    expectContinueHeader: false,
    logger: { trace: silent, debug: silent, info: silent, warn: silent, error: silent },
  };
}
