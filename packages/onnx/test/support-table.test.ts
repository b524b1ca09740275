/** SUPPORT.md is made from the operator definitions; `npx vitest run packages/onnx/test/support-table.test.ts -u` writes it. */
import { expect, it } from 'vitest';
import type { OperatorDefinition } from '../src/op-definition.ts';
import { allOperators, isInBrowserEntry } from '../src/ops/registry.ts';

/** The newest operator set there is a definition for; a definition without an upper bound ends there. */
const NEWEST = Math.max(...allOperators().map((definition) => definition.opsets[1]));

function row(definition: OperatorDefinition): string {
  const { opType, opsets, attributes, lower, evaluate } = definition;
  const [first, last] = opsets;
  const versions = last === NEWEST ? `${first} and later` : `${first} to ${last}`;
  const places = [lower === undefined ? '' : 'GPU', evaluate === undefined ? '' : 'while planning'];
  const names = attributes.map((name) => `\`${name}\``).join(', ');
  const name = isInBrowserEntry(definition) ? opType : `${opType} (full)`;
  return `| ${name} | ${versions} | ${places.filter(Boolean).join(', ') || 'at load'} | ${names || 'none'} |`;
}

it('SUPPORT.md lists every operator', async () => {
  const rows = allOperators()
    .filter((definition) => definition.domain === '')
    .map(row)
    .sort((a, b) => a.localeCompare(b, 'en'));
  const text = `# Supported operators

Made from the operator definitions. **GPU**: runs as a kernel, on float32 tensors unless it only moves data (then int32
and uint32 too). **while planning**: evaluated on the host where every input is a constant or shape arithmetic; nothing
is moved to the CPU at run time. A node with an attribute, type or rank outside what is built is refused when the model is
loaded, all such nodes at once, with the reason (\`onegpu info MODEL\` lists them).

**(full)**: in browsers with \`@onegpu/onnx/full\` alone; docs/browser.md says which forms of the others that brings.

Newest operator set known: ${NEWEST}.

| operator | operator sets | where | attributes |
|---|---|---|---|
${rows.join('\n')}
`;
  await expect(text).toMatchFileSnapshot('../../../SUPPORT.md');
});
