/** `troupe info` (specification 4.1). */
import type { Info } from '../../../client/answers.ts';
import type { Command } from 'commander';
import { factLines } from '../../terminal/columns.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { readCommand } from './command.ts';

export function infoCommand(program: Command, terminal: Terminal): void {
  readCommand<Info>(program, terminal, 'info', 'show the version of the service', '/rest/info', {
    lines: ({ app, version, buildNum, gitBranch, gitHash }) =>
      factLines({ Service: app, Version: version, Build: buildNum, Branch: gitBranch, Commit: gitHash }),
  });
}
