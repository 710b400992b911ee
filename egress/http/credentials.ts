/** User and password of a URL. */

/** Takes them out of the URL, so that they go to no other host, and gives the header that tells them; undefined without any. */
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
