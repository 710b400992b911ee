/** Reads an ONNX file without its graph's content: its metadata, and the names of external files with weights. */
import { ProtoFile, type ProtoField } from './proto-file.ts';

export interface FileFacts {
  /** `metadata_props` of the model, by key. */
  readonly metadata: ReadonlyMap<string, string>;
  /** Files with weights, as named in the model. */
  readonly external: readonly string[];
  /** True if it has a graph. A file without a graph is no model. */
  readonly hasGraph: boolean;
}

type Message = 'model' | 'graph' | 'node' | 'attribute' | 'tensor' | 'sparse' | 'function' | 'entry';

/** Fields of messages in onnx.proto that contain messages with metadata or tensors. */
const PARTS: Readonly<Record<Message, Readonly<Record<number, Message>>>> = {
  model: { 7: 'graph', 14: 'entry', 25: 'function' },
  graph: { 1: 'node', 5: 'tensor', 15: 'sparse' },
  function: { 7: 'node', 11: 'attribute' },
  node: { 5: 'attribute' },
  attribute: { 5: 'tensor', 6: 'graph', 10: 'tensor', 11: 'graph', 22: 'sparse', 23: 'sparse' },
  sparse: { 1: 'tensor', 2: 'tensor' },
  tensor: { 13: 'entry' },
  entry: {},
};
const DEEPEST = 100;
const LONGEST_KEY = 4_096;
const LONGEST_VALUE = 16 * 1024 * 1024;

/** Reads the facts. Throws ProtoError for a file of another format, and errors of the file system. */
export function readFileFacts(path: string): FileFacts {
  const file = new ProtoFile(path);
  try {
    const reader = new FactsReader(file);
    reader.read('model', { number: 0, wire: 2, start: 0, end: file.size }, 0);
    return reader;
  } finally {
    file.close();
  }
}

class FactsReader implements FileFacts {
  readonly metadata = new Map<string, string>();
  readonly #external = new Set<string>();
  readonly #file: ProtoFile;
  hasGraph = false;

  constructor(file: ProtoFile) {
    this.#file = file;
  }

  get external(): readonly string[] {
    return [...this.#external];
  }

  read(message: Message, { start, end }: ProtoField, depth: number): void {
    for (const field of this.#file.fields(start, end)) {
      const part = field.wire === 2 ? PARTS[message][field.number] : undefined;
      if (message === 'model' && part === 'graph') this.hasGraph = true;
      if (part === 'entry') this.#entry(message, field);
      // Deeper messages are left to the runtime, which has its own limits.
      else if (part !== undefined && depth < DEEPEST) this.read(part, field, depth + 1);
    }
  }

  /** Reads a pair of texts: from the model's metadata, or the location of a tensor's external data. */
  #entry(of: Message, { start, end }: ProtoField): void {
    let [key, value] = ['', ''];
    for (const field of this.#file.fields(start, end)) {
      if (field.wire !== 2) continue;
      if (field.number === 1) key = this.#file.text(field, LONGEST_KEY);
      if (field.number === 2) value = this.#file.text(field, LONGEST_VALUE);
    }
    if (of === 'model') this.metadata.set(key, value);
    else if (key === 'location') this.#external.add(value);
  }
}
