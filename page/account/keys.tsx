import type { z } from 'zod';
import { useState } from 'preact/hooks';
import type { keyList, newKey } from '../../http/schemas/users/keys.ts';
import { send } from '../kit/api.ts';
import { moment } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { OneField, Risky, Shown, Table } from '../kit/parts.tsx';
import { TEXT } from '../kit/text.ts';

type Key = z.output<typeof newKey>;

/** API keys of the reader, for scripts. */
export function Keys() {
  const keys = useGet<z.output<typeof keyList>>('rest/keys');
  const [made, setMade] = useState<Key>();
  return (
    <section>
      <h2>{TEXT.account.apiKeys}</h2>
      <OneField
        label={TEXT.account.whatTheNewKeyIs}
        button={TEXT.account.create}
        act={async (name) => {
          setMade(await send<Key>('POST', 'rest/keys', { name }));
          keys.again();
        }}
      />
      {made !== undefined && (
        <p role="status">
          {TEXT.account.copyTheKeyNowIt} <code>{made.key}</code>
        </p>
      )}
      <Shown of={keys}>
        {({ keys: all }) =>
          all.length === 0 ? (
            <p class="hint">{TEXT.account.youHaveNoneScriptsSend}</p>
          ) : (
            <Table
              columns={[TEXT.common.name, TEXT.account.role, TEXT.account.expires, TEXT.account.lastUsed, '']}
            >
              {all.map(({ id, name, role, expires, lastUsed }) => (
                <tr key={id}>
                  <th scope="row">{name}</th>
                  <td data-label={TEXT.account.role}>{role}</td>
                  <td data-label={TEXT.account.expires}>
                    <time dateTime={expires}>{moment(expires)}</time>
                  </td>
                  <td data-label={TEXT.account.lastUsed}>
                    {lastUsed === null ? TEXT.account.never : moment(lastUsed)}
                  </td>
                  <td>
                    <Risky
                      ask={TEXT.account.revokeThisKeyScriptsThat}
                      act={async () => {
                        await send('DELETE', `rest/keys/${id}`);
                        keys.again();
                      }}
                    >
                      {TEXT.account.revoke}
                    </Risky>
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
