import { resolvePlan } from '../../domain/plan-checks.ts';
import type { CatalogLookup } from '../../domain/plan-lookup.ts';
import { refusedProperty } from '../../domain/property-checks.ts';
import type { Properties } from '../../domain/types.ts';

/** A validated request, free of the shapes of HTTP (specification 2.3). */
export interface StreamingJobRequest {
  readonly externalId: string | null;
  readonly jobProperties: Properties;
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  readonly stream: {
    readonly uri: string;
    /** Frames of a segment. */
    readonly segmentSize: number;
    readonly properties: Properties;
  };
  readonly pipelineName: string;
}

const SCHEMES = new Set(['rtsp:', 'http:', 'https:']);
const LEAST_SEGMENT = 10;

/** Where streaming jobs come in. So far every request is checked in full and then refused: nothing is stored. */
export class StreamingJobService {
  readonly #catalog: CatalogLookup;

  constructor(catalog: CatalogLookup) {
    this.#catalog = catalog;
  }

  /** Why the request is refused. */
  submit(request: StreamingJobRequest): { readonly refused: string } {
    const { stream, jobProperties, algorithmProperties, pipelineName } = request;
    if (stream.uri.trim() === '') return { refused: 'A stream URI was not provided.' };
    const scheme = URL.canParse(stream.uri) ? new URL(stream.uri).protocol : undefined;
    if (scheme === undefined)
      return { refused: 'The stream URI is malformed: it must look like rtsp://host/path.' };
    if (!SCHEMES.has(scheme))
      return {
        refused: 'The scheme of the provided URI is not supported. Only RTSP, HTTP, and HTTPS are supported.',
      };
    if (stream.segmentSize < LEAST_SEGMENT)
      return { refused: `The segment size must be at least ${LEAST_SEGMENT}.` };
    const plan = resolvePlan(this.#catalog, { pipelineName }, 'stream');
    if ('refused' in plan) return plan;
    for (const properties of [jobProperties, ...Object.values(algorithmProperties), stream.properties]) {
      const refused = refusedProperty(properties);
      if (refused !== null) return { refused: `Property validation failed due to: ${refused}` };
    }
    return { refused: 'Streaming jobs are not supported yet.' };
  }
}
