/** A small RTSP server that sends a clip over the connection it was asked on, and misbehaves as cameras do. */
import { createHash } from 'node:crypto';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { waitForDrain, sendPaced } from './stream-server.ts';

export interface RtspPicture {
  readonly dueMs: number;
  readonly ptsMs: number;
  /** Payloads of RTP, which make up the picture. */
  readonly payloads: readonly Buffer[];
}

export interface RtspBehaviour {
  readonly pictures: readonly RtspPicture[];
  /** Lines of the description of the video. */
  readonly media: readonly string[];
  readonly speed?: number;
  /** Called before the picture after so many, and at last before the end: it waits for it. */
  readonly ready?: (sent: number) => Promise<unknown>;
  /** After the last picture: say BYE (usual), close the connection, send nothing more, TEARDOWN from the server's side. */
  readonly after?: 'bye' | 'drop' | 'stall' | 'teardown';
  /** Requests of these methods are never answered. */
  readonly silentAt?: string;
  readonly login?: { readonly scheme: 'Basic' | 'Digest'; readonly user: string; readonly password: string };
  /** Answers by method in place of the usual ones: a status line and headers. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Every n-th packet is left out. */
  readonly loseEvery?: number;
  /** By UDP: every n-th packet is overtaken by the one after it. */
  readonly swapEvery?: number;
  /** By UDP: strangers send packets as well, from another address. */
  readonly strangers?: boolean;
}

export interface RtspRequest {
  readonly method: string;
  readonly uri: string;
  readonly text: string;
}

export interface RtspServer {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly RtspRequest[];
  readonly connections: number;
  readonly open: number;
  close(): Promise<void>;
}

export const PAYLOAD_TYPE = 96;
const NONCE = 'f00d';

/** With `tls`: for rtsps. */
export async function rtspServer(
  behaviourOf: (connection: number) => RtspBehaviour,
  tls?: TlsOptions,
): Promise<RtspServer> {
  const requests: RtspRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const takeConnection = (socket: Socket): void => {
    const behaviour = behaviourOf(connections++);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    const camera = new Camera(socket, behaviour, (request) => requests.push(request));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        camera.request(text.slice(0, end));
        text = text.slice(end + 4);
      }
    });
  };
  const server = tls === undefined ? createServer(takeConnection) : createTlsServer(tls, takeConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'rtsp' : 'rtsps'}://127.0.0.1:${port}/live/main`,
    port,
    requests,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

interface Udp {
  readonly socket: UdpSocket;
  readonly stranger: UdpSocket;
  readonly port: number;
}

class Camera {
  readonly #socket: Socket;
  readonly #behaviour: RtspBehaviour;
  readonly #record: (request: RtspRequest) => void;
  #sequence = 65_500;
  #sent = 0;
  /** Where the client wants packets by UDP, and what sends them there. */
  #udp: Udp | undefined;
  #overtaken: Buffer | undefined;

  constructor(socket: Socket, behaviour: RtspBehaviour, record: (request: RtspRequest) => void) {
    this.#socket = socket;
    this.#behaviour = behaviour;
    this.#record = record;
  }

