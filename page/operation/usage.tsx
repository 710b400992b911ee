import type { z } from 'zod';
import type { usageReport } from '../../http/schemas/users/usage.ts';
import { bytes, count, duration } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { Shown, Table } from '../kit/parts.tsx';
import { TEXT } from '../kit/text.ts';

type Report = z.output<typeof usageReport>;

/** The usage of each user in the last 30 days. */
export function Usage() {
  const usage = useGet<Report>('rest/usage', { by: 'user' });
  return (
    <section>
      <h2>{TEXT.operation.usageInTheLast30}</h2>
      <Shown of={usage}>
        {({ usage: users }) =>
          users.length === 0 ? (
            <p class="hint">{TEXT.operation.nobodyHasHadAJob}</p>
          ) : (
            <Table
              columns={[
                TEXT.operation.user,
                { name: TEXT.common.jobs, isNumber: true },
                { name: TEXT.common.media, isNumber: true },
                { name: TEXT.operation.size, isNumber: true },
                { name: TEXT.operation.processingTime, isNumber: true },
              ]}
            >
              {users.map((user) => (
                <tr key={user.name}>
                  <th scope="row">{user.name}</th>
                  <td data-label={TEXT.common.jobs} class="number">
                    {count(user.jobs)}
                  </td>
                  <td data-label={TEXT.common.media} class="number">
                    {count(user.media)}
                  </td>
                  <td data-label={TEXT.operation.size} class="number">
                    {bytes(user.bytes)}
                  </td>
                  <td data-label={TEXT.operation.processingTime} class="number">
                    {duration(user.processingSeconds * 1_000)}
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
