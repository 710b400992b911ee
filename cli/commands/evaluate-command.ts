/** The options of `troupe evaluate`. Its code is loaded when it runs. */
import { InvalidArgumentError, type Command } from 'commander';
import type { Mapping } from '../../evaluate/classes.ts';
import type { EvaluateCommandOptions } from './evaluate.ts';
import { address, whole } from './resources/command.ts';
import type { Terminal } from '../terminal/terminal.ts';

export function evaluateCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('evaluate')
    .description('compare results with your own labels (docs/reference/evaluation-rules.md)')
    .argument('<TRUTH>', 'a file with your labels')
    .argument('<DOCUMENT>', 'a detection document, or the id of a job');
  about(command);
  rules(command);
  command
    .option('--url <URL>', 'service that has the job; default: TROUPE_URL, else the one in DATA_DIR', address)
    .option('--json', 'print all figures as JSON')
    .addHelpText('after', '\nExit code: 0 evaluated, 2 not evaluated: standard error says why.')
    .action(async (truth: string, document: string, options: EvaluateCommandOptions) => {
      const { printEvaluation } = await import('./evaluate.ts');
      await printEvaluation(truth, document, options, terminal);
    });
}

/** Adds the options that select the data to compare. */
function about(command: Command): void {
  command
    .option('--format <FORMAT>', 'one of coco, cvat, mot, rttm, text, vtt, srt; default: by content')
    .option('--media <ID>', 'medium, by its mediaId', whole(0, Infinity))
    .option('--type <TYPE>', 'evaluate only tracks of this type, such as FACE')
    .option('--action <NAME>', 'evaluate only tracks of this action; default: the last')
    .option('--map <TRUTH=FOUND>', 'class of the truth, and of the document; may be repeated', addMapping)
    .option('--step <FRAMES>', 'evaluate only each n-th frame', whole(1, Infinity), 1)
    .option('--text-property <NAME>', 'property with the text; default: TRANSCRIPT, else TEXT');
}

function rules(command: Command): void {
  command
    .option(
      '--threshold <CONFIDENCE>',
      'least confidence for precision, recall and tracking',
      number(0, 1e9),
      0,
    )
    .option('--iou <SHARE>', 'least overlap of two boxes that match', number(0, 1), 0.5)
    .option('--collar <SECONDS>', 'time around borders of speech that is ignored', number(0, 1e6), 0)
    .option('--exact', 'compare texts with case and punctuation')
    .option('--limit <COUNT>', 'most boxes in memory', whole(1, Infinity), 5_000_000);
}

function addMapping(given: string, before: Mapping = []): Mapping {
  const [, truth = '', found = ''] = /^([^=]+)=(.+)$/s.exec(given) ?? [];
  if (truth.trim() === '' || found.trim() === '') throw new InvalidArgumentError('Write TRUTH=FOUND.');
  return [...before, [truth.trim(), found.trim()]];
}

const number =
  (least: number, most: number) =>
  (given: string): number => {
    const value = given.trim() === '' ? NaN : Number(given);
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It is a number from ${least} to ${most}.`);
  };
