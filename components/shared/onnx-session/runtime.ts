/** What computes a network: the ONNX runtime in this process, or a server elsewhere. */
import type { Waiting } from '../../sdk/detector.ts';

/** Numbers by the names that the ONNX runtime has for their types; a server may answer others. */
export interface Values {
  readonly type: string;
  readonly dims: readonly number[];
  /** A typed array; of floats of 16 bits their bits. */
  readonly data: ArrayLike<unknown>;
}

/** What networks are given. */
export interface GivenValues extends Values {
  readonly type: 'float32' | 'float16' | 'uint8' | 'int8' | 'int32' | 'int64';
  readonly data: Float32Array | Uint16Array | Uint8Array | Int8Array | Int32Array | BigInt64Array;
}

/** By the names of inputs. */
export type Feeds = Readonly<Record<string, GivenValues>>;
/** By the names of outputs. */
export type Answers = Readonly<Record<string, Values>>;

export interface Runtime {
  /** What the network answers to so many pictures. Errors: DetectionError, and the reason of the signal. */
  run(feeds: Feeds, count: number, waiting: Waiting): Promise<Answers>;
}
