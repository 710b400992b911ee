/* The page at /docs/api: asks for the OpenAPI document with the token that the reader pastes, and shows it. */
'use strict';

(() => {
  const element = (id) => document.getElementById(id);
  /** Where the interface is, seen from this page: two levels above /docs/api/. */
  const base = new URL('../..', window.location.href).href.replace(/\/$/, '');

  const say = (text, wrong) => {
    element('notice').textContent = text;
    element('notice').className = wrong ? 'wrong' : '';
  };

  const refusal = async (response) => {
    if (response.status === 401) return 'The token is not valid, or has expired.';
    const { message } = await response.json().catch(() => ({}));
    return `The server answered ${response.status}${message === undefined ? '' : `: ${message}`}`;
  };

  /** What readers by ear need and Swagger UI leaves out: attributes by selector. */
  const NAMES = {
    '.servers select': { 'aria-label': 'Server' },
    '.information-container': { role: 'region', 'aria-label': 'About' },
    '.schemes-server-container': { role: 'region', 'aria-label': 'Server and authorization' },
    '.filter-container': { role: 'region', 'aria-label': 'Filter' },
    'h3.opblock-tag': { 'aria-level': '2' },
    'section.models h4': { role: 'heading', 'aria-level': '2' },
  };
  const nameParts = () => {
    for (const [selector, attributes] of Object.entries(NAMES))
      for (const part of element('interface').querySelectorAll(selector))
        for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
  };

  const show = (spec, token) => {
    // Requests go where this page came from, whatever other names the server has.
    const ui = window.SwaggerUIBundle({
      spec: { ...spec, servers: [{ url: base }] },
      domNode: element('interface'),
      presets: [window.SwaggerUIBundle.presets.apis],
      displayRequestDuration: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      filter: true,
      validatorUrl: null,
      onComplete: () => {
        nameParts();
        new MutationObserver(nameParts).observe(element('interface'), { childList: true, subtree: true });
        if (token !== undefined) ui.preauthorizeApiKey('token', token);
      },
    });
  };

  const authorize = async () => {
    const token = element('token').value.trim();
    try {
      const response = await fetch(`${base}/rest/openapi.json`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      if (!response.ok) return say(await refusal(response), true);
      show(await response.json(), token);
      say('Authorized: "Try it out" sends this token.', false);
    } catch (error) {
      say(`The server did not answer: ${error.message}`, true);
    }
  };

  /** Who has logged in at /login needs no token here. */
  const useSession = async () => {
    const response = await fetch(`${base}/rest/openapi.json`).catch(() => undefined);
    if (response === undefined || !response.ok || element('token').value !== '') return;
    show(await response.json());
    say('You are logged in: "Try it out" acts in your name, or with the token that you paste.', false);
  };

  element('way-in').addEventListener('submit', (event) => {
    event.preventDefault();
    void authorize();
  });
  void useSession();
})();
