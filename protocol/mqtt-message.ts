/** A message for a broker (MQTT 3.1.1), as it waits in the outbox. */
export interface MqttMessage {
  readonly topic: string;
  /** Text; absent: `base64`. */
  readonly payload?: string;
  /** Bytes. */
  readonly base64?: string;
  /** The broker keeps it for whoever comes later. */
  readonly retain: boolean;
}
