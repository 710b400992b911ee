/** The commands of the tool, as they are called; what a command does is loaded when it runs. */
import { Command, Option } from 'commander';
import { readInfo } from '../config/info.ts';
import type { AnalyzeOptions } from './commands/analyze.ts';
import { evaluateCommand } from './commands/evaluate-command.ts';
import { moment } from './terminal/moments.ts';
import { pages } from './arguments/pages.ts';
import { address, collectValues, command, stallTimeout, whole } from './commands/resources/command.ts';
import { resourceCommands } from './commands/resources/index.ts';
import type { NodeRunOptions } from './commands/node.ts';
import type { McpOptions } from './commands/mcp.ts';
import type { Role } from '../http/access/roles.ts';
import type { StreamOptions } from './commands/stream.ts';
import { algorithmProperty, property } from './arguments/properties.ts';
import { place, rule } from './arguments/zone-arguments.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Most of a time that a node is given to end: a day. */
const MAX_DRAIN_SECONDS = 86_400;

export function troupeProgram(terminal: Terminal): Command {
  const program = new Command('troupe')
    .description('Media analysis: detectors find faces, motion, text, speech and scenes in media files')
    .version(readInfo().version)
    .exitOverride()
    .showHelpAfterError('(troupe --help tells more)');
  serveCommand(program, terminal);
  nodeCommand(program, terminal);
  doctorCommand(program, terminal);
  tokenCommand(program, terminal);
  loginCommand(program, terminal);
  analyzeCommand(program, terminal);
  streamCommand(program, terminal);
  evaluateCommand(program, terminal);
  mcpCommand(program, terminal);
  resourceCommands(program, terminal);
  return program;
}

function serveCommand(program: Command, terminal: Terminal): void {
  program
    .command('serve')
    .description(
      'run the service until Ctrl-C; settings by environment: HOST, PORT, DATA_DIR, MEDIA_ROOTS, ...',
    )
    .action(async () => (await import('./service/serve.ts')).serve(terminal));
}

function nodeCommand(program: Command, terminal: Terminal): void {
  const node = program
    .command('node')
    .description(
      'run services of a server on this host until Ctrl-C; settings by environment: NODE_NAME, DATA_DIR, TROUPE_TOKEN, ...',
    )
    .option('--server <URL>', 'the server it belongs to; default: TROUPE_URL', address)
    .option('--class <NAME>', 'run the services of this node class; without it, those that are configured')
    .action(async (options: NodeRunOptions) => (await import('./commands/node.ts')).node(options));
  node
    .command('drain')
    .description('end the node that works in DATA_DIR: it takes no new work and finishes what it has')
    .option(
      '--within <SECONDS>',
      'after that, unfinished work is queued again; default: 25',
      whole(1, MAX_DRAIN_SECONDS),
    )
    .action(async ({ within }: { within?: number }) =>
      (await import('./commands/node.ts')).drainNode(within, terminal),
    );
}

function doctorCommand(program: Command, terminal: Terminal): void {
  program
    .command('doctor')
    .description('check settings, folders, store, provider, clock, models and port, and say what to repair')
    .option('--json', 'print what was found as JSON')
    .addHelpText('after', '\nExit code: 0 a server can run here, 1 something has to be repaired.')
    .action(async (options: { readonly json?: boolean }) => {
      const { doctor } = await import('./doctor/doctor.ts');
      process.exitCode = await doctor(options, terminal);
    });
}

function tokenCommand(program: Command, terminal: Terminal): void {
  program
    .command('token')
    .description('print a bearer token for the service that runs in DATA_DIR')
    .option('--node <NAME>', 'a token with which the node of this name joins that service, within an hour')
    .action(async ({ node }: { node?: string }) =>
      (await import('./commands/token.ts')).token(terminal, node),
    );
}

function loginCommand(program: Command, terminal: Terminal): void {
  program
    .command('login')
    .description('print a link that logs a browser in to the service that runs in DATA_DIR')
    .addOption(
      new Option('--role <ROLE>', 'role that the link gives, on a server without an identity provider')
        .choices(['ADMIN', 'USER'])
        .default('ADMIN'),
    )
    .action(async ({ role }: { readonly role: Role }) =>
      (await import('./service/login.ts')).login(terminal, role),
    );
}

