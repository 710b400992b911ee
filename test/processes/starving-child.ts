/** Starts a component process without enough free file descriptors. Prints how the process ended, and whether a connection was closed. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { startComponent } from '../../processes/component-process.ts';

const FREE = 3;
const files: number[] = [];
try {
  for (;;) files.push(openSync('/dev/null', 'r'));
} catch {
  for (const file of files.splice(0, FREE)) closeSync(file);
}
const connection = new Socket();
const component = startComponent(
  {
    ...{ command: process.execPath, args: [], cwd: '/', environment: {}, bootstrap: '' },
    ...{ maxMemory: 1e9, takesConnections: true },
  },
  {
    onStart: () => undefined,
    onEnd: (end) => writeSync(1, JSON.stringify({ ...end, isClosed: connection.destroyed })),
    line: () => undefined,
  },
);
component.give(connection);
