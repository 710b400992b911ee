/** Loads and runs a model once in a separate process before this process loads it. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DetectionError } from '../../sdk/detector.ts';
import type {
  PictureQuestion,
  ProbeAnswer,
  ProbeQuestion,
  Probed,
  ProbedText,
  TextQuestion,
} from './probe.ts';

const PROBE = fileURLToPath(new URL('./probe.js', import.meta.url));
/** Maximum length of the runtime's message, which could be pages long. */
const MOST_CHARACTERS = 500;

type End = ProbeAnswer | { readonly kind: 'ended'; readonly how: string } | { readonly kind: 'late' };

/** Tries a model. Throws DETECTION_NOT_INITIALIZED if it cannot run, INVALID_PROPERTY if it accepts no pictures. */
export async function tryModel(question: PictureQuestion, ms: number, signal: AbortSignal): Promise<Probed> {
  const { inputs, ...found } = await answerOf(question, ms, signal, {
    late: ' or a smaller NET_INPUT_IMAGE_SIZE',
    failed: ' If it takes another size, set NET_INPUT_IMAGE_SIZE.',
  });
  return { inputs: inputs!, ...found };
}

/** Tries a text model. Throws the errors of `tryModel`, and INVALID_PROPERTY if it accepts no tokens. */
export const tryTextModel = (question: TextQuestion, ms: number, signal: AbortSignal): Promise<ProbedText> =>
  answerOf(question, ms, signal, { late: '', failed: '' });

/** Parts of messages with further advice to the user. */
interface Advice {
  readonly late: string;
  readonly failed: string;
}

async function answerOf(question: ProbeQuestion, ms: number, signal: AbortSignal, advice: Advice) {
  const { name } = question;
  const end = await askProbe(question, ms, signal);
  signal.throwIfAborted();
  switch (end.kind) {
    case 'answered':
      return end;
    case 'refused':
      throw new DetectionError('INVALID_PROPERTY', end.message);
    case 'failed':
      throw failureOf(name, question.options.provider, end, advice);
    case 'late':
      throw unusable(
        `The model ${name} had not answered within ${ms} ms (MODEL_CHECK_MS) and was stopped: it hangs, or needs more time${advice.late}. Check the export, or set MODEL_CHECK_MS higher.`,
      );
    case 'ended':
      throw unusable(
        `The model ${name} ended the process that tried it (${end.how}): the file is damaged, the runtime does not support it, or it needs too much memory. Export it again, if necessary with another opset, or use a smaller model.`,
      );
  }
}

async function askProbe(question: ProbeQuestion, ms: number, signal: AbortSignal): Promise<End> {
  const child = fork(PROBE, [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] });
  let lastOutput = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastOutput = (lastOutput + text).slice(-MOST_CHARACTERS);
  });
  let timer: NodeJS.Timeout | undefined;
  const stop = () => child.kill('SIGKILL');
  try {
    return await new Promise<End>((resolve) => {
      const endWith = (how: string) => resolve({ kind: 'ended', how: [how, lastLine(lastOutput)].join('') });
      child.once('message', (answer) => resolve(answer as ProbeAnswer));
      child.once('error', ({ message }) => endWith(message));
      child.once('close', (code, killed) => endWith(killed ?? `code ${code}`));
      timer = setTimeout(() => resolve({ kind: 'late' }), ms);
      signal.addEventListener('abort', stop, { once: true });
      child.send(question, () => undefined);
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    stop();
  }
}

function lastLine(words: string): string {
  const line = words.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line}`;
}

function failureOf(
  name: string,
  provider: string,
  { step, message }: Extract<ProbeAnswer, { readonly kind: 'failed' }>,
  advice: Advice,
): DetectionError {
  const shown = message.replaceAll(/\s+/g, ' ').trim().slice(0, MOST_CHARACTERS);
  const said = shown.endsWith('.') ? shown : `${shown}.`;
  if (step === 'load' && provider !== 'cpu')
    return new DetectionError(
      'GPU_ERROR',
      `EXECUTION_PROVIDER ${provider.toUpperCase()} cannot be used on this host for the model ${name}: ${said} Install what it needs, or set EXECUTION_PROVIDER to CPU.`,
    );
  return step === 'load'
    ? unusable(
        `The model ${name} cannot be loaded: ${said} Copy the file again with all that belongs to it, or export it again.`,
      )
    : unusable(`The model ${name} was loaded and cannot be run: ${said}${advice.failed}`);
}

const unusable = (message: string) => new DetectionError('DETECTION_NOT_INITIALIZED', message);
