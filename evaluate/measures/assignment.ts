/**
 * Finds the pairs of rows and columns with the greatest sum of weights, where each row and each column is in at most one pair. This is the
 * assignment problem, solved by the Hungarian method (H. W. Kuhn 1955, in the form of R. Jonker and A. Volgenant 1987 with shortest
 * augmenting paths).
 */

/** A possible pair. */
export interface Edge {
  readonly row: number;
  readonly column: number;
  /** Greater than 0: a pair with a lower weight is never used. */
  readonly weight: number;
}

/** Returns the best pairs. Rows and columns without connecting edges are solved separately, so that many small groups are fast. */
export function heaviestPairs(edges: readonly Edge[]): readonly Edge[] {
  return components(edges).flatMap((part) => (part.length === 1 ? part : pairsOf(part)));
}

function components(edges: readonly Edge[]): readonly (readonly Edge[])[] {
  const parent = new Map<string, string>();
  const rootOf = (node: string): string => {
    let root = node;
    for (let up = parent.get(root); up !== undefined && up !== root; up = parent.get(root)) root = up;
    // Path compression makes the next search faster.
    for (let at = node; at !== root;) {
      const next = parent.get(at) ?? root;
      parent.set(at, root);
      at = next;
    }
    return root;
  };
  for (const { row, column } of edges) parent.set(rootOf(`r${row}`), rootOf(`c${column}`));
  const parts = new Map<string, Edge[]>();
  for (const edge of edges) {
    const root = rootOf(`r${edge.row}`);
    const part = parts.get(root);
    if (part === undefined) parts.set(root, [edge]);
    else part.push(edge);
  }
  return [...parts.values()];
}

function pairsOf(edges: readonly Edge[]): readonly Edge[] {
  const rows = numberValues(edges.map(({ row }) => row));
  const columns = numberValues(edges.map(({ column }) => column));
  const turned = rows.size > columns.size;
  const [least, most] = turned ? [columns, rows] : [rows, columns];
  const costs = Array.from({ length: least.size }, () => new Float64Array(most.size));
  const known = new Map<number, Edge>();
  for (const edge of edges) {
    const [i, j] = [rows.get(edge.row)!, columns.get(edge.column)!];
    const [a, b] = turned ? [j, i] : [i, j];
    costs[a]![b] = -edge.weight;
    known.set(a * most.size + b, edge);
  }
  return cheapestColumns(costs).flatMap((column, row) => {
    const edge = known.get(row * most.size + column);
    return edge === undefined ? [] : [edge];
  });
}

function numberValues(values: readonly number[]): ReadonlyMap<number, number> {
  const numbers = new Map<number, number>();
  for (const value of values) if (!numbers.has(value)) numbers.set(value, numbers.size);
  return numbers;
}

/** Returns the column of each row with the lowest total cost. There are at least as many columns as rows. Row and column 0 mean none. */
function cheapestColumns(costs: readonly Float64Array[]): readonly number[] {
  const columns = costs[0]?.length ?? 0;
  const ofRow = new Float64Array(costs.length + 1);
  const ofColumn = new Float64Array(columns + 1);
  const rowAt = new Int32Array(columns + 1);
  for (let row = 1; row <= costs.length; row++) {
    rowAt[0] = row;
    const { last, before } = shortestWay(costs, { ofRow, ofColumn, rowAt });
    for (let column = last; column !== 0; column = before[column]!) rowAt[column] = rowAt[before[column]!]!;
  }
  const found = Array.from({ length: costs.length }, () => -1);
  for (let column = 1; column <= columns; column++)
    if (rowAt[column]! > 0) found[rowAt[column]! - 1] = column - 1;
  return found;
}

interface Potentials {
  readonly ofRow: Float64Array;
  readonly ofColumn: Float64Array;
  readonly rowAt: Int32Array;
}

/** Finds the shortest path from the row at column 0 to a column without a row. `before` leads back. */
function shortestWay(costs: readonly Float64Array[], { ofRow, ofColumn, rowAt }: Potentials) {
  const least = new Float64Array(ofColumn.length).fill(Infinity);
  const seen = new Uint8Array(ofColumn.length);
  const before = new Int32Array(ofColumn.length);
  let last = 0;
  while (rowAt[last] !== 0) {
    seen[last] = 1;
    const row = rowAt[last]!;
    const ofThis = costs[row - 1]!;
    let [step, next] = [Infinity, 0];
    for (let column = 1; column < ofColumn.length; column++) {
      if (seen[column] === 1) continue;
      const cost = ofThis[column - 1]! - ofRow[row]! - ofColumn[column]!;
      if (cost < least[column]!) [least[column], before[column]] = [cost, last];
      if (least[column]! < step) [step, next] = [least[column]!, column];
    }
    for (let column = 0; column < ofColumn.length; column++)
      if (seen[column] === 1) {
        ofRow[rowAt[column]!]! += step;
        ofColumn[column]! -= step;
      } else least[column]! -= step;
    last = next;
  }
  return { last, before };
}
