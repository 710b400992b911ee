/** `troupe streams restart`: starts a stored stream again, with other zones or other members. */
import { InvalidArgumentError, type Command } from 'commander';
import type { CreatedStream, StreamChanges } from '../../../../client/answers.ts';
import { streamPath } from '../../../../client/watch-stream.ts';
import { algorithmProperty, property } from '../../../arguments/properties.ts';
import { receiverAndRecordingOptions, receiversOf, recordingOf } from './stream-options.ts';
import type { ReceiverOptions, RecordingOptions } from './stream-options.ts';
import { place, rule } from '../../../arguments/zone-arguments.ts';
import { Failure } from '../../../terminal/failure.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { askCommand, show, stallTimeout, textOf, whole, type RestOptions } from '../command.ts';

const REMOVABLE = ['zones', 'lines', 'rules', 'events', 'recording'] as const;
type Removable = (typeof REMOVABLE)[number];

interface RestartOptions extends RestOptions, RecordingOptions, ReceiverOptions {
  /** Members of the request as JSON: a file, or - for standard input. */
  readonly changes?: string;
  /** The new address. */
  readonly stream?: string;
  readonly pipeline?: string;
  readonly property?: Readonly<Record<string, string>>;
  readonly algorithmProperty?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly segmentSize?: number;
  readonly stallTimeout?: number;
  readonly zone?: StreamChanges['zones'];
  readonly line?: StreamChanges['lines'];
  readonly rule?: StreamChanges['rules'];
  readonly remove?: readonly Removable[];
}

export function restartCommand(streams: Command, terminal: Terminal): void {
  const about = 'replace a streaming job by one with changes';
  const restarting = askCommand(streams, 'restart <ID>', about)
    .option('--stream <URI>', 'another address; - reads it from standard input')
    .option('--pipeline <NAME>', 'another pipeline')
    .option('--property <NAME=VALUE>', 'job property; may be repeated', property)
    .option(
      '--algorithm-property <ALGORITHM:NAME=VALUE>',
      'property of one algorithm; may be repeated',
      algorithmProperty,
    )
    .option('--segment-size <FRAMES>', 'frames of a segment', whole(10, Infinity))
    .option('--stall-timeout <MS>', 'milliseconds without a frame; -1: never', stallTimeout)
    .option('--zone <NAME=POINTS>', 'zone, such as "yard=0.1,0.2 0.9,0.2 0.9,0.9"; may be repeated', place)
    .option('--line <NAME=POINTS>', 'line, such as "door=0.5,0 0.5,1"; may be repeated', place)
    .option('--rule <JSON>', 'rule as JSON, or a file with rules; may be repeated', rule);
  receiverAndRecordingOptions(restarting)
    .option('--remove <WHAT>', `${REMOVABLE.join(', ')}; may be repeated`, removable)
    .option('--changes <FILE>', 'other members of the request, as a JSON file')
    .addHelpText(
      'after',
      '\nProperties, zones, lines, rules and receivers that you name replace all of their kind.',
    )
    .action((id: string, options: RestartOptions) => restart(id, options, terminal));
}

async function restart(id: string, options: RestartOptions, terminal: Terminal): Promise<void> {
  const body = JSON.stringify(await changesOf(options));
  const call = { method: 'POST', path: `${streamPath(id)}/restart`, body, once: 'job' } as const;
  return show<CreatedStream>(terminal, options, call, {
    lines: ({ jobId }) => [`Streaming job ${jobId} takes the place of ${id}: troupe streams watch ${jobId}.`],
  });
}

/** Returns the changed members. JSON omits undefined members. @throws Failure */
async function changesOf(options: RestartOptions): Promise<object> {
  const { remove = [] } = options;
  const given = options.changes === undefined ? {} : await jsonOf(options.changes);
  const recording = recordingOf(options);
  const stream = {
    ...(isObject(given['stream']) ? given['stream'] : {}),
    ...(options.stream === undefined ? {} : { streamUri: await addressOf(options.stream) }),
    ...(options.segmentSize === undefined ? {} : { segmentSize: options.segmentSize }),
    ...(recording === undefined ? {} : { recording }),
    ...(remove.includes('recording') ? { recording: null } : {}),
  };
  const removed = remove.filter((what) => what !== 'recording').map((what) => [what, null] as const);
  return {
    ...given,
    ...(Object.keys(stream).length === 0 ? {} : { stream }),
    ...membersOf(options),
    ...Object.fromEntries(removed),
  };
}

function membersOf(options: RestartOptions): object {
  const members = {
    pipelineName: options.pipeline,
    jobProperties: options.property,
    algorithmProperties: options.algorithmProperty,
    stallTimeout: options.stallTimeout,
    zones: options.zone,
    lines: options.line,
    rules: options.rule,
    events: receiversOf(options),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function removable(given: string, before: readonly Removable[] = []): readonly Removable[] {
  const found = REMOVABLE.find((what) => what === given.trim().toLowerCase());
  if (found === undefined) throw new InvalidArgumentError(`Write one of ${REMOVABLE.join(', ')}.`);
  return [...before, found];
}

const addressOf = async (given: string) => (given === '-' ? (await textOf('-')).trim() : given);

async function jsonOf(file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await textOf(file);
  try {
    const found: unknown = JSON.parse(text);
    if (isObject(found)) return found;
  } catch {
    // The Failure below reports this error.
  }
  throw new Failure(`${file} is no JSON object. Write members of the request, such as {"zones": []}.`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
