import type { z } from 'zod';
import type { sessionList } from '../../http/schemas/users/sessions.ts';
import { send } from '../kit/api.ts';
import { dateText } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { Risky, Shown, Table } from '../kit/parts.tsx';
import { Keys } from './keys.tsx';

type Sessions = z.output<typeof sessionList>;

/** Where the reader is logged in, and the keys of the reader's scripts. */
export function Account() {
  return (
    <>
      <header class="bar">
        <h1>Account</h1>
      </header>
      <Browsers />
      <Keys />
    </>
  );
}

function Browsers() {
  const sessions = useGet<Sessions>('rest/sessions');
  const revoke = async (id: string) => {
    await send('DELETE', `rest/sessions/${id}`);
    sessions.again();
  };
  return (
    <section>
      <h2>Browsers that are logged in</h2>
      <Shown of={sessions}>
        {({ sessions: all }) => (
          <Table columns={['Browser', 'Logged in', 'Last used', 'Ends', { name: 'Actions', isUnseen: true }]}>
            {all.map(({ id, browser, began, lastUsed, ends, current }) => (
              <tr key={id}>
                <th scope="row">
                  {browser ?? 'Unknown browser'} {current && <small>This browser</small>}
                </th>
                <td data-label="Logged in">
                  <time dateTime={began}>{dateText(began)}</time>
                </td>
                <td data-label="Last used">
                  <time dateTime={lastUsed}>{dateText(lastUsed)}</time>
                </td>
                <td data-label="Ends">
                  <time dateTime={ends}>{dateText(ends)}</time>
                </td>
                <td class="actions">
                  <Risky ask={`Log out ${browser ?? 'this browser'}?`} act={() => revoke(id)}>
                    Log out
                  </Risky>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
    </section>
  );
}
