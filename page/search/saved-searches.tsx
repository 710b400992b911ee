import { useState } from 'preact/hooks';
import type { z } from 'zod';
import type { savedSearchList } from '../../http/schemas/search/saved-searches.ts';
import { send } from '../kit/api.ts';
import { Icon } from '../kit/icons.tsx';
import { useGet } from '../kit/load.ts';
import { OneField, Problem } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import { askedOf, chosenOf, without, type Asked } from './conditions.ts';
import { TEXT } from '../kit/text.ts';

type List = z.output<typeof savedSearchList>;

/** Saved searches of the reader, available in any browser. */
export function Saved({ chosen }: { readonly chosen: Asked }) {
  const saved = useGet<List>('rest/searches');
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<string>();
  const save = async (name: string) => {
    await send('POST', 'rest/searches', { name, query: savedQuery(chosen) });
    setOpen(false);
    saved.again();
  };
  const remove = (id: string) =>
    send('DELETE', `rest/searches/${id}`)
      .then(saved.again)
      .catch((error: unknown) => setProblem((error as Error).message));
  const searches = saved.value?.searches ?? [];
  const canSave = Object.keys(chosen).length > 0;
  if (searches.length === 0 && !canSave) return null;
  return (
    <section class="saved" aria-label={TEXT.search.savedSearches}>
      {searches.map(({ id, name, query }) => (
        <span key={id} class="chip">
          <a href={hrefOf(['search'], chosenOf(query))}>{name}</a>
          <button
            type="button"
            class="quiet-button"
            aria-label={TEXT.search.deleteTheSavedSearch(name)}
            onClick={() => void remove(id)}
          >
            <Icon name="close" size={14} />
          </button>
        </span>
      ))}
      {canSave && (
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {TEXT.search.saveThisSearch}
        </button>
      )}
      {isOpen && <OneField label={TEXT.search.nameOfTheSearch} button={TEXT.search.save} act={save} />}
      {problem !== undefined && <Problem>{problem}</Problem>}
    </section>
  );
}

/** Returns the query with the order, and with a number of days instead of the time that it means today. */
function savedQuery(chosen: Asked): Readonly<Record<string, string>> {
  const { days, sort } = chosen;
  const query = { ...askedOf(without(chosen, 'days')), days, sort };
  return Object.fromEntries(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
