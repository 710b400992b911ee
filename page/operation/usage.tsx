import type { z } from 'zod';
import type { usageReport } from '../../http/schemas/users/usage.ts';
import { bytes, count, duration } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { Shown, Table } from '../kit/parts.tsx';

type Report = z.output<typeof usageReport>;

/** What each user has had processed in the last 30 days. */
export function Usage() {
  const usage = useGet<Report>('rest/usage', { by: 'user' });
  return (
    <section>
      <h2>Usage in the last 30 days</h2>
      <Shown of={usage}>
        {({ usage: users }) =>
          users.length === 0 ? (
            <p class="hint">Nobody has had a job processed.</p>
          ) : (
            <Table
              columns={[
                'User',
                { name: 'Jobs', isNumber: true },
                { name: 'Media', isNumber: true },
                { name: 'Size', isNumber: true },
                { name: 'Processing time', isNumber: true },
              ]}
            >
              {users.map((user) => (
                <tr key={user.name}>
                  <th scope="row">{user.name}</th>
                  <td data-label="Jobs" class="number">
                    {count(user.jobs)}
                  </td>
                  <td data-label="Media" class="number">
                    {count(user.media)}
                  </td>
                  <td data-label="Size" class="number">
                    {bytes(user.bytes)}
                  </td>
                  <td data-label="Processing time" class="number">
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
