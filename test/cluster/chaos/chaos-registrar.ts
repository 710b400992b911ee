/** A client that registers components and pipelines, and deletes some of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../../../config/info.ts';
import type { Asking } from './chaos-asking.ts';
import type { Registered } from './chaos-history.ts';
import { between, oneOf, type Random } from './chaos-plan.ts';

const PAUSE_MS = [200, 1_500] as const;
const SHARE_REMOVED = 0.4;
const descriptorFile = join(packageRoot, 'test', 'support', 'components', 'absent', 'descriptor.json');

export class Registrar {
  readonly all: Registered[] = [];
  readonly #asking: Asking;
  readonly #random: Random;
  #isOver = false;

  constructor(asking: Asking, random: Random) {
    this.#asking = asking;
    this.#random = random;
  }

  stop(): void {
    this.#isOver = true;
  }

  async run(): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      await (n % 2 === 0 ? this.#component(`CHAOS${n}`) : this.#pipeline(`CHAOS ${n} PIPELINE`));
      const there = this.all.filter(({ isThere }) => isThere);
      if (there.length > 1 && this.#random() < SHARE_REMOVED) await this.#remove(oneOf(this.#random, there));
      await sleep(between(this.#random, ...PAUSE_MS));
    }
  }

  /** Checks at each server that the component is as expected. */
  async #component(name: string): Promise<void> {
    const descriptor = readFileSync(descriptorFile, 'utf8').replaceAll(/ABSENT/gi, name);
    const { componentName } = JSON.parse(descriptor) as { componentName: string };
    const place = { path: `/rest/components/${componentName}`, shownAt: `/rest/algorithms/${name}` };
    await this.#noteMade(place, '/rest/components/registerUnmanaged', descriptor);
  }

  async #pipeline(name: string): Promise<void> {
    const body = JSON.stringify({ name, description: 'Brightness.', tasks: ['LIGHT TASK'] });
    const path = `/rest/pipelines/${encodeURIComponent(name)}`;
    await this.#noteMade({ path, shownAt: path }, '/rest/pipelines', body);
  }

  async #noteMade(place: Pick<Registered, 'path' | 'shownAt'>, by: string, body: string): Promise<void> {
    const { status, text, isRepeated = false } = await this.#asking.insist('POST', by, body);
    this.all.push({
      ...place,
      isThere: true,
      isUnclear: isRepeated,
      answers: [`${status}: ${text.slice(0, 200)}`],
    });
  }

  async #remove(one: Registered): Promise<void> {
    const { status, text } = await this.#asking.insist('DELETE', one.path);
    one.isThere = false;
    one.answers.push(`${status}: ${text.slice(0, 200)}`);
  }
}
