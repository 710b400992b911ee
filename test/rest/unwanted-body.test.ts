/** Requests that are refused while their body is still being sent. */
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { dropRest } from '../../http/routing/unwanted-body.ts';
import { within } from '../support/until.ts';

describe('The rest of a body that was refused', () => {
  let server: Server;
  before(async () => {
    server = createServer((incoming, response) => {
      dropRest(incoming, 50);
      response.writeHead(413).end('It is too large.');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is read for a limited time: a slow sender gets an answer and holds no connection', async () => {
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    let said = '';
    // The server closes the connection while the client still writes, so the client gets an error.
    socket.on('data', (part) => (said += String(part))).on('error', () => undefined);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.write('PUT /file HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000\r\n\r\nthe beginning');
    const trickle = setInterval(() => socket.write('.'), 5);
    try {
      await within(3_000, 'the connection is closed', closed);
      expect(said)
        .to.match(/^HTTP\/1.1 413 /)
        .and.include('It is too large.');
    } finally {
      clearInterval(trickle);
      socket.destroy();
    }
  });
});
