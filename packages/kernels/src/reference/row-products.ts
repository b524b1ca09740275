/**
 * The inner loop of the matrix-shaped references: dot products of rows, dst[m, n] = sum over k of a[m, k] * b[n, k],
 * in float64. Both operands hold their k side by side; two rows of b meet four rows of a, so that six loads feed
 * eight multiply-adds. About 1.5 G multiply-adds a second on one core.
 */

export interface Rows {
  readonly data: Float64Array;
  /** Element where row 0 starts; rows follow one another. */
  readonly start: number;
  readonly count: number;
}

/** Where dst[m, n] lies: start + m * rowStep + n. */
export interface ProductTarget {
  readonly data: Float64Array;
  readonly start: number;
  readonly rowStep: number;
}

export function rowProducts(a: Rows, b: Rows, terms: number, dst: ProductTarget): void {
  let m = 0;
  for (; m + 4 <= a.count; m += 4) {
    let n = 0;
    for (; n + 2 <= b.count; n += 2) productTile(a, b, { m, n, terms }, dst);
    for (; n < b.count; n++) for (let row = m; row < m + 4; row++) product(a, b, { m: row, n, terms }, dst);
  }
  for (; m < a.count; m++) for (let n = 0; n < b.count; n++) product(a, b, { m, n, terms }, dst);
}

interface Place {
  readonly m: number;
  readonly n: number;
  readonly terms: number;
}

function product(a: Rows, b: Rows, { m, n, terms }: Place, dst: ProductTarget): void {
  const x = a.data;
  const y = b.data;
  let p = a.start + m * terms;
  let q = b.start + n * terms;
  let sum = 0;
  for (let k = 0; k < terms; k++) sum += (x[p++] as number) * (y[q++] as number);
  dst.data[dst.start + m * dst.rowStep + n] = sum;
}

/** Four rows of a with two of b; the sums are named by both. */
function productTile(a: Rows, b: Rows, { m, n, terms }: Place, dst: ProductTarget): void {
  const x = a.data;
  const y = b.data;
  const p0 = a.start + m * terms;
  const [p1, p2, p3] = [p0 + terms, p0 + 2 * terms, p0 + 3 * terms];
  const q0 = b.start + n * terms;
  const q1 = q0 + terms;
  let [s00, s10, s20, s30] = [0, 0, 0, 0];
  let [s01, s11, s21, s31] = [0, 0, 0, 0];
  for (let k = 0; k < terms; k++) {
    const y0 = y[q0 + k] as number;
    const y1 = y[q1 + k] as number;
    const x0 = x[p0 + k] as number;
    const x1 = x[p1 + k] as number;
    const x2 = x[p2 + k] as number;
    const x3 = x[p3 + k] as number;
    s00 += x0 * y0;
    s10 += x1 * y0;
    s20 += x2 * y0;
    s30 += x3 * y0;
    s01 += x0 * y1;
    s11 += x1 * y1;
    s21 += x2 * y1;
    s31 += x3 * y1;
  }
  const to = dst.start + m * dst.rowStep + n;
  const { data, rowStep } = dst;
  data[to] = s00;
  data[to + rowStep] = s10;
  data[to + 2 * rowStep] = s20;
  data[to + 3 * rowStep] = s30;
  data[to + 1] = s01;
  data[to + rowStep + 1] = s11;
  data[to + 2 * rowStep + 1] = s21;
  data[to + 3 * rowStep + 1] = s31;
}
