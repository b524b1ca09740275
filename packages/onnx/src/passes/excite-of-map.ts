/**
 * ExpandDepthwise and the SqueezeExcite of its result become one `onegpu` MapExcite node of two outputs: the kernel that
 * holds a whole map adds up its means too. Inputs: X, weights and biases of expansion, depthwise convolution and the two
 * products of squeeze-excite. Outputs: the map and its factors.
 */
import { EXPAND_DEPTHWISE, MAP_EXCITE, SQUEEZE_EXCITE } from '../fused-operators.ts';
import type { GraphNode } from '../graph.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, makeNode } from './rewriter.ts';

const PASS = 'excite-of-map';
export function fuseExciteOfMap(rewriter: GraphRewriter): void {
  for (const excite of rewriter.nodes()) {
    if (excite.domain !== 'onegpu' || excite.opType !== SQUEEZE_EXCITE) continue;
    const map = excite.inputs[0] ?? '';
    const expand = rewriter.producer(map);
    if (expand?.domain !== 'onegpu' || expand.opType !== EXPAND_DEPTHWISE) continue;
    if (!readsFollow(rewriter, map, excite)) continue;
    const fused = makeNode({
      name: expand.name,
      domain: 'onegpu',
      opType: MAP_EXCITE,
      inputs: [...expand.inputs, ...excite.inputs.slice(1)],
      outputs: [...expand.outputs, ...excite.outputs],
      attributes: new Map([
        ...expand.attributes,
        ...excite.attributes,
        ['depthwise_activation', { kind: 'activation', value: expand.epilogue.activation }] as const,
        ['excite_activation', { kind: 'activation', value: excite.epilogue.activation }] as const,
      ]),
      covers: coversOf(expand, excite),
    });
    rewriter.replace(PASS, [expand, excite], fused);
  }
}

/** Whether every other reader of the map comes later than `excite`, where the fused node will stand. */
function readsFollow(rewriter: GraphRewriter, map: string, excite: GraphNode): boolean {
  const at = rewriter.position(excite);
  return rewriter.readers(map).every((reader) => reader === excite || rewriter.position(reader) > at);
}
