/** The tool shows the progress of an operation. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { follow } from '../../../../cli/commands/resources/jobs/operate.ts';
import { exitCodeOf } from '../../../../cli/terminal/failure.ts';
import { Terminal } from '../../../../cli/terminal/terminal.ts';
import { RestClient } from '../../../../client/rest-client.ts';
import { givenToken } from '../../../../client/token-source.ts';

describe('The progress of an operation', () => {
  it('ends with a sentence and exit code 1 when the service stops', async () => {
    const running = { operationId: 'op-1', status: 'RUNNING', progress: 10, message: null, terminal: false };
    const server = createServer((_, response) => {
      response.setHeader('connection', 'close').end(JSON.stringify(running));
      server.close();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new RestClient(url, givenToken('t'), { connectMs: 100, busyMs: 100 });
    const error = await follow(client, 'op-1', new Terminal()).catch((thrown: unknown) => thrown);
    expect(error).to.include({
      message: `The service at ${url} has stopped: operation op-1 resumes when the service starts again.`,
    });
    expect(exitCodeOf(error)).to.equal(1);
  });
});
