import type { z } from 'zod';
import type { failureGroups } from '../../http/schemas/jobs/job-failures.ts';
import { count, moment } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { Shown, Table } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import { TEXT } from '../kit/text.ts';

type Groups = z.output<typeof failureGroups>;

const EVERY_MS = 10_000;
const COLUMNS = [
  TEXT.operation.cause,
  TEXT.operation.whatToDo,
  { name: TEXT.common.jobs, isNumber: true },
  { name: TEXT.operation.failures, isNumber: true },
  TEXT.operation.last,
] as const;

/** Causes of failed jobs, each with a link to its jobs. */
export function Failures() {
  const failures = useGet<Groups>('rest/failures', { limit: 20 }, EVERY_MS);
  return (
    <section>
      <h2>{TEXT.operation.failures}</h2>
      <Shown of={failures}>
        {(groups) =>
          groups.length === 0 ? (
            <p class="hint">{TEXT.operation.noJobHasFailed}</p>
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
                  <td data-label={TEXT.operation.whatToDo}>{group.advice}</td>
                  <td data-label={TEXT.common.jobs} class="number">
                    {count(group.jobs)}
                  </td>
                  <td data-label={TEXT.operation.failures} class="number">
                    {count(group.count)}
                  </td>
                  <td data-label={TEXT.operation.last}>
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
