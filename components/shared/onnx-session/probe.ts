/**
 * A process that loads one model and has it answer once, so that a file that crashes the runtime or never ends takes nothing with it.
 * It is asked by a message, answers by one, and ends.
 */
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../sdk/failure.ts';
import { secondThread } from '../../sdk/work/heartbeat.ts';
import type { Hints } from './hints.ts';
import { inputsOf, type NetworkInputs, type ValueInfo } from './inputs.ts';
import { infosOf, openSession, tensorsOf, type SessionOptions } from './session.ts';
import { feedsOf, valuesOf } from './tensors.ts';

export interface ProbeQuestion {
  readonly name: string;
  readonly path: string;
  readonly options: SessionOptions;
  readonly hints: Hints;
  /** Bytes of memory that this process may have; absent: any. */
  readonly maxMemory?: number | undefined;
}

/** What became of it. `refused`: a sentence for people about a model that is fine, but of no use here. */
export type ProbeAnswer =
  | ({ readonly kind: 'answered' } & Probed)
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly step: 'load' | 'run'; readonly message: string };

export interface Probed {
  readonly inputs: NetworkInputs;
  readonly declared: { readonly inputs: readonly ValueInfo[]; readonly outputs: readonly ValueInfo[] };
  /** The outputs for as many pictures as the input holds, with their shapes. */
  readonly outputs: readonly {
    readonly name: string;
    readonly type: string;
    readonly dims: readonly number[];
  }[];
}

secondThread({ parent: process.ppid }).unref();

process.once('message', (question) => {
  void answer(question as ProbeQuestion).then((found) => process.send?.(found, () => process.exit(0)));
});

async function answer({ name, path, options, hints, maxMemory }: ProbeQuestion): Promise<ProbeAnswer> {
  let step: 'load' | 'run' = 'load';
  if (maxMemory !== undefined)
    new Worker(new URL('./memory-watch.js', import.meta.url), { workerData: maxMemory }).unref();
  try {
    const session = await openSession(path, options);
    const declared = { inputs: infosOf(session.inputMetadata), outputs: infosOf(session.outputMetadata) };
    let inputs: NetworkInputs;
    try {
      inputs = inputsOf(name, declared.inputs, hints);
    } catch (error) {
      return { kind: 'refused', message: messageOf(error) };
    }
    step = 'run';
    const count = inputs.picture.batch ?? 1;
    const values = new Float32Array(valuesOf(inputs, count));
    const answered = await session.run(tensorsOf(feedsOf(inputs, values, count)));
    const outputs = session.outputNames.map((output) => {
      const { dims, type } = answered[output]!;
      return { name: output, type, dims: [...dims] };
    });
    return { kind: 'answered', inputs, declared, outputs };
  } catch (error) {
    return { kind: 'failed', step, message: messageOf(error) };
  }
}
