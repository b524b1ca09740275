/** Objects without the fields that are undefined, as optional fields and JSON want them. */

type Absent<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];

/** `T` with every field that may be undefined made optional instead. */
export type PresentFields<T> = Omit<T, Absent<T>> & { [K in Absent<T>]?: Exclude<T[K], undefined> };

/** The fields of `given` that are not undefined. */
export function presentFields<T extends object>(given: T): PresentFields<T> {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as PresentFields<T>;
}
