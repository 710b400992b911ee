/** Imports between the rooms of a folder, and their check against the order of rooms. */
import type { Import } from '../support/imports.ts';
import { ROOMS } from './rooms.ts';

export interface RoomImport {
  readonly folder: string;
  readonly from: string;
  readonly to: string;
  readonly file: string;
  readonly target: string;
}

/** The room of `file` in `folder`: the name of a subfolder, or `*` for files directly in the folder. */
export function roomOf(folder: string, file: string): string | undefined {
  if (!file.startsWith(`${folder}/`)) return undefined;
  const rest = file.slice(folder.length + 1);
  return rest.includes('/') ? rest.slice(0, rest.indexOf('/')) : '*';
}

/** Imports from one room of `folder` to another. */
export function betweenRooms(folder: string, imports: readonly Import[]): readonly RoomImport[] {
  return imports.flatMap(({ file, target, ours }) => {
    const from = roomOf(folder, file);
    const to = ours ? roomOf(folder, target) : undefined;
    return from === undefined || to === undefined || from === to ? [] : [{ folder, from, to, file, target }];
  });
}

/** The reason why an import breaks the order of rooms, or undefined if it is allowed. */
export function objectionToRoom({ folder, from, to, file, target }: RoomImport): string | undefined {
  const rooms = ROOMS[folder] ?? [];
  const nameOf = (room: string) => (room === '*' ? `${folder}/` : `${folder}/${room}/`);
  for (const [room, of] of [
    [from, file],
    [to, target],
  ] as const)
    if (!rooms.includes(room))
      return `${of}: ${nameOf(room)} has no place in ROOMS of test/house/rooms.ts: list it after the rooms that it imports.`;
  if (rooms.indexOf(to) < rooms.indexOf(from)) return undefined;
  return `${file} imports ${target}, which is upward: ${nameOf(from)} may import only rooms listed before it in test/house/rooms.ts. Move what both need into a lower room.`;
}

/** Pairs of rooms of `folder` that import each other. */
export function mutualImports(folder: string, imports: readonly Import[]): readonly string[] {
  const edges = new Set(betweenRooms(folder, imports).map(({ from, to }) => `${from} ${to}`));
  return [...edges].filter((edge) => {
    const [from = '', to = ''] = edge.split(' ');
    return from < to && edges.has(`${to} ${from}`);
  });
}

/** Import cycles: the files of each in order, ending with the first. */
export function circles(all: readonly Import[]): readonly string[] {
  const targets = new Map<string, string[]>();
  for (const { file, target } of all) targets.set(file, [...(targets.get(file) ?? []), target]);
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]) => {
    const start = way.indexOf(file);
    if (start >= 0) found.push([...way.slice(start), file].join(' -> '));
    if (start >= 0 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return found;
}
