/**
 * What this version of Node can run. better-sqlite3 13 needs Node-API 10, which Node has since 22.14 (and 23.6): in an older Node it ends the
 * process with a segmentation fault. A checkout on Node 20 installs better-sqlite3 12 instead (sqlite.mjs).
 */
export const OLDEST_NODE = '20.19.0';
const NODE_API_OF_SQLITE = 10;

/** Why this product cannot run in this Node, with what to do; undefined when it can. */
export function refusalOfNode(
  { node, napi },
  { isCheckout, hasOwnSqlite } = { isCheckout: false, hasOwnSqlite: false },
) {
  if (isOlder(node, OLDEST_NODE))
    return `Troupe needs Node ${OLDEST_NODE} or newer, and this is Node ${node}. Install Node 22, 24 or 26.`;
  if (runsSqlite({ napi }) || hasOwnSqlite) return undefined;
  return isCheckout
    ? `SQLite is not installed for Node ${node}. Run \`npm ci\` again, or use Node 22, 24 or 26.`
    : `An installed package of Troupe needs Node 22.14 or newer, and this is Node ${node}. Install Node 22, 24 or 26.`;
}

/** Whether better-sqlite3 of package.json runs in a Node with this version of Node-API. */
export const runsSqlite = ({ napi }) => Number(napi) >= NODE_API_OF_SQLITE;

function isOlder(version, other) {
  const [a, b] = [version, other].map((one) => one.split('.').map(Number));
  const at = a.findIndex((number, place) => number !== b[place]);
  return at !== -1 && a[at] < b[at];
}
