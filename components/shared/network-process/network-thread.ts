/** A thread that runs networks. The ONNX runtime blocks the thread that calls it. */
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../sdk/failure.ts';
import { loadNetwork, type Network } from '../networks/network.ts';
import { PROCESSORS_OF_RUN, type NetworkRun, type ThreadAnswer } from './network-threads.ts';

const networks = new Map<string, Promise<Network>>();
const port = parentPort!;
/** Input of a run. The runtime does not take memory that threads share. */
let input = new Float32Array(0);

port.on('message', (run: NetworkRun) => void reply(run));
await Promise.allSettled((workerData as readonly string[]).map(load));
port.postMessage({});

/** Outputs are moved to the other thread, not copied. */
async function reply(run: NetworkRun): Promise<void> {
  const result = await answer(run);
  port.postMessage(result, result.outputs?.map(({ buffer }) => buffer as ArrayBuffer) ?? []);
}

async function answer({ file, shape, values }: NetworkRun): Promise<ThreadAnswer> {
  try {
    const network = await load(file);
    if (shape === undefined) return { outputs: [] };
    if (input.length !== values.length) input = new Float32Array(values.length);
    input.set(values);
    return { outputs: await network.run(input, shape) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function load(file: string): Promise<Network> {
  const known = networks.get(file);
  if (known !== undefined) return known;
  const loading = loadNetwork(file, PROCESSORS_OF_RUN);
  networks.set(file, loading);
  // The next run tries again.
  loading.catch(() => networks.delete(file));
  return loading;
}
