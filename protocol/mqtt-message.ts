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
