/** Nodes none of whose outputs is read or a graph output go, from the end to the start. */
import type { GraphRewriter } from './rewriter.ts';

const PASS = 'dead-code';

export function removeDeadCode(rewriter: GraphRewriter): void {
  for (const node of rewriter.nodes().reverse()) {
    const used = node.outputs.some(
      (output) => output !== '' && (rewriter.isOutput(output) || rewriter.readers(output).length > 0),
    );
    if (!used) rewriter.replace(PASS, [node]);
  }
}
