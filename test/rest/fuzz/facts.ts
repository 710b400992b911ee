/** Ids and names that exist on a running server, for use in requests. */
import type { Service } from '../../support/processes/service.ts';
import { sampleUri } from '../../support/processes/service.ts';
import { fragmentName } from '../../../protocol/stream-fragments.ts';

const FRAGMENT = fragmentName({
  ...{ at: 1_700_000_000_000, run: 'a', position: 0, durationMs: 4_000 },
  ...{ firstFrame: 0, frames: 100, isKey: true },
});

export class Facts {
  readonly #service: Service;
  #lease: string | undefined;

  constructor(service: Service) {
    this.#service = service;
  }

  /** The n-th existing value of this path parameter, modulo their number. */
  async one(template: string, parameter: string, n: number): Promise<string> {
    const all = await this.#all(template, parameter);
    return all[n % all.length] ?? 'none';
  }

  #all(template: string, parameter: string): Promise<readonly string[]> {
    if (parameter === 'token') return this.#lastLease();
    if (parameter === 'serviceName') return this.#names('/rest/nodes/info', 'nodeModels', 'name');
    if (parameter === 'componentName') return this.#names('/rest/components', undefined, 'componentName');
    if (parameter === 'typeFilter') return Promise.resolve(['all', 'admin', 'login']);
    const [, , resource = ''] = template.split('/');
    if (resource === 'system-message') return this.#names('/rest/system-message', undefined, 'id');
    if (resource === 'jobs') return this.#names('/rest/jobs', 'jobs', 'jobId');
    if (resource === 'media') return this.#upload();
    // A drain of the only server would stop all later requests.
    if (resource === 'servers') return Promise.resolve(['absent']);
    // Components choose the names of their files, so no list has them.
    if (template.includes('/files/{name}')) return Promise.resolve(['picture-1.png', 'a']);
    if (template.includes('/recording/{name}')) return Promise.resolve([FRAGMENT, 'a']);
    if (parameter === 'name') return this.#names(`/rest/${resource.replace(/e$/, 'es')}`, undefined, 'name');
    return Promise.resolve(['1', '2', '3']);
  }

  async #names(path: string, list: string | undefined, field: string): Promise<readonly string[]> {
    const { body } = await this.#service.ask('GET', path);
    const items = list === undefined ? body : (body as Record<string, unknown>)[list];
    return (items as readonly Record<string, string | number>[]).map((item) => String(item[field]));
  }

  async #upload(): Promise<readonly string[]> {
    const { body } = await this.#service.ask('POST', '/rest/media', 'bytes of a medium');
    return [(body as { id: string }).id];
  }

  /** The token of a lease that an ADMIN holds, for work that no component of this host claims. */
  async #lastLease(): Promise<readonly string[]> {
    if (this.#lease !== undefined && (await this.#isHeld(this.#lease))) return [this.#lease];
    const request = { algorithms: ['ABSENT'], max: 1, waitMs: 2_000 };
    const claim = async () => {
      const { body } = await this.#service.ask('POST', '/worker/v1/claim', request);
      return (body as { work: readonly { token: string }[] }).work[0]?.token;
    };
    await this.#service.create({
      media: [sampleUri('astronaut.png')],
      pipelineDefinition: {
        pipeline: ['T'],
        tasks: [{ name: 'T', actions: ['A'] }],
        actions: [{ name: 'A', algorithm: 'ABSENT' }],
      },
    });
    this.#lease = await claim();
    return this.#lease === undefined ? [] : [this.#lease];
  }

  async #isHeld(token: string): Promise<boolean> {
    const { status } = await this.#service.ask('POST', `/worker/v1/leases/${token}/heartbeat`, {});
    return status === 200;
  }
}
