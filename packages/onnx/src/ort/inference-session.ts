/**
 * onnxruntime-common's InferenceSession, whose `create` takes a URL too. It asks for the provider `onegpu` where
 * `webgpu` is named: under that name onnxruntime-common keeps the backend that came first, so that another runtime of
 * the same page, imported before this one, would run the model.
 */
import { InferenceSession as Common, type InferenceSessionFactory } from 'onnxruntime-common';
import type { OneGpuProviderOptions } from './provider-options.ts';

export type InferenceSession = Common;

export declare namespace InferenceSession {
  type OnnxValueMapType = Common.OnnxValueMapType;
  type NullableOnnxValueMapType = Common.NullableOnnxValueMapType;
  type FeedsType = Common.FeedsType;
  type FetchesType = Common.FetchesType;
  type ReturnType = Common.ReturnType;
  type RunOptions = Common.RunOptions;
  type ValueMetadata = Common.ValueMetadata;
  type TensorValueMetadata = Common.TensorValueMetadata;
  type NonTensorValueMetadata = Common.NonTensorValueMetadata;
  type ExecutionProviderName = Common.ExecutionProviderName;
  type ExecutionProviderOption = Common.ExecutionProviderOption;
  type WebGpuExecutionProviderOption = Common.WebGpuExecutionProviderOption;
  type ExecutionProviderConfig = Common.ExecutionProviderConfig | OneGpuProviderOptions;
  interface SessionOptions extends Omit<Common.SessionOptions, 'executionProviders'> {
    executionProviders?: readonly ExecutionProviderConfig[];
  }
}

type Source = string | URL | ArrayBufferLike | Uint8Array;

/** What `InferenceSession` itself can do. */
export interface SessionFactory {
  /** @throws what `@onegpu/onnx`'s `InferenceSession.create` throws, InvalidInputError for options that are refused */
  create(source: Source, options?: InferenceSession.SessionOptions): Promise<InferenceSession>;
  create(
    buffer: ArrayBufferLike,
    byteOffset: number,
    byteLength?: number,
    options?: InferenceSession.SessionOptions,
  ): Promise<InferenceSession>;
  [Symbol.hasInstance](value: unknown): boolean;
}

type CreateArguments = Parameters<InferenceSessionFactory['create']>;

export const InferenceSession: SessionFactory = {
  create: (source: Source, ...rest: readonly unknown[]) => {
    const model = source instanceof URL ? source.href : source;
    return Common.create(...([model, ...rest.map(namingOurs)] as unknown as CreateArguments));
  },
  [Symbol.hasInstance]: (value) => value instanceof (Common as unknown as new () => InferenceSession),
};

function namingOurs(argument: unknown): unknown {
  const { executionProviders } = (argument ?? {}) as { readonly executionProviders?: unknown };
  if (!Array.isArray(executionProviders)) return argument;
  return { ...(argument as object), executionProviders: executionProviders.map(ours) };
}

function ours(provider: unknown): unknown {
  if (provider === 'webgpu') return 'onegpu';
  const named = (provider ?? {}) as { readonly name?: unknown };
  return named.name === 'webgpu' ? { ...named, name: 'onegpu' } : provider;
}
