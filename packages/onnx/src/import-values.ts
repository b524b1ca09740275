/** ValueInfoProto to GraphValue: the types and extents a model declares for its inputs and outputs. */
import { InvalidModelError } from '@onegpu/core';
import type { Dimension, GraphValue } from './graph.ts';
import { dataTypeName, elementType } from './proto/element-type.ts';
import type { DimensionProto, ValueInfoProto } from './proto/messages.ts';

/** The symbol of an extent that the model leaves open without a name; two of them need not be equal. */
export const UNNAMED_DIMENSION = '?';

/** Why a value of this type cannot be fed or read; undefined when it can. */
export function refuseValue(proto: ValueInfoProto): string | undefined {
  const tensor = proto.type?.tensorType;
  if (!tensor) return 'it is not a tensor (sequences, maps and optionals are not supported)';
  if (elementType(tensor.elemType) !== undefined) return undefined;
  return `element type ${dataTypeName(tensor.elemType)} is not supported`;
}

/**
 * Reads a value that `refuseValue` lets pass; an output without a type counts as float32 of unknown rank until
 * shapes are inferred.
 * @throws InvalidModelError for a negative extent other than -1, which some exporters write for "any".
 */
export function importValue(proto: ValueInfoProto): GraphValue {
  const tensor = proto.type?.tensorType;
  const type = elementType(tensor?.elemType ?? 0) ?? 'float32';
  const dims = tensor?.shape?.dim.map((dim, axis) => importDimension(dim, proto.name, axis));
  return { name: proto.name, type, dims };
}

function importDimension(dim: DimensionProto, name: string, axis: number): Dimension {
  if (dim.value === 'dimParam' && dim.dimParam) return dim.dimParam;
  if (dim.value !== 'dimValue') return UNNAMED_DIMENSION;
  const extent = Number(dim.dimValue ?? 0n);
  if (extent === -1) return UNNAMED_DIMENSION;
  if (Number.isSafeInteger(extent) && extent >= 0) return extent;
  throw new InvalidModelError('the extent is not valid', {
    subject: `value "${name}"`,
    field: `dims[${axis}]`,
    got: String(extent),
    expected: 'a non-negative integer or a symbol',
  });
}
