/** `troupe models ...`: model files of the user. */
import type { Command } from 'commander';
import type { UnderstoodModel } from '../../../components/models/onnx/understand-model.ts';
import type { ModelList } from '../../../client/answers.ts';
import { factLines, type Column } from '../../terminal/columns.ts';
import { Failure } from '../../terminal/failure.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { property } from '../../arguments/properties.ts';
import { momentText, readCommand, tableOr, whole } from './command.ts';

type Model = ModelList['models'][number];

const COLUMNS: readonly Column<Model>[] = [
  { title: 'MODEL', of: ({ name }) => name },
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'BYTES', of: ({ bytes }) => bytes.toLocaleString('en'), right: true },
  { title: 'CHANGED', of: ({ modified }) => momentText(modified) },
];
const NONE =
  'No model is in the folders of MODEL_ROOTS (by default the folder models in DATA_DIR): put an ONNX file or a Whisper model (ggml-*.bin) there.';
/** Maximum number of class names shown. */
const MOST_NAMES = 20;

interface CheckOptions {
  readonly property: Readonly<Record<string, string>>;
  /** Time limit of the check: milliseconds. */
  readonly within: number;
  readonly json?: boolean;
}

export function modelCommands(program: Command, terminal: Terminal): void {
  const group = program.command('models').description('model files of your own: list, check');
  readCommand<ModelList>(
    group,
    terminal,
    'list',
    'list the models that a job can name by MODEL_NAME',
    '/rest/models',
    {
      lines: ({ models, more }) => [
        ...tableOr(NONE, COLUMNS, models, terminal),
        ...(more ? ['There are more models, which you can name, too.'] : []),
      ],
    },
  );
  group
    .command('check <FILE>')
    .description('show how a job would use a model file of this machine; needs no service')
    .option('--property <NAME=VALUE>', 'property of the job; may be repeated', property, {})
    .option('--within <MS>', 'time that it has to answer once', whole(100, 2 ** 31 - 1), 60_000)
    .option('--json', 'print it as JSON')
    .action((file: string, options: CheckOptions) => check(file, options, terminal));
}

async function check(file: string, options: CheckOptions, terminal: Terminal): Promise<void> {
  const facts = await factsFor(file, options).catch((error: unknown) => {
    throw error instanceof Error ? new Failure(error.message) : error;
  });
  const lines = options.json === true ? [JSON.stringify(facts, undefined, 2)] : factLines(facts);
  for (const line of lines) terminal.print(line);
}

/** Returns the facts about a model file. Whisper models have the names that whisper.cpp uses. */
async function factsFor(file: string, { property: properties, within: checkMs }: CheckOptions) {
  if (file.endsWith('.bin')) {
    const { checkModel } = await import('../../../components/models/whisper/model-file.ts');
    const { languages } = await checkModel(file);
    return { Model: file, Type: 'WHISPER: ggml, for WHISPERSPEECH', Languages: languages.join(' ') };
  }
  const { checkModel } = await import('../../../components/models/onnx/check.ts');
  const signal = new AbortController().signal;
  return factsOf(await checkModel(file, properties, { checkMs, signal }));
}

function factsOf({ name: model, inputs, outputs, head, fit, how, nameOf }: UnderstoodModel) {
  const { name, type, layout, channels, width, height, batch } = inputs.picture;
  const names = Array.from({ length: Math.min(fit.classes, MOST_NAMES) }, (_, number) => nameOf(number));
  const more = fit.classes > MOST_NAMES ? ` and ${fit.classes - MOST_NAMES} more` : '';
  return {
    Model: model,
    Type: `${head.type}: ${head.rule}`,
    Input: `${name}: ${width} x ${height} pixels, ${channels} channel(s), ${layout}, ${type}`,
    Pictures:
      batch === undefined ? 'as many at a time as DETECTION_FRAME_BATCH_SIZE says' : `${batch} at a time`,
    Outputs: outputs.map((output) => `${output.name} [${output.dims.join(', ')}] of ${output.type}`),
    Preparation: `${how.pixelFormat}, ${how.resize}, (pixel * ${roundNumber(how.scale)} - ${how.mean.map(roundNumber).join(',')}) / ${how.deviation.map(roundNumber).join(',')}`,
    Classes: fit.classes === 0 ? '' : `${fit.classes}: ${names.join('; ')}${more}`,
  };
}

const roundNumber = (value: number): string => String(Number(value.toFixed(6)));
