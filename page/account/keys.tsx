import type { z } from 'zod';
import { useState } from 'preact/hooks';
import type { keyList, newKey } from '../../http/schemas/users/keys.ts';
import { send } from '../kit/api.ts';
import { moment } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { OneField, Risky, Shown, Table } from '../kit/parts.tsx';

type Key = z.output<typeof newKey>;

/** API keys of the reader, for scripts. */
export function Keys() {
  const keys = useGet<z.output<typeof keyList>>('rest/keys');
  const [made, setMade] = useState<Key>();
  return (
    <section>
      <h2>API keys</h2>
      <OneField
        label="What the new key is for"
        button="Create"
        act={async (name) => {
          setMade(await send<Key>('POST', 'rest/keys', { name }));
          keys.again();
        }}
      />
      {made !== undefined && (
        <p role="status">
          Copy the key now. It is not shown again: <code>{made.key}</code>
        </p>
      )}
      <Shown of={keys}>
        {({ keys: all }) =>
          all.length === 0 ? (
            <p class="hint">You have none. Scripts send a key as their bearer token.</p>
          ) : (
            <Table columns={['Name', 'Role', 'Expires', 'Last used', '']}>
              {all.map(({ id, name, role, expires, lastUsed }) => (
                <tr key={id}>
                  <th scope="row">{name}</th>
                  <td data-label="Role">{role}</td>
                  <td data-label="Expires">
                    <time dateTime={expires}>{moment(expires)}</time>
                  </td>
                  <td data-label="Last used">{lastUsed === null ? 'never' : moment(lastUsed)}</td>
                  <td>
                    <Risky
                      ask="Revoke this key? Scripts that use it stop at once."
                      act={async () => {
                        await send('DELETE', `rest/keys/${id}`);
                        keys.again();
                      }}
                    >
                      Revoke
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
