/** An OpenTelemetry collector for tests: receives OTLP over HTTP and keeps the spans. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** 2 is a server span, 3 a client span. */
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Code 2 is an error. */
  readonly status: { readonly code?: number; readonly message?: string };
  readonly service: string;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}
interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes'> & { readonly attributes: Attribute[] })[];
    }[];
  }[];
}

export class Collector {
  readonly spans: ReceivedSpan[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      void text(request).then((body) => {
        if (request.url === '/v1/traces') this.#keep(JSON.parse(body) as Body);
        response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' });
        response.end('{}');
      });
    });
  }

  static async start(): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve) => collector.#server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #keep({ resourceSpans }: Body): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(valuesOf(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({ ...span, attributes: valuesOf(span.attributes), service });
    }
  }
}

const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));
