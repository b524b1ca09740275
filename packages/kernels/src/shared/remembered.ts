/**
 * Estimates are asked for several times while one problem is planned: by what refuses an algorithm, by what prefers
 * another, and by the plan itself. What was found stays as long as the problem does.
 */

/**
 * As `compute`, which depends on nothing but its arguments, neither of them ever changed; once a problem, and anew for
 * another target or detail.
 * @param keyOf tells apart what `compute` is asked beside problem and target
 */
export function remembered<
  Problem extends object,
  Target extends object,
  Detail extends readonly unknown[],
  Value,
>(
  compute: (problem: Problem, target: Target, ...detail: Detail) => Value,
  keyOf: (...detail: Detail) => string = () => '',
): (problem: Problem, target: Target, ...detail: Detail) => Value {
  const found = new WeakMap<Problem, { readonly target: Target; readonly values: Map<string, Value> }>();
  return (problem, target, ...detail) => {
    let known = found.get(problem);
    if (known?.target !== target) {
      known = { target, values: new Map() };
      found.set(problem, known);
    }
    const key = keyOf(...detail);
    if (!known.values.has(key)) known.values.set(key, compute(problem, target, ...detail));
    return known.values.get(key) as Value;
  };
}
