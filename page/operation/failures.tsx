import type { z } from 'zod';
import type { failureGroups } from '../../http/schemas/jobs/job-failures.ts';
import { count, moment } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { Shown, Table } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';

type Groups = z.output<typeof failureGroups>;

const EVERY_MS = 10_000;
const COLUMNS = [
  'Cause',
  'What to do',
  { name: 'Jobs', isNumber: true },
  { name: 'Failures', isNumber: true },
  'Last',
] as const;

/** Why jobs fail, with a link to the jobs of each cause. */
export function Failures() {
  const failures = useGet<Groups>('rest/failures', { limit: 20 }, EVERY_MS);
  return (
    <section>
      <h2>Failures</h2>
      <Shown of={failures}>
        {(groups) =>
          groups.length === 0 ? (
            <p class="hint">No job has failed.</p>
          ) : (
            <Table columns={COLUMNS}>
              {groups.map((group) => (
                <tr key={group.id}>
                  <th scope="row">
                    <a href={hrefOf(['jobs'], { failure: group.id })}>
                      {group.pattern === '*' ? group.message : group.pattern}
                    </a>
                    <br />
                    <small>
                      {group.code}, {group.component}
                    </small>
                  </th>
                  <td data-label="What to do">{group.advice}</td>
                  <td data-label="Jobs" class="number">
                    {count(group.jobs)}
                  </td>
                  <td data-label="Failures" class="number">
                    {count(group.count)}
                  </td>
                  <td data-label="Last">
                    <time dateTime={group.last}>{moment(group.last)}</time>
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
    </section>
  );
}
