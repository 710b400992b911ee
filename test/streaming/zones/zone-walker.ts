/** A component that evaluates zones like the real one. The test supplies the detections. */
import { expect } from 'chai';
import { LiveZones } from '../../../components/host/live/live-zones.ts';
import type { StreamEvent } from '../../../protocol/streams.ts';
import type { StreamAssignment } from '../../../protocol/worker-protocol.ts';
import type { RawComponent } from '../../support/processes/raw-component.ts';

export const PICTURE = { width: 640, height: 360 };
export const FPS = 5;
const BOX = { width: 20, height: 40 };

export class ZoneWalker {
  readonly token: string;
  readonly sent: StreamEvent[] = [];
  readonly #component: RawComponent;
  readonly #zones: LiveZones;
  readonly #from: number;
  #beats = 0;

  constructor(component: RawComponent, { token, work }: StreamAssignment, from: number) {
    this.token = token;
    this.#component = component;
    this.#from = from;
    this.#zones = new LiveZones({ work: work.zones!, event: (event) => void this.sent.push(event) });
  }

  at(frame: number): number {
    return this.#from + (frame * 1_000) / FPS;
  }

  /** Detects a person with this ground point (fractions of the picture). */
  see(frame: number, [x, y]: readonly [number, number], track = 'a', classification = 'person'): void {
    const box = { x: x * PICTURE.width - BOX.width / 2, y: y * PICTURE.height - BOX.height, ...BOX };
    const properties = { CLASSIFICATION: classification };
    this.#zones.see(track, 'CLASS', { ...box, frame, confidence: 0.9, properties }, this.at(frame), PICTURE);
    this.pass(frame);
  }

  ended(track = 'a'): void {
    this.#zones.ended(track);
    this.#zones.flush();
  }

  /** Adds a frame without detections. */
  pass(frame: number): void {
    const data = new Uint8Array(PICTURE.width * PICTURE.height * 3);
    const at = this.at(frame);
    this.#zones.flush({ index: frame, time: at, at, ...PICTURE, data, warmUp: false }, at);
  }

  /** Sends the latest events. `again`: repeats the last message, like a component that got no response. */
  async tell({ again = false } = {}): Promise<void> {
    await this.#zones.settle();
    const events = this.sent.splice(0);
    if (events.length === 0) return;
    await this.#component.heartbeat(this.token, ++this.#beats);
    for (const send of again ? [events, events] : [events]) {
      const { status, text } = await this.#component.events(this.token, ...send);
      expect(status, text).to.equal(200);
    }
  }

  /** The same while the server may die: failed messages are sent again with the next one. */
  async tryToTell(): Promise<void> {
    await this.#zones.settle();
    if (this.sent.length > 0) await this.#component.events(this.token, ...this.sent).catch(() => undefined);
  }
}
