/** Generates `client/rest-types.ts`, the TypeScript types of the REST interface. */
import { declaredTypes, type Declared, type Field, type Shape } from './shapes.ts';

const HEAD = `/**
 * The bodies and queries of the REST interface, generated from its OpenAPI document by \`npm run docs:generate\`.
 */
/* oxlint-disable typescript/no-redundant-type-constituents, typescript/no-duplicate-type-constituents -- Known values beside any text. */
`;

export const typescriptTypes = (): string => [HEAD, ...declaredTypes().map(declarationOf)].join('\n');

function declarationOf({ name, description, shape }: Declared): string {
  const comment = description === undefined ? '' : commentOf(description, '');
  if (shape.kind !== 'object') return `${comment}export type ${name} = ${textOf(shape, '')};\n`;
  return `${comment}export interface ${name} ${objectOf(shape.fields, '')}\n`;
}

function textOf(shape: Shape, indent: string): string {
  switch (shape.kind) {
    case 'text':
      return 'string';
    case 'integer':
      return 'number';
    case 'number':
    case 'boolean':
    case 'null':
      return shape.kind;
    case 'any':
      return 'unknown';
    case 'named':
      return shape.name;
    case 'values':
      return shape.values.map(literalOf).join(' | ');
    case 'list':
      return `readonly ${inBrackets(shape.of, indent)}[]`;
    case 'map':
      return `Readonly<Record<string, ${textOf(shape.of, indent)}>>`;
    case 'tuple':
      return `readonly [${shape.parts.map((part) => textOf(part, indent)).join(', ')}]`;
    case 'either':
      return [...new Set(shape.shapes.map((one) => textOf(one, indent)))].join(' | ');
    case 'object':
      return objectOf(shape.fields, indent);
  }
}

function inBrackets(shape: Shape, indent: string): string {
  const text = textOf(shape, indent);
  const isSimple = shape.kind !== 'either' && !(shape.kind === 'values' && shape.values.length > 1);
  return isSimple && shape.kind !== 'list' && shape.kind !== 'tuple' ? text : `(${text})`;
}

function objectOf(fields: readonly Field[], indent: string): string {
  const inner = `${indent}  `;
  const lines = fields.map(({ name, description, isRequired, shape }) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`;
    const comment = description === '' ? '' : commentOf(description, inner);
    return `${comment}${inner}readonly ${key}${isRequired ? '' : '?'}: ${textOf(shape, inner)}${isRequired ? '' : ' | undefined'};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

const literalOf = (value: string | number | boolean) =>
  typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'` : String(value);
const commentOf = (text: string, indent: string) => `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;
