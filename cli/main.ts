import { CommanderError } from 'commander';
import { troupeProgram } from './program.ts';
import { EXIT, exitCodeOf, explain } from './terminal/failure.ts';
import { Terminal } from './terminal/terminal.ts';

const terminal = new Terminal();

try {
  await troupeProgram(terminal).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.refused;
  else {
    terminal.note(explain(error));
    process.exitCode = exitCodeOf(error);
  }
}
