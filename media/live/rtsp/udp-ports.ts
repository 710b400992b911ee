/** Media over UDP: two local ports, one for pictures and the next one for RTCP. */
import { createSocket, type Socket } from 'node:dgram';
import { LiveError, networkError } from '../input/live-error.ts';
import { PacketOrder } from './packet-order.ts';

export interface UdpEvents {
  /** Called for packets. Channel 0: pictures, in the order of their numbers; 1: RTCP. */
  packet(channel: number, packet: Buffer): void;
  onFailure(error: LiveError): void;
}

/** Maximum number of attempts to find a free even port with a free port above it. */
const TRIES = 50;
/** Size of the receive buffer. Pictures arrive in bursts, and the system drops packets that do not fit. */
const RECEIVE_BYTES = 4 * 1024 * 1024;
/** Packet that opens the way through an address translation between the camera and this host. */
const GREETING = Buffer.from([0x80, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

/** Accepts packets only from the checked address of the camera, so that no other host can insert pictures. */
export class UdpPorts {
  readonly #sockets: readonly [Socket, Socket];
  readonly #order: PacketOrder;

  /** @throws LiveError when there are no two ports side by side */
  static async open(camera: string, events: UdpEvents): Promise<UdpPorts> {
    const type = camera.includes(':') ? 'udp6' : 'udp4';
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const media = await bindSocket(type, 0);
      const { port } = media.address();
      const control = port % 2 === 0 ? await bindSocket(type, port + 1).catch(() => undefined) : undefined;
      if (control !== undefined) return new UdpPorts([media, control], camera, events);
      media.close();
    }
    throw new LiveError('UNREACHABLE', 'There are no two free UDP ports side by side.');
  }

  private constructor(sockets: readonly [Socket, Socket], camera: string, events: UdpEvents) {
    this.#sockets = sockets;
    this.#order = new PacketOrder((packet) => events.packet(0, packet));
    const [media, control] = sockets;
    media.on('message', (packet, from) => {
      if (from.address === camera) this.#order.push(packet);
    });
    control.on('message', (packet, from) => {
      if (from.address !== camera) return;
      // Packets from before the sender's BYE or report are passed on without waiting for missing ones.
      this.#order.flush();
      events.packet(1, packet);
    });
    for (const socket of sockets) socket.on('error', (error) => events.onFailure(networkError(error)));
    media.setRecvBufferSize(RECEIVE_BYTES);
  }

  /** Port of the pictures. The RTCP port is the next one. */
  get port(): number {
    return this.#sockets[0].address().port;
  }

  /** Sends a packet to the camera's ports, so that address translation passes its packets. */
  greet(camera: string, ports: readonly [number, number]): void {
    for (const [n, socket] of this.#sockets.entries())
      if (ports[n]! > 0) socket.send(GREETING, ports[n], camera, () => undefined);
  }

  close(): void {
    this.#order.close();
    for (const socket of this.#sockets) socket.close();
  }
}

function bindSocket(type: 'udp4' | 'udp6', port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(type);
    socket.once('error', (error) => {
      socket.close();
      reject(error);
    });
    socket.bind(port, () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}
