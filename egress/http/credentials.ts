/** User and password of a URL. */

/** Removes the credentials from the URL, so that they reach no other host, and returns their header. Undefined if there are none. */
export function takeCredentials(url: URL): { readonly Authorization: string } | undefined {
  const { username, password } = url;
  if (username === '' && password === '') return undefined;
  url.username = '';
  url.password = '';
  const pair = Buffer.from(`${decodeText(username)}:${decodeText(password)}`).toString('base64');
  return { Authorization: `Basic ${pair}` };
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
