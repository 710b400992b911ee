/** What runs a network: the ONNX runtime in this process, or a remote server. */
import type { Waiting } from '../../sdk/detector.ts';

/** Numbers with the ONNX runtime's name of their type. A server may return other types. */
export interface Values {
  readonly type: string;
  readonly dims: readonly number[];
  /** A typed array. For 16-bit floats, it contains their bits. */
  readonly data: ArrayLike<unknown>;
}

/** Input values of networks. */
export interface GivenValues extends Values {
  readonly type: 'float32' | 'float16' | 'uint8' | 'int8' | 'int32' | 'int64';
  readonly data: Float32Array | Uint16Array | Uint8Array | Int8Array | Int32Array | BigInt64Array;
}

/** Values by input name. */
export type Feeds = Readonly<Record<string, GivenValues>>;
/** Values by output name. */
export type Answers = Readonly<Record<string, Values>>;

export interface Runtime {
  /** Runs the network on this number of pictures. Throws DetectionError, or the reason of the signal. */
  run(feeds: Feeds, count: number, waiting: Waiting): Promise<Answers>;
}
