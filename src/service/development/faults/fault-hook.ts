import { once } from '../../../kernel/once.ts';
import type { DevelopmentState } from '../state.ts';
import type { FaultInjector, InjectorOptions } from './fault-injector.ts';

type WithoutRules<Apply> = Apply extends (rules: unknown, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

export type FaultHook = ReturnType<typeof createFaultHook>;

/** Applies the rules of a store. Loads the code for faults only if there are rules. */
export function createFaultHook({ development, ...options }: InjectorOptions & { readonly development: DevelopmentState }) {
  let injector: FaultInjector | undefined;
  const load = once(async () => {
    injector = (await import('./fault-injector.ts')).createFaultInjector(options);
    return injector;
  });
  const handle: WithoutRules<FaultInjector['handle']> = async (call, perform, onFault) => {
    const { faults } = await development.current();
    return faults === undefined ? perform(call.executable) : (await load()).handle(faults, call, perform, onFault);
  };
  const attempt: WithoutRules<FaultInjector['attempt']> = async (payload, send) => {
    // The engine records an attempt even if the rules cannot be read.
    const { faults } = await Promise.resolve(development.current()).catch(() => development.known);
    return faults === undefined ? send() : (await load()).attempt(faults, payload, send);
  };
  /** Ends all delays. */
  const close = () => injector?.close();
  return { handle, attempt, close };
}
