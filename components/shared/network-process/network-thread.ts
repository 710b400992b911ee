/** A thread that runs networks. The ONNX runtime blocks the thread that calls it. */
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../sdk/failure.ts';
import { loadNetwork, type Network } from '../networks/network.ts';
import { PROCESSORS_OF_RUN, type NetworkRun, type ThreadAnswer } from './network-threads.ts';

const networks = new Map<string, Promise<Network>>();
const port = parentPort!;

port.on('message', (run: NetworkRun) => void answer(run).then((result) => port.postMessage(result)));
await Promise.allSettled((workerData as readonly string[]).map(load));
port.postMessage({});

async function answer({ file, shape, values }: NetworkRun): Promise<ThreadAnswer> {
  try {
    const network = await load(file);
    return { outputs: shape === undefined ? [] : await network.run(values, shape) };
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