  request(text: string): void {
    const [method = '', uri = ''] = text.split(' ');
    this.#record({ method, uri, text });
    const { silentAt, instead = {} } = this.#behaviour;
    if (silentAt === method) return;
    const cseq = /CSeq: *(\d+)/i.exec(text)?.[1] ?? '0';
    if (!this.#mayEnter(method, text)) return this.#refuse(cseq);
    const other = instead[method];
    if (other !== undefined) return this.#write(`RTSP/1.0 ${other}\r\nCSeq: ${cseq}\r\n\r\n`);
    if (method === 'SETUP' && /client_port=(\d+)/.test(text)) return void this.#setUpUdp(text, cseq);
    this.#answer(method, uri, cseq);
  }

  async #setUpUdp(text: string, cseq: string): Promise<void> {
    const port = Number(/client_port=(\d+)/.exec(text)?.[1]);
    const [socket, stranger] = [createSocket('udp4'), createSocket('udp4')];
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => stranger.bind(0, '127.0.0.2', resolve));
    this.#udp = { socket, stranger, port };
    this.#socket.once('close', () => {
      socket.close();
      stranger.close();
    });
    const own = socket.address().port;
    this.#write(
      `RTSP/1.0 200 OK\r\nCSeq: ${cseq}\r\nTransport: RTP/AVP;unicast;client_port=${port}-${port + 1};server_port=${own}-${own + 1}\r\nSession: 42;timeout=2\r\n\r\n`,
    );
  }

  #answer(method: string, uri: string, cseq: string): void {
    const ok = (headers: string, body = ''): void =>
      this.#write(`RTSP/1.0 200 OK\r\nCSeq: ${cseq}\r\n${headers}\r\n${body}`);
    if (method === 'DESCRIBE') {
      const body = ['v=0', 'o=- 0 0 IN IP4 127.0.0.1', 's=test', 't=0 0', ...this.#behaviour.media, ''].join(
        '\r\n',
      );
      ok(
        `Content-Base: ${uri}/\r\nContent-Type: application/sdp\r\nContent-Length: ${body.length}\r\n`,
        body,
      );
    } else if (method === 'SETUP')
      ok('Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 42;timeout=2\r\n');
    else if (method === 'PLAY') {
      ok('Session: 42\r\n');
      void this.#play();
    } else ok('Session: 42\r\n');
    if (method === 'TEARDOWN') this.#socket.end();
  }

  async #play(): Promise<void> {
    const { pictures, speed = 1, after = 'bye' } = this.#behaviour;
    const due = pictures.map((picture) => ({ dueMs: picture.dueMs, data: picture }));
    let sent = 0;
    await sendPaced(due, speed, async (picture) => {
      await this.#behaviour.ready?.(sent++);
      return this.#send(picture);
    });
    await this.#behaviour.ready?.(sent);
    if (after === 'drop') this.#socket.destroy();
    else if (after === 'teardown') this.#write('TEARDOWN rtsp://client RTSP/1.0\r\nCSeq: 7\r\n\r\n');
    else if (after === 'bye') {
      this.#sendInterleaved(1, Buffer.from([0x81, 203, 0, 1, 0, 0, 0, 1]));
      if (this.#udp === undefined) this.#socket.end();
    }
  }

  #send({ ptsMs, payloads }: RtspPicture): Promise<boolean> | boolean {
    const { loseEvery = Infinity } = this.#behaviour;
    payloads.forEach((payload, n) => {
      const header = Buffer.alloc(12);
      header[0] = 0x80;
      header[1] = PAYLOAD_TYPE | (n === payloads.length - 1 ? 0x80 : 0);
      header.writeUInt16BE(this.#sequence++ & 0xffff, 2);
      // Timestamps begin shortly before they wrap around.
      header.writeUInt32BE((Math.round(ptsMs * 90) + 0xffff_0000) >>> 0, 4);
      header.writeUInt32BE(1, 8);
      if (++this.#sent % loseEvery !== 0) this.#sendInterleaved(0, Buffer.concat([header, payload]));
    });
    if (this.#socket.destroyed) return false;
    if (!this.#socket.writableNeedDrain) return true;
    return waitForDrain(this.#socket);
  }

  #sendInterleaved(channel: number, packet: Buffer): void {
    if (this.#udp !== undefined) return this.#byUdp(this.#udp, channel, packet);
    const head = Buffer.from([0x24, channel, packet.length >> 8, packet.length & 0xff]);
    this.#write(Buffer.concat([head, packet]));
  }

  #byUdp({ socket, stranger, port }: Udp, channel: number, packet: Buffer): void {
    const { swapEvery = Infinity, strangers = false } = this.#behaviour;
    const send = (data: Buffer) => socket.send(data, port + channel, '127.0.0.1', () => undefined);
    if (strangers && channel === 0) {
      const forged = Buffer.from(packet);
      forged.fill(0xee, 12);
      stranger.send(forged, port, '127.0.0.1', () => undefined);
    }
    if (channel === 0 && this.#overtaken === undefined && this.#sent % swapEvery === 0) {
      this.#overtaken = packet;
      return;
    }
    send(packet);
    if (this.#overtaken !== undefined) send(this.#overtaken);
    this.#overtaken = undefined;
  }

  #mayEnter(method: string, text: string): boolean {
    const { login } = this.#behaviour;
    if (login === undefined || method === 'OPTIONS') return true;
    const given = /Authorization: *(.*)/i.exec(text)?.[1]?.trim();
    if (given === undefined) return false;
    const { scheme, user, password } = login;
    if (scheme === 'Basic') return given === `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const field = (name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(given)?.[1] ?? '';
    const md5 = (plain: string): string => createHash('md5').update(plain).digest('hex');
    const action = md5(`${method}:${field('uri')}`);
    return field('response') === md5(`${md5(`${user}:camera:${password}`)}:${NONCE}:${action}`);
  }

  #refuse(cseq: string): void {
    const { scheme } = this.#behaviour.login!;
    const challenge = scheme === 'Basic' ? 'Basic realm="camera"' : `Digest realm="camera", nonce="${NONCE}"`;
    this.#write(`RTSP/1.0 401 Unauthorized\r\nCSeq: ${cseq}\r\nWWW-Authenticate: ${challenge}\r\n\r\n`);
  }

  #write(data: string | Buffer): void {
    if (this.#socket.writable) this.#socket.write(data);
  }
}
