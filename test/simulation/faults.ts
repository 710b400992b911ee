/** Faults of servers, of Redis and of the network between them. */
import { between, oneOf, type Random } from '../cluster/chaos/chaos-plan.ts';
import type { Network } from './network.ts';
import type { Promises } from './promises.ts';
import type { Server } from './server.ts';
import type { SimulatedTime } from './time.ts';

export interface FaultsDeps {
  readonly random: Random;
  readonly time: SimulatedTime;
  readonly network: Network;
  readonly promises: Promises;
  /** By their positions. */
  readonly servers: readonly Server[];
  /** Starts the server of this position again. */
  start(place: number): void;
  onFault(): void;
}

const FAULTS_MS = 2_500;
const FIRST_MS = [100, 700] as const;
const PAUSE_MS = [50, 900] as const;
/** Shorter than a lease: the guarantees about attempts hold only for components that stay connected. */
const LASTS_MS = [50, 2_200] as const;
/** Clocks of hosts differ by less than a second. */
const MOST_WRONG_MS = 900;

type Fault = (deps: FaultsDeps, ms: number) => void;

/** A killed server restarts with another identity. */
const kill: Fault = ({ random, servers, promises, time, start }, ms) => {
  const place = Math.floor(random() * servers.length);
  const server = servers[place]!;
  promises.tell(`FAULT: ${server.name} is killed, and started after ${ms} ms`);
  server.kill();
  time.after(ms, () => start(place));
};
const freeze: Fault = ({ random, servers, promises }, ms) => {
  const server = oneOf(random, servers);
  promises.tell(`FAULT: ${server.name} stands still for ${ms} ms`);
  server.clock.freeze(ms);
};
const cutOff: Fault = ({ random, servers, promises, time }, ms) => {
  const server = oneOf(random, servers);
  promises.tell(`FAULT: ${server.name} does not reach Redis for ${ms} ms`);
  server.connection.link.cutUntil = time.now + ms;
};
const disconnect: Fault = ({ random, servers, promises }, ms) => {
  const server = oneOf(random, servers);
  promises.tell(`FAULT: ${server.name} has lost its connection to Redis for ${ms} ms`);
  server.disconnect(ms);
};
const freezeRedis: Fault = ({ promises, network, time }, ms) => {
  promises.tell(`FAULT: Redis stands still for ${ms} ms`);
  network.frozenUntil = time.now + ms;
};
const awayRedis: Fault = ({ promises, network, time }, ms) => {
  promises.tell(`FAULT: Redis is away for ${ms} ms`);
  network.awayUntil = time.now + ms;
};
const wrongClock: Fault = ({ random, servers, promises }) => {
  const server = oneOf(random, servers);
  const ms = between(random, -MOST_WRONG_MS, MOST_WRONG_MS);
  promises.tell(`FAULT: the clock of ${server.name} is wrong by ${ms} ms`);
  server.clock.setWrong(ms);
};

const FAULTS: readonly Fault[] = [kill, kill, freeze, cutOff, disconnect, freezeRedis, awayRedis, wrongClock];

/** Applies the faults one after another, each for its own time. */
export async function disturb(deps: FaultsDeps): Promise<void> {
  const { random, time, onFault } = deps;
  await time.wait(between(random, ...FIRST_MS));
  while (time.now < FAULTS_MS) {
    const ms = between(random, ...LASTS_MS);
    oneOf(random, FAULTS)(deps, ms);
    onFault();
    await time.wait(ms + between(random, ...PAUSE_MS));
  }
}
