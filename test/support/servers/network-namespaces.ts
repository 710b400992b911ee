/** Hosts of their own on this machine: network namespaces, each with a cable to here that can be pulled. Only root may make them. */
import { spawnSync } from 'node:child_process';

const ip = (...args: readonly string[]) => {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
};
const must = (...args: readonly string[]) => {
  const trouble = ip(...args);
  if (trouble !== undefined) throw new Error(`ip ${args.join(' ')}: ${trouble}`);
};

/** Why there can be none here; undefined: they can be made. */
export function noNamespaces(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may make network namespaces';
  const [name, cable] = [`troupe-try-${process.pid}`, `tryv${process.pid}`];
  const trouble = ip('netns', 'add', name) ?? ip('link', 'add', cable, 'type', 'veth');
  ip('link', 'delete', cable);
  ip('netns', 'delete', name);
  return trouble && `no network namespaces can be made here: ${trouble}`;
}

export class Namespace {
  readonly name: string;
  /** The address of this machine as it is seen from there. */
  readonly address: string;
  readonly #cable: string;

  /** `number`: 1 to 200, another one for each that is there at a time. */
  constructor(number: number) {
    this.name = `troupe-${process.pid}-${number}`;
    this.#cable = `tr${process.pid}v${number}`;
    const inside = `${this.#cable}i`;
    // A net that is set aside for tests (RFC 2544), four addresses for each.
    const net = `198.18.${process.pid % 256}.`;
    this.address = `${net}${4 * (number % 64) + 1}`;
    try {
      must('netns', 'add', this.name);
      must('link', 'add', this.#cable, 'type', 'veth', 'peer', 'name', inside);
      must('link', 'set', inside, 'netns', this.name);
      must('address', 'add', `${this.address}/30`, 'dev', this.#cable);
      must('-n', this.name, 'address', 'add', `${net}${4 * (number % 64) + 2}/30`, 'dev', inside);
      for (const device of ['lo', inside]) must('-n', this.name, 'link', 'set', device, 'up');
      this.plug();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  unplug(): void {
    must('link', 'set', this.#cable, 'down');
  }

  plug(): void {
    must('link', 'set', this.#cable, 'up');
  }

  close(): void {
    ip('link', 'delete', this.#cable);
    ip('netns', 'delete', this.name);
  }
}
