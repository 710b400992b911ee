/** The library for object stores, told everything that it would else look up in the environment or in files of the user. */
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { Agent } from 'node:https';
import type { BucketAccess } from '../pipeline/types.ts';
import type { AddressRule } from './addresses.ts';

export interface Connection {
  /** Its commands. */
  readonly sdk: typeof import('@aws-sdk/client-s3');
  readonly client: S3Client;
  close(): void;
}

const CONNECT_MS = 10_000;

/** Libraries are loaded only now: it takes longer than many components take to start. @throws ForbiddenAddress */
export async function connectBucket(
  access: BucketAccess,
  rule: AddressRule,
  silenceMs: number,
): Promise<Connection> {
  const [{ outgoingAgents }, sdk, { NodeHttpHandler }] = await Promise.all([
    import('./agent.ts'),
    import('@aws-sdk/client-s3'),
    import('@smithy/node-http-handler'),
  ]);
  const url = new URL(access.url);
  const agents = outgoingAgents({ ...rule, allowedHosts: [] });
  const agent = agents.agentFor(url);
  const requestHandler = new NodeHttpHandler({
    ...(url.protocol === 'https:' ? { httpsAgent: agent as Agent } : { httpAgent: agent }),
    connectionTimeout: CONNECT_MS,
    socketTimeout: silenceMs,
  });
  return { sdk, client: new sdk.S3Client({ ...configOf(access), requestHandler }), close: agents.close };
}

const silent = (): void => undefined;

function configOf({ url, region, accessKey, secretKey, sessionToken }: BucketAccess): S3ClientConfig {
  return {
    endpoint: url,
    // A bucket is given by its address, which is taken as it stands.
    bucketEndpoint: true,
    forcePathStyle: true,
    region,
    credentials: {
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    },
    // The library cannot send a stream twice; attempts are made by whoever has the file.
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
    // Newer checksums are unknown to many stores; the signature covers the SHA-256 of what is sent.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Otherwise large files would leave by a socket of the library's own, which goes anywhere.
    expectContinueHeader: false,
    logger: { trace: silent, debug: silent, info: silent, warn: silent, error: silent },
  };
}
