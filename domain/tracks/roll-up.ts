/** ROLL_UP_FILE: replaces property values of tracks and detections by the names of their groups. */
import type { Detection, Properties, Track } from '../types.ts';
import { isBlank } from '../values.ts';

export interface RollUp {
  /** By property and value: the replacement. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** By property: the properties that keep its original value. */
  readonly copies: ReadonlyMap<string, ReadonlySet<string>>;
}

interface Refused {
  readonly refused: string;
}

/** One entry of the file, checked. */
interface Entry {
  readonly property: string;
  readonly copy?: string;
  readonly groups: readonly { readonly name: string; readonly members: readonly string[] }[];
}

/** Parses a roll-up file. If it is invalid, returns a sentence that says what to change. */
export function parseRollUp(text: string): RollUp | Refused {
  const read = readJson(text);
  if ('refused' in read) return read;
  if (!Array.isArray(read.value))
    return { refused: 'The roll-up file must be a JSON array of objects with "propertyToProcess".' };
  const entries: Entry[] = [];
  for (const [index, item] of (read.value as readonly unknown[]).entries()) {
    const entry = readEntry(item, `Entry ${index + 1} of the roll-up file`);
    if ('refused' in entry) return entry;
    entries.push(entry);
  }
  return ruleOf(entries);
}

function readJson(text: string): { readonly value: unknown } | Refused {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) as unknown };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { refused: `The roll-up file is not JSON: ${reason}. Correct its syntax.` };
  }
}

function readEntry(item: unknown, name: string): Entry | Refused {
  if (!isObject(item)) return { refused: `${name} must be an object with "propertyToProcess".` };
  const { propertyToProcess: property, originalPropertyCopy: copy = null, groups = [] } = item;
  if (!isName(property)) return { refused: `${name} must name a property in "propertyToProcess".` };
  if (copy !== null && !isName(copy))
    return { refused: `${name} must name a property in "originalPropertyCopy", or leave it out.` };
  const list: unknown = groups ?? [];
  if (!Array.isArray(list) || !list.every(isGroup))
    return {
      refused: `${name} must have "groups" that are objects with a text "rollUp" and a list of texts "members".`,
    };
  return {
    property,
    ...(copy === null ? {} : { copy }),
    groups: list.map(({ rollUp, members }) => ({ name: rollUp, members })),
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isName = (value: unknown): value is string => typeof value === 'string' && !isBlank(value);

const isGroup = (value: unknown): value is { readonly rollUp: string; readonly members: readonly string[] } =>
  isObject(value) &&
  typeof value['rollUp'] === 'string' &&
  Array.isArray(value['members']) &&
  value['members'].every((member) => typeof member === 'string');

/** Several entries may concern one property if they do not contradict each other. */
function ruleOf(entries: readonly Entry[]): RollUp | Refused {
  const values = new Map<string, Map<string, string>>();
  const copies = new Map<string, Set<string>>();
  const copiedFrom = new Map<string, string>();
  for (const { property, copy, groups } of entries) {
    const known = values.get(property) ?? new Map<string, string>();
    values.set(property, known);
    for (const { name, members } of groups) {
      for (const member of members) {
        const other = known.get(member) ?? name;
        if (other !== name) return twice(property, member, other, name);
        known.set(member, name);
      }
    }
    if (copy === undefined) continue;
    const source = copiedFrom.get(copy) ?? property;
    if (source !== property) return sameCopy(source, property, copy);
    copiedFrom.set(copy, property);
    copies.set(property, (copies.get(property) ?? new Set()).add(copy));
  }
  const overwritten = [...copiedFrom.keys()].find((copy) => values.has(copy));
  return overwritten === undefined ? { values, copies } : copyOverProcessed(overwritten);
}

const twice = (property: string, member: string, one: string, other: string): Refused => ({
  refused: `The roll-up file puts the value "${member}" of "${property}" into both "${one}" and "${other}"; leave it in one of the groups.`,
});

const sameCopy = (one: string, other: string, copy: string): Refused => ({
  refused: `The roll-up file copies both "${one}" and "${other}" to "${copy}"; give each its own "originalPropertyCopy".`,
});

const copyOverProcessed = (name: string): Refused => ({
  refused: `The roll-up file has "${name}" both as "propertyToProcess" and as "originalPropertyCopy"; copy to a property that is not processed.`,
});

/** The track with the rule applied to its properties and those of its detections. The same track if nothing changes. */
export function applyRollUp(rule: RollUp, track: Track): Track {
  const properties = rolledUp(rule, track.properties);
  const detections = track.detections.map((detection) => detectionRolledUp(rule, detection));
  const same =
    properties === track.properties && detections.every((detection, i) => detection === track.detections[i]);
  return same ? track : { ...track, properties, detections };
}

function detectionRolledUp(rule: RollUp, detection: Detection): Detection {
  const properties = rolledUp(rule, detection.properties);
  return properties === detection.properties ? detection : { ...detection, properties };
}

/**
 * Copies are made of every value, replaced or not, and overwrite properties of the same name. A value that an earlier task already rolled
 * up keeps its first copy.
 */
function rolledUp({ values, copies }: RollUp, properties: Properties): Properties {
  const isCopy = (name: string, value: string, copy: string): boolean =>
    Object.hasOwn(properties, copy) && values.get(name)?.get(properties[copy] ?? '') === value;
  const entries = Object.entries(properties);
  const replaced = entries.map(([name, value]) => [name, values.get(name)?.get(value) ?? value] as const);
  const copied = entries.flatMap(([name, value]) =>
    [...(copies.get(name) ?? [])]
      .filter((copy) => !isCopy(name, value, copy))
      .map((copy) => [copy, value] as const),
  );
  const unchanged = copied.length === 0 && replaced.every(([, value], i) => value === entries[i]?.[1]);
  return unchanged ? properties : Object.fromEntries([...replaced, ...copied]);
}
