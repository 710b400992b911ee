/** The commands of the tool with their options. The code of a command is loaded when it runs. */
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
import { receiverAndRecordingOptions } from './commands/resources/streams/stream-options.ts';
import { place, rule } from './arguments/zone-arguments.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Maximum time that a drain may take: one day. */
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
    .description('run the service until Ctrl-C; settings by environment')
    .action(async () => (await import('./service/serve.ts')).serve(terminal));
}

function nodeCommand(program: Command, terminal: Terminal): void {
  const node = program
    .command('node')
    .description('run services of a server on this host until Ctrl-C; settings by environment')
    .option('--server <URL>', 'the server it belongs to; default: TROUPE_URL', address)
    .option('--class <NAME>', 'run the services of this node class; default: the configured services')
    .action(async (options: NodeRunOptions) => (await import('./commands/node.ts')).node(options));
  node
    .command('drain')
    .description('end the node of DATA_DIR when its work is done')
    .option(
      '--within <SECONDS>',
      'then unfinished work is queued again; default: 25',
      whole(1, MAX_DRAIN_SECONDS),
    )
    .action(async ({ within }: { within?: number }) =>
      (await import('./commands/node.ts')).drainNode(within, terminal),
    );
}

function doctorCommand(program: Command, terminal: Terminal): void {
  program
    .command('doctor')
    .description('check whether a server can run here, and say what to repair')
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
    .description('print a bearer token')
    .option('--node <NAME>', 'a token for the node of this name, valid for an hour')
    .action(async ({ node }: { node?: string }) =>
      (await import('./commands/token.ts')).token(terminal, node),
    );
}

function loginCommand(program: Command, terminal: Terminal): void {
  program
    .command('login')
    .description('print a link that logs a browser in')
    .addOption(
      new Option('--role <ROLE>', 'role of the link, on a server without a provider')
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
    .argument('<FILE...>', 'files or URIs; with -r also folders')
    .option('--pipeline <NAME>', 'stored pipeline; without it the pipelines are listed')
    .option('-r, --recursive', 'also analyze media in subfolders; hidden ones are skipped')
    .option('--from <TIME>', 'start of the part of a video: seconds, or 1:23.5', moment)
    .option('--to <TIME>', 'end of the part', moment)
    .option('--pages <PAGES>', 'only these pages of documents: 2-5 or 1,4-7,10-', pages)
    .option('--property <NAME=VALUE>', 'job property; may be repeated', property)
    .option(
      '--algorithm-property <ALGORITHM:NAME=VALUE>',
      'property of one algorithm; may be repeated',
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
    .option('--upload', 'upload the files')
    .option('--dry-run', 'show what the job would do, without creating it')
    .option('--output <FILE>', 'write the detection document to this file')
    .option('--json', 'print the detection document')
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
  const streaming = program
    .command('stream')
    .description('watch a camera, and show what is found as it happens, until Ctrl-C')
    .argument('<URI>', 'rtsp:, rtsps:, http: or https:; - reads it from standard input')
    .option('--pipeline <NAME>', 'stored pipeline that supports streams; without it they are listed')
    .option('--property <NAME=VALUE>', 'job property; may be repeated', property)
    .option(
      '--algorithm-property <ALGORITHM:NAME=VALUE>',
      'property of one algorithm; may be repeated',
      algorithmProperty,
    )
    .option('--segment-size <FRAMES>', 'frames of each segment and report', whole(10, Infinity), 100)
    .option(
      '--stall-timeout <MS>',
      'end the job after this long without a frame; -1: never',
      stallTimeout,
      180_000,
    )
    .option('--zone <NAME=POINTS>', 'zone, such as "yard=0.1,0.2 0.9,0.2 0.9,0.9"; may be repeated', place)
    .option('--line <NAME=POINTS>', 'line, such as "door=0.5,0 0.5,1"; may be repeated', place)
    .option('--rule <JSON>', 'rule as JSON, or a file with rules; may be repeated', rule);
  receiverAndRecordingOptions(streaming)
    .option('--events', 'show only events of zones and rules')
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
  command(program, 'mcp', 'answer an agent over standard input and output (MCP)')
    .option('--write', 'the agent may also create and cancel jobs')
    .action(async (options: McpOptions) => (await import('./commands/mcp.ts')).mcp(options, terminal));
}