function analyzeCommand(program: Command, terminal: Terminal): void {
  program
    .command('analyze')
    .description('run a job and show what it found')
    .argument('<FILE...>', 'files, or http:, https:, data: and file: URIs; with -r also folders')
    .option(
      '--pipeline <NAME>',
      'stored pipeline, such as "FACE DETECTION PIPELINE"; without it the pipelines are listed',
    )
    .option('-r, --recursive', 'analyze all media in the folders and below them; hidden ones are skipped')
    .option('--from <TIME>', 'only the part of videos after this: seconds (83.5), or 1:23.5', moment)
    .option('--to <TIME>', 'only the part of videos before this', moment)
    .option('--pages <PAGES>', 'only these pages of documents: 3, 2-5 or 1,4-7,10-', pages)
    .option('--property <NAME=VALUE>', 'job property; may be repeated', property)
    .option(
      '--algorithm-property <ALGORITHM:NAME=VALUE>',
      'the same for one algorithm, such as FACE:CONFIDENCE_THRESHOLD=0.7; may be repeated',
      algorithmProperty,
    )
    .option('--priority <NUMBER>', 'from 0 (lowest) to 9', whole(0, 9))
    .option('--label <LABEL>', 'label of the job; may be repeated', collectValues)
    .option('--zone <NAME=POINTS>', 'zone, such as "yard=0.1,0.2 0.9,0.2 0.9,0.9"; may be repeated', place)
    .option('--line <NAME=POINTS>', 'line, such as "door=0.5,0 0.5,1"; may be repeated', place)
    .option('--rule <JSON>', 'rule as JSON, or a file with rules; may be repeated', rule)
    .option(
      '--url <URL>',
      'service to use; default: TROUPE_URL, else the one that runs in DATA_DIR, else one is started',
      address,
    )
    .option('--upload', 'upload the files, for a service that cannot read them')
    .option('--dry-run', 'validate the request and show what the job would do, without creating it')
    .option('--output <FILE>', 'write the detection document to this file')
    .option('--json', 'print the detection document instead of tables')
    .addHelpText(
      'after',
      '\nExit code: 0 the job is complete, 1 it ended with errors or was cancelled, 2 nothing was run.',
    )
    .action(async (files: string[], options: AnalyzeOptions) => {
      const { analyze } = await import('./commands/analyze.ts');
      process.exitCode = await analyze(files, options, terminal);
    });
}

function streamCommand(program: Command, terminal: Terminal): void {
  program
    .command('stream')
    .description('watch a camera, and show what is found as it happens, until Ctrl-C')
    .argument('<URI>', 'rtsp:, rtsps:, http: or https:; - reads it, with its password, from standard input')
    .option(
      '--pipeline <NAME>',
      'stored pipeline whose algorithm supports streams; without it they are listed',
    )
    .option('--property <NAME=VALUE>', 'job property; may be repeated', property)
    .option(
      '--algorithm-property <ALGORITHM:NAME=VALUE>',
      'the same for one algorithm, such as FACE:CONFIDENCE_THRESHOLD=0.7; may be repeated',
      algorithmProperty,
    )
    .option(
      '--segment-size <FRAMES>',
      'frames of a segment, each of which has a report',
      whole(10, Infinity),
      100,
    )
    .option(
      '--stall-timeout <MS>',
      'milliseconds without a frame after which the job ends; -1: never',
      stallTimeout,
      180_000,
    )
    .option('--zone <NAME=POINTS>', 'zone, such as "yard=0.1,0.2 0.9,0.2 0.9,0.9"; may be repeated', place)
    .option('--line <NAME=POINTS>', 'line, such as "door=0.5,0 0.5,1"; may be repeated', place)
    .option('--rule <JSON>', 'rule as JSON, or a file with rules; may be repeated', rule)
    .option('--mqtt <URL>', 'broker that gets the events, such as mqtt://broker.example')
    .option('--events', 'show only events of zones and rules')
    .option('--record', 'keep the pictures of the camera, for clips')
    .option('--keep', 'Ctrl-C only stops watching; the job continues')
    .option('--url <URL>', 'service to use; default: TROUPE_URL, else the one that runs in DATA_DIR', address)
    .option('--json', 'print the events of the service, one line of JSON each')
    .addHelpText(
      'after',
      '\nExit code: 0 the stream has ended or was cancelled, 1 the job ended with an error, 2 nothing was run.',
    )
    .action(async (uri: string, options: StreamOptions) => {
      const { stream } = await import('./commands/stream.ts');
      process.exitCode = await stream(uri, options, terminal);
    });
}

function mcpCommand(program: Command, terminal: Terminal): void {
  command(
    program,
    'mcp',
    'answer the questions of an agent by the Model Context Protocol, over standard input and output',
  )
    .option('--write', 'the agent may also create and cancel jobs')
    .action(async (options: McpOptions) => (await import('./commands/mcp.ts')).mcp(options, terminal));
}
