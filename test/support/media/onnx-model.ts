/** ONNX models of a few hundred bytes, written by hand: whatever outputs a test wants, without anybody's weights. */

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
};
const number = (field: number, value: number) => Buffer.concat([varint(field * 8), varint(value)]);
const message = (field: number, content: Buffer | string) => {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
};
const join = (...parts: readonly Buffer[]) => Buffer.concat(parts);

const TYPES = { float32: 1, uint8: 2, int8: 3, int64: 7, bool: 9, float16: 10 } as const;
export type ElementType = keyof typeof TYPES;
/** A text names an axis of any length. */
export type Dims = readonly (number | string)[];

export interface Value {
  readonly name: string;
  readonly dims: Dims;
  readonly type?: ElementType;
}

const valueInfo = ({ name, dims, type = 'float32' }: Value): Buffer => {
  const axes = dims.map((axis) => message(1, typeof axis === 'number' ? number(1, axis) : message(2, axis)));
  return join(
    message(1, name),
    message(2, message(1, join(number(1, TYPES[type]), message(2, join(...axes))))),
  );
};

type Numbers = readonly number[];

const rawOf = (data: Numbers, type: ElementType): Buffer => {
  if (type === 'int64') return Buffer.from(BigInt64Array.from(data, BigInt).buffer);
  return Buffer.from(
    type === 'bool' ? Uint8Array.from(data) : new Uint8Array(Float32Array.from(data).buffer),
  );
};

/** A constant; with `location` its data lie in that file. */
export const tensor = (
  name: string,
  dims: Numbers,
  data: Numbers,
  type: 'float32' | 'int64' | 'bool' = 'float32',
  location?: string,
): Buffer =>
  join(
    ...dims.map((size) => number(1, size)),
    number(2, TYPES[type]),
    message(8, name),
    ...(location === undefined
      ? [message(9, rawOf(data, type))]
      : [message(13, join(message(1, 'location'), message(2, location))), number(14, 1)]),
  );

type Attribute = Numbers | number | { readonly graph: Buffer };

const attribute = (name: string, value: Attribute): Buffer => {
  if (typeof value === 'number') return join(message(1, name), number(3, value), number(20, 2));
  if ('graph' in value) return join(message(1, name), message(6, value.graph), number(20, 5));
  return join(message(1, name), ...value.map((one) => number(8, one)), number(20, 7));
};

export const node = (
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, Attribute>> = {},
  domain = '',
): Buffer =>
  join(
    ...inputs.map((input) => message(1, input)),
    ...outputs.map((output) => message(2, output)),
    message(4, operator),
    ...Object.entries(attributes).map(([name, value]) => message(5, attribute(name, value))),
    ...(domain === '' ? [] : [message(7, domain)]),
  );

export interface Graph {
  readonly nodes: readonly Buffer[];
  readonly constants?: readonly Buffer[];
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
}

export const graphOf = ({ nodes, constants = [], inputs, outputs }: Graph): Buffer =>
  join(
    ...nodes.map((one) => message(1, one)),
    message(2, 'graph'),
    ...constants.map((one) => message(5, one)),
    ...inputs.map((one) => message(11, valueInfo(one))),
    ...outputs.map((one) => message(12, valueInfo(one))),
  );

export type Metadata = Readonly<Record<string, string>>;

/** To be appended to a model, which gets it as well. */
export const metadataOf = (metadata: Metadata): Buffer =>
  join(
    ...Object.entries(metadata).map(([key, value]) => message(14, join(message(1, key), message(2, value)))),
  );

export const modelOf = (graph: Graph, metadata: Metadata = {}): Buffer =>
  join(
    number(1, 8),
    message(2, 'troupe-test'),
    message(7, graphOf(graph)),
    message(8, join(message(1, ''), number(2, 13))),
    metadataOf(metadata),
  );

/**
 * An output for each picture. `light` is added to `values` times the mean of the picture's values in the input, so that a test sees what
 * the network was given: with pixels as shares of 255 a white picture adds all of it and a black one nothing.
 */
export interface PictureOutput {
  readonly name: string;
  /** Without the axis of the batch. */
  readonly dims: Numbers;
  readonly values: Numbers;
  readonly light?: Numbers;
  readonly type?: 'float32' | 'int64';
}

export interface PictureModel {
  readonly input: Value;
  readonly others?: readonly Value[];
  readonly outputs: readonly PictureOutput[];
  readonly metadata?: Metadata;
}

