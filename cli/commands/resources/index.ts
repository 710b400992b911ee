import type { Command } from 'commander';
import type { Terminal } from '../../terminal/terminal.ts';
import { actorsCommand } from './actors.ts';
import { auditCommand } from './users/audit.ts';
import { backupCommand } from './backup.ts';
import { catalogCommands } from './catalog.ts';
import { componentCommands } from './components.ts';
import { deliveryCommands } from './jobs/deliveries.ts';
import { failuresCommand } from './jobs/failures.ts';
import { infoCommand } from './info.ts';
import { jobCommands } from './jobs/jobs.ts';
import { keyCommands } from './users/keys.ts';
import { mediaCommands } from './media.ts';
import { messageCommands } from './messages.ts';
import { modelCommands } from './models.ts';
import { nodeCommands, serverCommands, serviceCommands } from './nodes.ts';
import { operationCommands } from './jobs/operations.ts';
import { queueCommands } from './queues.ts';
import { searchCommands } from './search/search.ts';
import { sessionCommands } from './users/sessions.ts';
import { usageCommand } from './users/usage.ts';
import { streamCommands } from './streams.ts';

/** The commands over the whole REST interface, one group a resource. */
export function resourceCommands(program: Command, terminal: Terminal): void {
  jobCommands(program, terminal);
  deliveryCommands(program, terminal);
  operationCommands(program, terminal);
  streamCommands(program, terminal);
  mediaCommands(program, terminal);
  catalogCommands(program, terminal);
  componentCommands(program, terminal);
  modelCommands(program, terminal);
  nodeCommands(program, terminal);
  serviceCommands(program, terminal);
  serverCommands(program, terminal);
  failuresCommand(program, terminal);
  queueCommands(program, terminal);
  messageCommands(program, terminal);
  searchCommands(program, terminal);
  keyCommands(program, terminal);
  sessionCommands(program, terminal);
  usageCommand(program, terminal);
  infoCommand(program, terminal);
  auditCommand(program, terminal);
  backupCommand(program, terminal);
  actorsCommand(program, terminal);
}
