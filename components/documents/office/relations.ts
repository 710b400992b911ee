/** References between the parts of an OOXML package. */
import { posix } from 'node:path';
import { scanXml } from '../../../files/xml.ts';
import { LookupBudget } from './lookup-budget.ts';
import type { Package } from './package.ts';

export interface Relation {
  /** Last segment of its type: image, slide, worksheet ... The rest differs between the two editions of the standard. */
  readonly type: string;
  /** The referenced part. */
  readonly part: string;
}
export type Relations = ReadonlyMap<string, Relation>;

/** Returns the references of a part by id. References outside the package are left out, because nothing is fetched. */
export async function relationsOf(document: Package, part: string): Promise<Relations> {
  const relations = new Map<string, Relation>();
  const folder = posix.dirname(part);
  const listed = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  if (!document.has(listed)) return relations;
  const budget = new LookupBudget();
  await scanXml(document.read(listed), {
    open(name, { Id = '', Type = '', Target = '', TargetMode }) {
      if (name !== 'Relationship' || TargetMode === 'External') return;
      const type = Type.slice(Type.lastIndexOf('/') + 1);
      const target = budget.take(
        posix.normalize(Target.startsWith('/') ? Target : posix.join(folder, Target)),
      );
      relations.set(budget.take(Id), { type, part: target.replace(/^\//, '') });
    },
  });
  return relations;
}

/** Returns the parts of one type, without duplicates. */
export function partsOf(relations: Relations, type: string): readonly string[] {
  const parts = [...relations.values()].filter((relation) => relation.type === type);
  return [...new Set(parts.map(({ part }) => part))];
}

/** Returns the part of a picture's id. */
export function pictureOf(relations: Relations, id: string | undefined): string | undefined {
  const relation = relations.get(id ?? '');
  return relation?.type === 'image' ? relation.part : undefined;
}
