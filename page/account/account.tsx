import type { z } from 'zod';
import type { sessionList } from '../../http/schemas/users/sessions.ts';
import { send } from '../kit/api.ts';
import { dateText } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { Risky, Shown, Table } from '../kit/parts.tsx';
import { Keys } from './keys.tsx';
import { TEXT } from '../kit/text.ts';

type Sessions = z.output<typeof sessionList>;

/** The reader's sessions, and the keys of the reader's scripts. */
export function Account() {
  return (
    <>
      <header class="bar">
        <h1>{TEXT.common.account}</h1>
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
      <h2>{TEXT.account.browsersThatAreLoggedIn}</h2>
      <Shown of={sessions}>
        {({ sessions: all }) => (
          <Table
            columns={[
              TEXT.account.browser,
              TEXT.account.loggedIn,
              TEXT.account.lastUsed,
              TEXT.account.ends,
              { name: TEXT.common.actions, isUnseen: true },
            ]}
          >
            {all.map(({ id, browser, began, lastUsed, ends, current }) => (
              <tr key={id}>
                <th scope="row">
                  {browser ?? TEXT.account.unknownBrowser}{' '}
                  {current && <small>{TEXT.account.thisBrowser}</small>}
                </th>
                <td data-label={TEXT.account.loggedIn}>
                  <time dateTime={began}>{dateText(began)}</time>
                </td>
                <td data-label={TEXT.account.lastUsed}>
                  <time dateTime={lastUsed}>{dateText(lastUsed)}</time>
                </td>
                <td data-label={TEXT.account.ends}>
                  <time dateTime={ends}>{dateText(ends)}</time>
                </td>
                <td class="actions">
                  <Risky
                    ask={TEXT.account.logOut(browser ?? TEXT.account.thisBrowserInSentence)}
                    act={() => revoke(id)}
                  >
                    {TEXT.common.logOut}
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
