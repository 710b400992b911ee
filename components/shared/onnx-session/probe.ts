/**
 * A process that loads one model and runs it once. If a file crashes the runtime or never ends, only this process is affected. It receives
 * one message, answers with one, and exits.
 */
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../sdk/failure.ts';
import { secondThread } from '../../sdk/work/heartbeat.ts';
import type { Hints } from './hints.ts';
import { inputsOf, type NetworkInputs, type ValueInfo } from './inputs.ts';
import { infosOf, openSession, tensorsOf, type SessionOptions } from './session.ts';
import type { Feeds } from './runtime.ts';
import { feedsOf, valuesOf } from './tensors.ts';
import { fitTokens, tokenFeeds, tokensTaken, type Tokens } from './tokens.ts';

export interface TriedModel {
  readonly name: string;
  readonly path: string;
  readonly options: SessionOptions;
  /** Memory limit in bytes of the process that tries the model; undefined for no limit. */
  readonly maxMemory?: number | undefined;
}
export interface PictureQuestion extends TriedModel {
  readonly hints: Hints;
}
export interface TextQuestion extends TriedModel {
  /** Tokens of an arbitrary text. */
  readonly tokens: Tokens;
}
export type ProbeQuestion = PictureQuestion | TextQuestion;

/** Outcome of the trial. `refused`: the model works but cannot be used here; the message is a sentence for people. */
export type ProbeAnswer =
  | ({ readonly kind: 'answered'; readonly inputs: NetworkInputs | undefined } & ProbedText)
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly step: 'load' | 'run'; readonly message: string };

/** Result for a text model. */
export interface ProbedText {
  readonly declared: { readonly inputs: readonly ValueInfo[]; readonly outputs: readonly ValueInfo[] };
  /** Outputs, with their shapes, for as many pictures as the input holds. */
  readonly outputs: readonly {
    readonly name: string;
    readonly type: string;
    readonly dims: readonly number[];
  }[];
}
export interface Probed extends ProbedText {
  readonly inputs: NetworkInputs;
}

secondThread({ parent: process.ppid }).unref();

process.once('message', (question) => {
  void answer(question as ProbeQuestion).then((found) => process.send?.(found, () => process.exit(0)));
});

async function answer(question: ProbeQuestion): Promise<ProbeAnswer> {
  const { path, options, maxMemory } = question;
  let step: 'load' | 'run' = 'load';
  if (maxMemory !== undefined)
    new Worker(new URL('./memory-watch.js', import.meta.url), { workerData: maxMemory }).unref();
  try {
    const session = await openSession(path, options);
    const declared = { inputs: infosOf(session.inputMetadata), outputs: infosOf(session.outputMetadata) };
    let given: Given;
    try {
      given = givenTo(question, declared.inputs);
    } catch (error) {
      return { kind: 'refused', message: messageOf(error) };
    }
    step = 'run';
    const answered = await session.run(tensorsOf(given.feeds));
    const outputs = session.outputNames.map((output) => {
      const { dims, type } = answered[output]!;
      return { name: output, type, dims: [...dims] };
    });
    return { kind: 'answered', inputs: given.inputs, declared, outputs };
  } catch (error) {
    return { kind: 'failed', step, message: messageOf(error) };
  }
}

interface Given {
  readonly inputs: NetworkInputs | undefined;
  readonly feeds: Feeds;
}

function givenTo(question: ProbeQuestion, infos: readonly ValueInfo[]): Given {
  const { name } = question;
  if ('tokens' in question) {
    const tokens = fitTokens(question.tokens, tokensTaken(infos));
    return { inputs: undefined, feeds: tokenFeeds(name, infos, tokens) };
  }
  const inputs = inputsOf(name, infos, question.hints);
  const count = inputs.picture.batch ?? 1;
  return { inputs, feeds: feedsOf(inputs, new Float32Array(valuesOf(inputs, count)), count) };
}
