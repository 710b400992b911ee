/** Reports spans to an OpenTelemetry collector by OTLP over HTTP. The library is loaded only if a collector is configured. */
import type { IdGenerator } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../config/logger.ts';
import type { FinishedSpan, TraceContext, Traces } from '../domain/job/trace.ts';

export interface TraceSettings {
  /** Base URL of the collector (OTEL_EXPORTER_OTLP_ENDPOINT). */
  readonly endpoint: string;
  /** Version of the product. */
  readonly version: string;
  /** Distinguishes the servers of one service. */
  readonly instance: string;
  readonly logger: Logger;
}

export interface OpenTraces extends Traces {
  /** Sends the pending spans, within a short time. */
  close(): Promise<void>;
}

const CLOSE_MS = 1_000;

export async function openTraces({
  endpoint,
  version,
  instance,
  logger,
}: TraceSettings): Promise<OpenTraces> {
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  api.diag.setLogger(warnOnce(logger, endpoint), {
    logLevel: api.DiagLogLevel.ERROR,
    suppressOverrideMessage: true,
  });
  const ids = new GivenIds(new sdk.RandomIdGenerator());
  const own = { 'service.name': 'troupe', 'service.version': version, 'service.instance.id': instance };
  const provider = new sdk.BasicTracerProvider({
    idGenerator: ids,
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES precede these attributes.
    resource: resources
      .resourceFromAttributes(own)
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [
      new sdk.BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })),
    ],
  });
  const tracer = provider.getTracer('troupe', version);
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } = api;
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
  return {
    newTrace(): TraceContext {
      const { traceId, spanId, traceFlags } = tracer
        .startSpan('request', { root: true }, ROOT_CONTEXT)
        .spanContext();
      return { traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
    },
    record({ name, kind, context, parentId, from, to, attributes, error }: FinishedSpan): void {
      if (!context.sampled) return;
      const { traceId } = context;
      const remote = { traceId, spanId: parentId ?? '', traceFlags: TraceFlags.SAMPLED, isRemote: true };
      const parent = parentId === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
      const span = ids.with(context, () =>
        tracer.startSpan(name, { kind: kinds[kind], startTime: from, attributes }, parent),
      );
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end(Math.max(from, to));
    },
    close: () => within(CLOSE_MS, provider.shutdown()),
  };
}

/** Spans keep their given ids, because other services know the ids long before the spans end. */
class GivenIds implements IdGenerator {
  readonly #random: IdGenerator;
  #given: TraceContext | undefined;

  constructor(random: IdGenerator) {
    this.#random = random;
  }

  readonly generateTraceId = (): string => this.#given?.traceId ?? this.#random.generateTraceId();
  readonly generateSpanId = (): string => this.#given?.spanId ?? this.#random.generateSpanId();

  with<T>(given: TraceContext, work: () => T): T {
    this.#given = given;
    try {
      return work();
    } finally {
      this.#given = undefined;
    }
  }
}

/** Minimum time between two log lines about a collector that accepts nothing. */
const SILENT_MS = 60_000;

/** Logs failures at most once per SILENT_MS. The library reports every lost batch. */
function warnOnce(logger: Logger, endpoint: string) {
  let until = -Infinity;
  const nothing = () => undefined;
  const error = (message: string) => {
    if (performance.now() < until) return;
    until = performance.now() + SILENT_MS;
    logger.warn({ endpoint, reason: message.slice(0, 300) }, 'traces could not be sent to their collector');
  };
  return { error, warn: nothing, info: nothing, debug: nothing, verbose: nothing };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
