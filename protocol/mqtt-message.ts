/** A message for a broker (MQTT 3.1.1), as stored in the outbox. */
export interface MqttMessage {
  readonly topic: string;
  /** Payload as text. Absent: see `base64`. */
  readonly payload?: string;
  /** Payload as bytes. */
  readonly base64?: string;
  /** True: the broker stores the message for later subscribers. */
  readonly retain: boolean;
}

/** A connection to a broker that shows by its existence that something is there. */
export interface MqttPresence {
  /** False when the connection has ended, so that the broker has published the last will. */
  readonly isOpen: boolean;
  /** Publishes the newest state, which the broker stores for later subscribers. */
  publish(payload: string): Promise<void>;
  /** Ends the connection without the last will. */
  leave(): void;
  /** Ends the connection like a crash, so that the broker publishes the last will. */
  drop(): void;
}

export interface WantedPresence {
  /** Address of the broker. */
  readonly url: string;
  /** Topic of the state. */
  readonly topic: string;
  /** State that the broker publishes when the connection breaks. */
  readonly will: string;
  /** Called with each state on the broker, the stored one included. */
  onState(payload: string): void;
}

/** Fails if the broker cannot be reached. */
export type OpenPresence = (wanted: WantedPresence) => Promise<MqttPresence>;
