/** Options of the recording of a stream, and of the receivers of its events. */
import { InvalidArgumentError, type Command } from 'commander';
import type { StreamRequest } from '../../../../client/answers.ts';
import { address, whole } from '../command.ts';

export interface RecordingOptions {
  /** Record the pictures of the camera. The other options imply it. */
  readonly record?: boolean;
  /** Another address of the camera, which is recorded. */
  readonly recordUri?: string;
  readonly recordDays?: number;
  readonly recordBytes?: number;
}

export interface ReceiverOptions {
  /** Address of an MQTT broker. */
  readonly mqtt?: string;
  /** Address that gets a POST for each event. */
  readonly webhook?: string;
}

type Recording = StreamRequest['stream']['recording'];
type Receivers = StreamRequest['events'];

export function receiverAndRecordingOptions(command: Command): Command {
  return command
    .option('--mqtt <URL>', 'MQTT broker that gets the events')
    .option('--webhook <URL>', 'address that gets a POST for each event', address)
    .option('--record', 'keep the pictures of the camera, for clips')
    .option('--record-uri <URI>', 'other address of the camera to record')
    .option('--record-days <DAYS>', 'days of the recording; default: 7', days)
    .option('--record-bytes <BYTES>', 'bytes of the recording; default: 20000000000', whole(1, Infinity));
}

/** Returns undefined if nothing shall be recorded. */
export function recordingOf(options: RecordingOptions): Recording {
  const { record, recordUri: streamUri, recordDays, recordBytes } = options;
  const rules = {
    ...(streamUri === undefined ? {} : { streamUri }),
    ...(recordDays === undefined ? {} : { days: recordDays }),
    ...(recordBytes === undefined ? {} : { bytes: recordBytes }),
  };
  return record === true || Object.keys(rules).length > 0 ? rules : undefined;
}

/** Returns undefined if no receiver is given. */
export function receiversOf({ mqtt, webhook }: ReceiverOptions): Receivers {
  if (mqtt === undefined && webhook === undefined) return undefined;
  return {
    ...(mqtt === undefined ? {} : { mqtt: { url: mqtt } }),
    ...(webhook === undefined ? {} : { callbackUri: webhook }),
  };
}

function days(given: string): number {
  const number = /^\d{1,6}(\.\d{1,6})?$/.test(given) ? Number(given) : 0;
  if (number <= 0) throw new InvalidArgumentError('It is a number of days, such as 7 or 0.5.');
  return number;
}