/** A network whose outputs are these values, however the pictures look. Outputs with `light` come once for each picture. */
export function pictureModel({ input, others = [], outputs, metadata = {} }: PictureModel): Buffer {
  const nodes = [
    node('Cast', [input.name], ['picture'], { to: TYPES.float32 }),
    node('ReduceMean', ['picture'], ['mean'], { axes: [1, 2, 3], keepdims: 1 }),
  ];
  const constants: Buffer[] = [];
  for (const { name, dims, values, light, type = 'float32' } of outputs) {
    constants.push(tensor(`${name} values`, [1, ...dims], values, type));
    if (light === undefined) {
      nodes.push(node('Identity', [`${name} values`], [name]));
      continue;
    }
    constants.push(tensor(`${name} light`, [1, ...dims], light));
    constants.push(tensor(`${name} axes`, [dims.length + 1], [-1, ...dims.map(() => 1)], 'int64'));
    nodes.push(node('Reshape', ['mean', `${name} axes`], [`${name} mean`]));
    nodes.push(node('Mul', [`${name} mean`, `${name} light`], [`${name} added`]));
    nodes.push(node('Add', [`${name} added`, `${name} values`], [name]));
  }
  const shown = outputs.map(({ name, dims, type = 'float32', light }) => ({
    name,
    dims: [light === undefined ? 1 : (input.dims[0] ?? 1), ...dims],
    type,
  }));
  return modelOf({ nodes, constants, inputs: [input, ...others], outputs: shown }, metadata);
}

/** A network that answers the mean of each colour channel of its input as it was given, [batch, 3]. */
export const colourModel = (
  input: Value,
  name: string,
  metadata: Metadata = {},
  axes: Numbers = [2, 3],
): Buffer =>
  modelOf(
    {
      nodes: [
        node('Cast', [input.name], ['picture'], { to: TYPES.float32 }),
        node('ReduceMean', ['picture'], [name], { axes, keepdims: 0 }),
      ],
      inputs: [input],
      outputs: [{ name, dims: [input.dims[0] ?? 1, 3] }],
    },
    metadata,
  );

/** Of all axes but the first, as `mean`. */
function meanOf({ name, dims, type = 'float32' }: Value): readonly Buffer[] {
  const axes = dims.slice(1).map((_, n) => n + 1);
  const mean = (from: string) => node('ReduceMean', [from], ['mean'], { axes, keepdims: 0 });
  if (type === 'float32') return [mean(name)];
  return [node('Cast', [name], ['numbers'], { to: TYPES.float32 }), mean('numbers')];
}

/** A network that counts for ever. */
export function endlessModel(input: Value): Buffer {
  const body = graphOf({
    nodes: [node('Identity', ['again'], ['goes on']), node('Add', ['count', 'count'], ['more'])],
    inputs: [
      { name: 'step', dims: [], type: 'int64' },
      { name: 'again', dims: [], type: 'bool' },
      { name: 'count', dims: [1, 4, 4] },
    ],
    outputs: [
      { name: 'goes on', dims: [], type: 'bool' },
      { name: 'more', dims: [1, 4, 4] },
    ],
  });
  return modelOf({
    nodes: [
      ...meanOf(input),
      node('Add', ['mean', 'zeros'], ['start']),
      node('Loop', ['', 'yes', 'start'], ['output0'], { body: { graph: body } }),
    ],
    constants: [
      tensor(
        'zeros',
        [1, 4, 4],
        Array.from({ length: 16 }, () => 0),
      ),
      tensor('yes', [], [1], 'bool'),
    ],
    inputs: [input],
    outputs: [{ name: 'output0', dims: [1, 4, 4] }],
  });
}

/**
 * A network whose one division has a result that no number of 64 bits holds: the runtime checks divisors for zero alone, and processors of the
 * kind x64 end a process for it (SIGFPE). It divides so while it is loaded, or for pictures that are not black.
 */
export function crashingModel(input: Value, when: 'loaded' | 'not black', metadata: Metadata = {}): Buffer {
  const divisor = when === 'loaded' ? 'minus one' : 'divisor';
  return modelOf(
    {
      nodes: [
        ...meanOf(input),
        node('Ceil', ['mean'], ['light']),
        node('Cast', ['light'], ['lights'], { to: TYPES.int64 }),
        // 1 for a black picture, -1 for one with values from 0 to 1.
        node('Mul', ['lights', 'two'], ['twice']),
        node('Sub', ['one', 'twice'], ['divisor']),
        node('Div', ['least', divisor], ['quotient']),
        node('Cast', ['quotient'], ['number'], { to: TYPES.float32 }),
        node('Mul', ['zeros', 'number'], ['output0']),
      ],
      constants: [
        tensor('one', [1], [1], 'int64'),
        tensor('two', [1], [2], 'int64'),
        tensor('minus one', [1], [-1], 'int64'),
        tensor('least', [1], [-(2 ** 63)], 'int64'),
        tensor(
          'zeros',
          [1, 6, 2],
          Array.from({ length: 12 }, () => 0),
        ),
      ],
      inputs: [input],
      outputs: [{ name: 'output0', dims: [1, 6, 2] }],
    },
    metadata,
  );
}

/** Columns of the YOLO layout [4 + classes, boxes] from boxes as x, y, width, height of their middle and scores. */
export const columnsOf = (boxes: readonly Numbers[]): number[] =>
  boxes[0]!.flatMap((_, row) => boxes.map((box) => box[row]!));

/** A network that answers the pixels of a small copy of a picture as its vector: pictures that look alike are near. */
export const thumbnailModel = (side: number): Buffer =>
  modelOf({
    nodes: [node('Flatten', ['pixel_values'], ['image_embeds'])],
    inputs: [{ name: 'pixel_values', dims: [1, 3, side, side] }],
    outputs: [{ name: 'image_embeds', dims: [1, 3 * side * side] }],
  });
