/** Generates `sdk/python/troupe_client/types.py`, the Python types of the REST interface. */
import { declaredTypes, type Declared, type Field, type Shape } from './shapes.ts';

const HEAD = `"""The bodies and queries of the REST interface, generated from its OpenAPI document by \`npm run docs:generate\`."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Tuple, TypedDict, Union
`;

/** Python keywords, which cannot be names of class fields. */
const KEYWORDS = new Set(['class', 'from', 'import', 'in', 'is', 'not', 'global', 'lambda', 'with', 'as']);

export function pythonTypes(): string {
  const writer = new Writer();
  const all = declaredTypes();
  const objects = all.filter(({ shape }) => shape.kind === 'object');
  const others = all.filter(({ shape }) => shape.kind !== 'object');
  for (const declared of objects) writer.declare(declared);
  const aliases = others.map(({ name, description, shape }) => {
    const comment = description === undefined ? '' : `#: ${description}\n`;
    return `${comment}${name} = ${writer.textOf(shape, name, true)}\n`;
  });
  return [HEAD, ...aliases].join('\n') + writer.written.join('');
}

class Writer {
  readonly written: string[] = [];
  readonly #names = new Set<string>();

  declare({ name, description, shape }: Declared): void {
    if (shape.kind !== 'object') return;
    if (this.#names.has(name)) throw new Error(`Two types have the name ${name} in Python.`);
    this.#names.add(name);
    const required = shape.fields.filter(({ isRequired }) => isRequired);
    const optional = shape.fields.filter(({ isRequired }) => !isRequired);
    const doc = description === undefined ? [] : [`"""${description}"""`];
    const text =
      required.length > 0 && optional.length > 0
        ? this.#typeText(`_${name}`, 'TypedDict', required, [], name) +
          this.#typeText(name, `_${name}, total=False`, optional, doc, name)
        : this.#typeText(
            name,
            optional.length > 0 ? 'TypedDict, total=False' : 'TypedDict',
            shape.fields,
            doc,
            name,
          );
    this.written.push(text);
  }

  /**
   * A class, or a functional definition if a field name is not allowed in a class. `owner`: prefix for nested
   * types.
   */
  #typeText(
    name: string,
    bases: string,
    fields: readonly Field[],
    doc: readonly string[],
    owner: string,
  ): string {
    const types = fields.map(
      (field) => [field, this.textOf(field.shape, owner + capital(field.name), false)] as const,
    );
    if (fields.some((field) => !isPlain(field.name))) return this.#callText(name, bases, types);
    const lines = types.flatMap(([field, type]) => [
      `    #: ${field.description}`,
      `    ${field.name}: ${type}`,
    ]);
    const body = [
      ...doc.map((line) => `    ${line}`),
      ...(doc.length > 0 && lines.length > 0 ? [''] : []),
      ...lines,
    ];
    return `\n\nclass ${name}(${bases}):\n${body.join('\n')}\n`;
  }

  #callText(name: string, bases: string, types: readonly (readonly [Field, string])[]): string {
    const lines = types.flatMap(([field, type]) => [
      `        # ${field.description}`,
      `        "${field.name}": ${JSON.stringify(type)},`,
    ]);
    const [base = '', total] = bases.split(', ');
    if (base === 'TypedDict')
      return `\n\n${name} = TypedDict(\n    "${name}",\n    {\n${lines.join('\n')}\n    },\n${total === undefined ? '' : `    ${total},\n`})\n`;
    const optional = `_Optional${name}`;
    return `${this.#callText(optional, 'TypedDict, total=False', types)}\n\nclass ${name}(${base}, ${optional}):\n    pass\n`;
  }

  /**
   * `path`: the name for an object at this place. `isRun`: the text is evaluated when the module is imported.
   */
  textOf(shape: Shape, path: string, isRun: boolean): string {
    const inner = (one: Shape, where: string) => this.textOf(one, path + where, isRun);
    switch (shape.kind) {
      case 'text':
        return 'str';
      case 'number':
        return 'float';
      case 'integer':
        return 'int';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'any':
        return 'Any';
      case 'named':
        return isRun ? `"${shape.name}"` : shape.name;
      case 'values':
        return `Literal[${shape.values.map(literalOf).join(', ')}]`;
      case 'list':
        return `${isRun ? 'List' : 'list'}[${inner(shape.of, 'Item')}]`;
      case 'map':
        return `${isRun ? 'Dict' : 'dict'}[str, ${inner(shape.of, 'Value')}]`;
      case 'tuple':
        return `${isRun ? 'Tuple' : 'tuple'}[${shape.parts.map((part) => inner(part, 'Part')).join(', ')}]`;
      case 'either':
        return this.#eitherOf(shape.shapes, path, isRun);
      case 'object':
        this.declare({ name: path, description: undefined, shape });
        return isRun ? `"${path}"` : path;
    }
  }

  #eitherOf(shapes: readonly Shape[], path: string, isRun: boolean): string {
    const objects = shapes.filter(({ kind }) => kind === 'object');
    const texts = shapes.map((one) =>
      this.textOf(
        one,
        objects.length > 1 && one.kind === 'object' ? path + (objects.indexOf(one) + 1) : path,
        isRun,
      ),
    );
    const different = [...new Set(texts)];
    return isRun && different.length > 1 ? `Union[${different.join(', ')}]` : different.join(' | ');
  }
}

const isPlain = (name: string) => /^[a-z_]\w*$/i.test(name) && !KEYWORDS.has(name);
const capital = (name: string) => {
  const plain = name.replaceAll(/\W+(\w)?/g, (_, letter: string | undefined) => (letter ?? '').toUpperCase());
  return plain.slice(0, 1).toUpperCase() + plain.slice(1);
};
const literalOf = (value: string | number | boolean) =>
  typeof value === 'boolean' ? capital(String(value)) : JSON.stringify(value);
