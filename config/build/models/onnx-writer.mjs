/** Writes ONNX models: as much of the format (protobuf messages of onnx.proto, operator set 17) as our networks need. */

export const FLOAT = 1;
export const UINT8 = 2;
export const INT64 = 7;

/** `graph`: nodes, initializers (tensors), and inputs and outputs as { name, shape }. */
export function model(name, { nodes, tensors, inputs, outputs }) {
  const graph = [
    ...nodes.map((node) => message(1, nodeOf(node))),
    text(2, name),
    ...tensors.map((tensor) => message(5, tensorOf(tensor))),
    ...inputs.map((input) => message(11, valueOf(input))),
    ...outputs.map((output) => message(12, valueOf(output))),
  ];
  const operators = [text(1, ''), int(2, 17)];
  return Buffer.concat([int(1, 8), text(2, 'troupe'), message(7, graph), message(8, operators)]);
}

function nodeOf({ operator, inputs, outputs, attributes = {} }) {
  return [
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(3, outputs[0]),
    text(4, operator),
    ...Object.entries(attributes).map(([name, value]) => message(5, attributeOf(name, value))),
  ];
}

/** Whole numbers, lists of them, and texts are told by their type; a number with a fraction is written { float }. */
function attributeOf(name, value) {
  if (Array.isArray(value)) return [text(1, name), ...value.map((one) => int(8, one)), int(20, 7)];
  if (typeof value === 'string') return [text(1, name), text(4, value), int(20, 3)];
  if (typeof value === 'number') return [text(1, name), int(3, value), int(20, 2)];
  return [text(1, name), float(2, value.float), int(20, 1)];
}

function tensorOf({ name, type, shape, data }) {
  return [...shape.map((size) => int(1, size)), int(2, type), text(8, name), bytes(9, data)];
}

function valueOf({ name, shape }) {
  const dimensions = shape.map((size) => message(1, [int(1, size)]));
  const tensor = [int(1, FLOAT), message(2, dimensions)];
  return [text(1, name), message(2, [message(1, tensor)])];
}

function message(field, parts) {
  return bytes(field, Buffer.concat(parts));
}

function text(field, value) {
  return bytes(field, Buffer.from(value));
}

function bytes(field, value) {
  return Buffer.concat([varint(field * 8 + 2), varint(value.length), value]);
}

function int(field, value) {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

function float(field, value) {
  const number = Buffer.alloc(4);
  number.writeFloatLE(value);
  return Buffer.concat([varint(field * 8 + 5), number]);
}

function varint(value) {
  const parts = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) parts.push(Number(rest & 127n) | 128);
  return Buffer.from([...parts, Number(rest)]);
}
