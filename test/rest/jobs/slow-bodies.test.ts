/** Bodies of requests without a valid token: the server does not wait for them as long as for an upload. */
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import Koa from 'koa';
import { attach, closeServer } from '../../../http/listener.ts';
import { until } from '../../support/until.ts';

describe('A request that is answered before its body was read', () => {
  const http = createServer();
  const app = new Koa();
  app.use((ctx) => {
    ctx.body = null;
    ctx.status = 401;
  });
  let socket: Socket;
  let heard = '';
  before(async () => {
    attach(http, app, 300);
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
  });
  after(() => closeServer(http));
  beforeEach(async () => {
    heard = '';
    socket = connect((http.address() as AddressInfo).port, '127.0.0.1');
    socket.on('data', (data: Buffer) => (heard += data.toString()));
    socket.on('error', () => undefined);
    await once(socket, 'connect');
  });
  afterEach(() => socket.destroy());

  it('is cut off after a while when its body does not end', async () => {
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nthe beginning');
    await until('it is answered', () => heard.startsWith('HTTP/1.1 401'));
    expect(socket.destroyed).to.equal(false);
    await until('it is cut off', () => socket.destroyed);
  });

  it('keeps its connection when its body ends in time', async () => {
    const ask = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n';
    socket.write(ask);
    await until('it is answered', () => heard.startsWith('HTTP/1.1 401'));
    socket.write('hello');
    const begun = performance.now();
    await until('longer has passed than an unwanted body may take', () => performance.now() - begun > 500);
    heard = '';
    socket.write(`${ask}hello`);
    await until('the next one is answered', () => heard.startsWith('HTTP/1.1 401'));
  });
});
